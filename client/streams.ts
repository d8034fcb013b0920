import type { OwnedIngestStatus } from '../contract/ingest/owned-ingest.ts';
import type { VideohostIngestStatus } from '../contract/ingest/videohost-ingest.ts';
import type { RuntimeEnded } from '../contract/journal/event-stream.ts';
import type { JournalEvent } from '../contract/journal/journal-event.ts';
import type { RuntimeEvents } from '../contract/journal/runtime-events.ts';
import type { WorkProgress } from '../contract/operation/work-progress.ts';
import { eventsIn, isStream } from './event-stream.ts';
import { HostError } from './host-error.ts';
import { pathOf, pause, type Transport } from './transport.ts';

/** What a stream tells: a record of a journal, the end of a runtime, the status of an ingest, or how far work has come. */
export type HostEvent =
  | { readonly event: 'journal'; readonly data: JournalEvent }
  | { readonly event: 'ended'; readonly data: RuntimeEnded }
  | { readonly event: 'ingest'; readonly data: OwnedIngestStatus | VideohostIngestStatus }
  | { readonly event: 'progress'; readonly data: WorkProgress };

/** How a journal ended. */
export type JournalEnd = Pick<RuntimeEvents, 'lifecycle' | 'reason' | 'journalHead'>;

export interface FollowOptions {
  /** The last event that is known already. */
  readonly after?: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with how far the study has come, where the host measures it. */
  readonly onProgress?: (progress: WorkProgress) => void;
}

/** What one stream follows. */
export interface FollowedWork {
  /** Ids of runtimes, each with the last event that is known already; 0 for all events. */
  readonly runtimes?: Readonly<Record<string, number>>;
  readonly ingests?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

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
      const path = `${pathOf`/v1/runtimes/${runtimeId}/events`}${query}`;
      for await (const told of this.#once(path, signal)) {
        if (told.event === 'progress') onProgress?.(told.data);
        if (told.event === 'ended') return told.data;
        if (told.event !== 'journal') continue;
        cursor = told.data.seq;
        yield told.data;
      }
    }
  }

  /**
   * Everything that happens to runtimes and ingests, until the caller stops. Throws `HostError` `not_found` where the host
   * has no such stream.
   */
  async *events({ runtimes = {}, ingests = [], signal }: FollowedWork): AsyncGenerator<HostEvent, never> {
    const cursors = new Map(Object.entries(runtimes));
    for (;;) {
      const named = [...cursors].map(([runtimeId, seq]) => `${encodeURIComponent(runtimeId)}@${seq}`);
      const query = [
        ...(named.length === 0 ? [] : [`runtimes=${named}`]),
        ...(ingests.length === 0 ? [] : [`ingests=${ingests.map(encodeURIComponent)}`]),
      ];
      for await (const told of this.#once(`/v1/events?${query.join('&')}`, signal)) {
        if (told.event === 'journal') cursors.set(told.data.runId, told.data.seq);
        yield told;
      }
    }
  }

  /** What one answer tells, until it ends or is cut. */
  async *#once(path: string, signal: AbortSignal | undefined): AsyncGenerator<HostEvent, void> {
    const answer = await this.#transport.answer(path, { signal, accept });
    try {
      if (!isStream(answer)) {
        yield* toldBy((await answer.json()) as RuntimeEvents);
        // The next page may be there already, and waits by itself where it is not.
        return;
      }
      for await (const { event, data } of eventsIn(answer)) yield { event, data: JSON.parse(data) } as HostEvent;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof HostError) throw error;
    }
    // The host stops, or was killed: the next one may take a moment.
    await pause(pauseMs, signal);
  }
}

/** A page of a journal in the words of a stream. */
function* toldBy(page: RuntimeEvents): Generator<HostEvent> {
  for (const data of page.events) yield { event: 'journal', data };
  const { terminal, reachedHead, runtimeId, lifecycle, reason, journalHead } = page;
  if (!terminal || !reachedHead) return;
  yield {
    event: 'ended',
    data: { schema: 'studio.local-runtime-ended.v1', runtimeId, lifecycle, reason, journalHead },
  };
}
