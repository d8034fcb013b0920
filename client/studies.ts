import type { z } from 'zod';
import type { JournalEvent, RuntimeEvents } from '../contract/journal.ts';
import type { WorkProgress } from '../contract/operation.ts';
import type { SourceSessionRow } from '../contract/sources/source-session.ts';
import type { runtimeRequest } from '../contract/study/plan.ts';
import type { PlanWarningList, RuntimePlan } from '../contract/study/start.ts';
import type { Lifecycle, RuntimeStatus, Runtimes } from '../contract/study/status.ts';
import type { FollowOptions, Streams } from './streams.ts';
import { encodedPath, type Given, type ListOptions, queryOf, type Transport } from './transport.ts';

type WireRequest = Given<z.input<typeof runtimeRequest>>;

/** The request of a study; by default the whole source, with its language detected, for evidence alone. */
export type StudyRequest = Partial<Omit<WireRequest, 'sourceSessionId' | 'sourceRevisionId' | 'materializationId'>> &
  Pick<WireRequest, 'targetLanguage'>;

export type StudiedSource = Pick<SourceSessionRow, 'sourceSessionId' | 'sourceRevisionId' | 'durationMs'>;

/** The spoken language as a study asks for it: declared by its tag, or left to be detected. */
export const spokenLanguage = (tag?: string): WireRequest['requestedSourceLanguage'] =>
  tag === undefined
    ? { mode: 'automatic', languages: [], reason: null }
    : { mode: 'declared', languages: [tag], reason: null };

/** The body of a plan and of a start. */
const wireRequest = (source: StudiedSource, request: StudyRequest): WireRequest => ({
  sourceSessionId: source.sourceSessionId,
  sourceRevisionId: source.sourceRevisionId,
  range: { startMs: 0, endMs: source.durationMs },
  requestedSourceLanguage: spokenLanguage(),
  selectedLanguagePackId: null,
  outputDepth: 'evidence',
  ...request,
});

/** The studies in a list: all, or those of a source, in a lifecycle, or of sources with a label. */
export interface RuntimesOptions extends ListOptions {
  readonly sourceSessionId?: string;
  readonly lifecycle?: Lifecycle;
  readonly label?: string;
}

/** How a study is followed. */
export type StudyOptions = Omit<FollowOptions, 'after'>;

const pageEvents = 200;

export interface PageOptions {
  /** The last event that is known already. */
  readonly after?: number;
  readonly signal?: AbortSignal;
  /** The most events of the page, at most 200. */
  readonly limit?: number;
  readonly waitMs?: number;
}

/** The last event of a journal, and the digest of the chain that ends with it. */
export interface JournalHead {
  readonly seq: number;
  readonly sha256: string;
}

/** Plans, starts and reads studies. */
export class Studies {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  plan(source: StudiedSource, request: StudyRequest): Promise<RuntimePlan> {
    return this.#transport.json('/v1/runtime-plans', {
      method: 'POST',
      json: wireRequest(source, request),
      repeatable: true,
      isLong: true,
    });
  }

  /** The warnings of a host before a study. */
  warnings(source: StudiedSource, request: StudyRequest): Promise<PlanWarningList> {
    return this.#transport.json('/v1/runtime-plan-warnings', {
      method: 'POST',
      json: wireRequest(source, request),
      repeatable: true,
      isLong: true,
    });
  }

  /** Starts a study. The same request finds the same study, so a start may be repeated. */
  start(source: StudiedSource, request: StudyRequest, signal?: AbortSignal): Promise<RuntimeStatus> {
    const json = wireRequest(source, request);
    return this.#transport.json('/v1/runtime-starts', { method: 'POST', json, repeatable: true, isLong: true, signal });
  }

  status(runtimeId: string, signal?: AbortSignal): Promise<RuntimeStatus> {
    return this.#transport.json(encodedPath`/v1/runtimes/${runtimeId}`, { signal });
  }

  /** A page of the studies of the host, newest first. */
  list({ sourceSessionId: source, ...others }: RuntimesOptions = {}): Promise<Runtimes> {
    return this.#transport.json(`/v1/runtimes${queryOf({ source, ...others })}`);
  }

  /** Ends a study that has not ended. Refused with `runtime_already_terminal` for one that has. */
  cancel(runtimeId: string): Promise<RuntimeStatus> {
    return this.#transport.json(encodedPath`/v1/runtimes/${runtimeId}/cancellations`, { method: 'POST', json: {} });
  }

  /** One page of a journal. `waitMs` (at most 8,000) holds an empty page back until something is committed. */
  events(
    runtimeId: string,
    { after = 0, limit = pageEvents, waitMs = 0, signal }: PageOptions = {},
  ): Promise<RuntimeEvents> {
    const query = `?after=${after}&limit=${limit}&wait=${waitMs}`;
    return this.#transport.json(`${encodedPath`/v1/runtimes/${runtimeId}/events`}${query}`, { signal });
  }

  /**
   * The head of a journal: the number of its last event, and the digest of the chain up to it as 64 hex digits. Throws
   * `TypeError` for an answer without it.
   */
  async journalHead(runtimeId: string): Promise<JournalHead> {
    const text = await this.#transport.field(encodedPath`/v1/runtimes/${runtimeId}`, 'Studio-Journal-Head');
    const [, seq, sha256] = /^(\d+);sha256=([a-f0-9]{64})$/.exec(text ?? '') ?? [];
    if (seq === undefined || sha256 === undefined)
      throw new TypeError('the answer does not name the head of the journal');
    return { seq: Number(seq), sha256 };
  }
}

/** A study under way: iterate it for its events. It goes on without its reader, and a new reader sees every event again. */
export class Study implements AsyncIterable<JournalEvent> {
  /** The answer to the start. Rejects when the host refused it. */
  readonly started: Promise<RuntimeStatus>;
  readonly #studies: Studies;
  readonly #streams: Streams;
  readonly #options: StudyOptions;
  #isIterated = false;

  constructor(studies: Studies, streams: Streams, started: Promise<RuntimeStatus>, options: StudyOptions) {
    this.#studies = studies;
    this.#streams = streams;
    this.#options = options;
    this.started = started;
    // Iterating or awaiting tells of a refusal; a caller need not do both.
    started.catch(() => undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<JournalEvent, void> {
    this.#isIterated = true;
    const { runtimeId } = await this.started;
    yield* this.#streams.follow(runtimeId, this.#options);
  }

  /** Waits for the end, whether or not anyone reads the events. Calls `onProgress`, unless an iteration of the events does. */
  async ended(): Promise<RuntimeStatus> {
    const { runtimeId, journalHead } = await this.started;
    const { signal, onProgress } = this.#options;
    const options = {
      signal,
      after: journalHead,
      // An iteration may begin while this waits.
      onProgress: (progress: WorkProgress) => this.#isIterated || onProgress?.(progress),
    };
    for await (const _ of this.#streams.follow(runtimeId, options));
    return this.#studies.status(runtimeId, signal);
  }
}
