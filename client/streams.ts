import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream';
import type { OwnedIngestStatus, VideohostIngestStatus } from '../contract/ingest.ts';
import type { JournalEvent, RuntimeEnded, RuntimeEvents } from '../contract/journal.ts';
import type { ActorsFollowed, StreamedTransition } from '../contract/lifecycles/actors.ts';
import type { WorkProgress } from '../contract/operation.ts';
import { HostError, HostUnreachable } from './host-error.ts';
import { encodedPath, jsonIn, pause, refusalIn, type Transport } from './transport.ts';

/** True if an answer is a stream of events. */
const isStream = (answer: Response): boolean =>
  answer.headers.get('Content-Type')?.startsWith('text/event-stream') === true;

/**
 * The events of a stream as they come. Throws `HostError` if the host gives the stream up, and the error of `fetch` if it is cut.
 * A reader that stops closes the connection.
 */
async function* eventsIn(answer: Response): AsyncGenerator<EventSourceMessage, void> {
  if (answer.body === null) return;
  const reader = answer.body
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if (value.event === 'refused') {
        throw new HostError({ status: answer.status, retryAfterSeconds: null, ...refusalIn(value.data) });
      }
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * An event of a stream: an entry of a journal, the end of a runtime, the status of an ingest, progress or a transition. `actors`
 * is the commit up to which the stream has sent the transitions of all actors.
 */
export type HostEvent =
  | { readonly event: 'journal'; readonly data: JournalEvent }
  | { readonly event: 'ended'; readonly data: RuntimeEnded }
  | { readonly event: 'ingest'; readonly data: OwnedIngestStatus | VideohostIngestStatus }
  | { readonly event: 'progress'; readonly data: WorkProgress }
  | { readonly event: 'transition'; readonly data: StreamedTransition }
  | { readonly event: 'actors'; readonly data: ActorsFollowed };

/** How a journal ended. */
export type JournalEnd = Pick<RuntimeEvents, 'lifecycle' | 'reason' | 'journalHead'>;

export interface FollowOptions {
  /** The last event that is known already. */
  readonly after?: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with how far the study has come, where the host measures it. */
  readonly onProgress?: (progress: WorkProgress) => void;
}

/** The items that one stream follows. */
export interface FollowedWork {
  /** Ids of runtimes, each with the last event that is known already; 0 for all events. */
  readonly runtimes?: Readonly<Record<string, number>>;
  readonly ingests?: readonly string[];
  /**
   * Ids of actors, each with the last transition that is known already, 0 for all; or every actor from now on. After a cut, what
   * every actor did may come twice: `actorId` and `seq` say so.
   */
  readonly actors?: Readonly<Record<string, number>> | 'all';
  readonly signal?: AbortSignal | undefined;
}

/** With the id of the event, if it has one. */
type ReceivedEvent = HostEvent & { readonly id?: string };

/** The names of a query with the cursors behind which they begin. */
const placed = (cursors: ReadonlyMap<string, number>): string[] =>
  [...cursors].map(([id, cursor]) => `${encodeURIComponent(id)}@${cursor}`);

const keyOf = (key: string, names: readonly string[]): string[] => (names.length === 0 ? [] : [`${key}=${names}`]);

const pageEvents = 200;
const longestWaitMs = 8000;
const pauseMs = 250;
// A host that has no streams answers the same request with a page.
const accept = 'text/event-stream, application/json;q=0.9';

/** Follows work as it goes on, by streams; a stream that is cut is resumed where it was. */
export class Streams {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The events of a journal as they are committed, to the last one of a study that has ended. */
  async *follow(
    runtimeId: string,
    { after = 0, signal, onProgress }: FollowOptions = {},
  ): AsyncGenerator<JournalEvent, JournalEnd> {
    for (let cursor = after; ; ) {
      const query = `?after=${cursor}&limit=${pageEvents}&wait=${longestWaitMs}`;
      const path = `${encodedPath`/v1/runtimes/${runtimeId}/events`}${query}`;
      for await (const message of this.#once(path, signal)) {
        if (message.event === 'progress') onProgress?.(message.data);
        if (message.event === 'ended') return message.data;
        if (message.event !== 'journal') continue;
        cursor = message.data.seq;
        yield message.data;
      }
    }
  }

  /**
   * Everything that happens to runtimes, ingests and actors, until the caller stops. Throws `HostError` `not_found` where the host
   * has no such stream.
   */
  async *events({ runtimes = {}, ingests = [], actors = {}, signal }: FollowedWork): AsyncGenerator<HostEvent, never> {
    const cursors = new Map(Object.entries(runtimes));
    const transitions = new Map(actors === 'all' ? [] : Object.entries(actors));
    let every: string | null = actors === 'all' ? 'all' : null;
    for (;;) {
      const query = [
        ...keyOf('runtimes', placed(cursors)),
        ...keyOf('ingests', ingests.map(encodeURIComponent)),
        ...keyOf('actors', every === null ? placed(transitions) : [every]),
      ];
      for await (const message of this.#once(`/v1/events?${query.join('&')}`, signal)) {
        if (message.event === 'journal') cursors.set(message.data.runId, message.data.seq);
        if (message.event === 'transition' && every === null) transitions.set(message.data.actorId, message.data.seq);
        // The cursor of every actor comes after those of the runtimes.
        if (every !== null && message.id !== undefined) every = `all@${message.id.split(',').at(-1)}`;
        yield { event: message.event, data: message.data } as HostEvent;
      }
    }
  }

  /** The events of one answer, until it ends or is cut. */
  async *#once(path: string, signal: AbortSignal | undefined): AsyncGenerator<ReceivedEvent, void> {
    const answer = await this.#transport.answer(path, { signal, accept });
    try {
      if (!isStream(answer)) {
        yield* eventsOf(await jsonIn<RuntimeEvents>(answer));
        // The next page may be complete already; if not, its request waits.
        return;
      }
      for await (const { event, data, id } of eventsIn(answer))
        yield { event, data: JSON.parse(data), id } as ReceivedEvent;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof HostError || error instanceof HostUnreachable) throw error;
    }
    // The host stops, or was killed: the next one may take a moment.
    await pause(pauseMs, signal);
  }
}

/** A page of a journal in the words of a stream. */
function* eventsOf(page: RuntimeEvents): Generator<HostEvent> {
  for (const data of page.events) yield { event: 'journal', data };
  const { terminal, reachedHead, runtimeId, lifecycle, reason, journalHead } = page;
  if (!terminal || !reachedHead) return;
  yield {
    event: 'ended',
    data: { schema: 'studio.local-runtime-ended.v1', runtimeId, lifecycle, reason, journalHead },
  };
}
