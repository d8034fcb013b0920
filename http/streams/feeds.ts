import { createHash } from 'node:crypto';
import { ingestKindNames } from '../../actors/ingest/ingest-service.ts';
import type { LifecycleService } from '../../actors/lifecycles/lifecycles.ts';
import type { EveryTransition } from '../../actors/lifecycles/transitions.ts';
import type { StudyService } from '../../actors/study/studies.ts';
import type { ProgressBoard } from '../../actors/supervision/progress-board.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { type RuntimeEnded, streamedEvents } from '../../contract/journal.ts';
import type { ActorsFollowed, StreamedTransition } from '../../contract/lifecycles/actors.ts';
import { hasEnded } from '../../contract/study/status.ts';
import { type Feed, sseFrame } from './event-stream.ts';

/** A document that changes: its newest form is sent, forms in between may be passed over. */
export interface FollowedDocument {
  readonly event: string;
  read(): object;
  watch(wake: () => void): () => void;
}

/** Sends a document as it is, and again whenever it has changed. Its events have no id: every stream begins with the newest. */
export class DocumentFeed implements Feed {
  readonly #followed: FollowedDocument;
  /** The digest of the newest form: thousands of streams may each wait for a change for hours. */
  #sent = '';

  constructor(followed: FollowedDocument) {
    this.#followed = followed;
  }

  read(): Uint8Array | null {
    const { event } = this.#followed;
    const bytes = Buffer.from(JSON.stringify(this.#followed.read()));
    const digest = createHash('sha256').update(bytes).digest('base64');
    if (digest === this.#sent) return null;
    this.#sent = digest;
    return sseFrame({ event }, bytes);
  }

  watch(wake: () => void): () => void {
    return this.#followed.watch(wake);
  }
}

/** How far a study or an ingest is. */
export const progressOf = (board: ProgressBoard, id: string): FollowedDocument => ({
  event: 'progress',
  read: () => (isRuntime(id) ? board.runtime(id) : board.ingest(id, ingestKindNames)),
  watch: (wake) => board.watch(id, wake),
});

const isRuntime = (id: string): boolean => id.startsWith('runtime:');

type Journals = Pick<StudyService, 'records' | 'watch'>;

interface JournalFeedOptions {
  readonly runtimeId: string;
  /** The `seq` after which it begins. */
  readonly after: number;
  /** The id of the event with this `seq`. */
  readonly idOf: (seq: number) => string;
  /** Called with the last event that was sent. */
  readonly sent?: (seq: number) => void;
}

/** Follows a journal: its events as they are stored, and once all of an ended runtime were sent, that it has ended. */
export class JournalFeed implements Feed {
  readonly #journals: Journals;
  readonly #options: JournalFeedOptions;
  #cursor: number;
  #isOver = false;

  private constructor(journals: Journals, options: JournalFeedOptions) {
    this.#journals = journals;
    this.#options = options;
    this.#cursor = options.after;
  }

  /** Throws `unknown_runtime`, `cursor_past_head` and the codes of damage. */
  static async open(journals: Journals, options: JournalFeedOptions): Promise<JournalFeed> {
    await journals.records(options.runtimeId, options.after, 1);
    return new JournalFeed(journals, options);
  }

  /** True if the end was sent. A runtime that has ended may still get a review, so later events are sent as well. */
  get isOver(): boolean {
    return this.#isOver;
  }

  async read(): Promise<Uint8Array | null> {
    const { runtimeId, idOf, sent } = this.#options;
    const { page, lifecycle, reason } = await this.#journals.records(runtimeId, this.#cursor, streamedEvents);
    const frames = page.events.map((event, index) =>
      sseFrame({ event: 'journal', id: idOf(this.#cursor + index + 1) }, event),
    );
    this.#cursor += page.events.length;
    sent?.(this.#cursor);
    if (!this.#isOver && hasEnded(lifecycle) && this.#cursor === page.head.seq) {
      const schema = 'studio.local-runtime-ended.v1';
      const ended: RuntimeEnded = { schema, runtimeId, lifecycle, reason, journalHead: this.#cursor };
      frames.push(sseFrame({ event: 'ended' }, ended));
      this.#isOver = true;
    }
    return frames.length === 0 ? null : Buffer.concat(frames);
  }

  watch(wake: () => void): () => void {
    return this.#journals.watch(this.#options.runtimeId, wake);
  }
}

/** Takes the place up to which everything was sent, and gives the id that an event with this place has. */
export type Place = (cursor: number) => string;

/** Follows the transitions of one actor from a `seq` on. It has no end: an approval may still be withdrawn. */
export class ActorFeed implements Feed {
  readonly #lifecycles: LifecycleService;
  readonly #actorId: string;
  readonly #place: Place;
  #cursor: number;

  private constructor(lifecycles: LifecycleService, actorId: string, after: number, place: Place) {
    this.#lifecycles = lifecycles;
    this.#actorId = actorId;
    this.#cursor = after;
    this.#place = place;
  }

  /** Throws `unknown_actor`, `cursor_past_head` and `stored_content_inconsistent`. */
  static async open(lifecycles: LifecycleService, actorId: string, after: number, place: Place): Promise<ActorFeed> {
    await lifecycles.streamed(actorId, after, 1);
    return new ActorFeed(lifecycles, actorId, after, place);
  }

  async read(): Promise<Uint8Array | null> {
    const transitions = await this.#lifecycles.streamed(this.#actorId, this.#cursor, streamedEvents);
    const frames = transitions.map((transition) => {
      this.#cursor = transition.seq;
      return transitionFrame(transition, this.#place(transition.seq));
    });
    return frames.length === 0 ? null : Buffer.concat(frames);
  }

  watch(wake: () => void): () => void {
    return this.#lifecycles.watch((actorId) => {
      if (actorId === this.#actorId) wake();
    });
  }
}

/**
 * Follows the transitions of every actor. `actors` says up to which commit everything was sent: at the beginning, and where no
 * transition says so.
 */
export class EveryActorFeed implements Feed {
  readonly #lifecycles: LifecycleService;
  readonly #place: Place;
  readonly #every: EveryTransition;
  /** The commit that the client has. */
  #said: number | null = null;

  /** Throws `cursor_past_head`. */
  constructor(lifecycles: LifecycleService, after: number | null, place: Place) {
    if ((after ?? 0) > lifecycles.newestCommit()) {
      throw new ServiceError('cursor_past_head', 'the ledger has fewer commits');
    }
    this.#lifecycles = lifecycles;
    this.#place = place;
    this.#every = lifecycles.every(after);
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#said === null) return this.#say();
    const transitions = await this.#every.next();
    if (transitions === null) return null;
    // A client that gets a part of it has no more than before.
    const before = this.#place(this.#said);
    const [last, rest] = [transitions.at(-1), transitions.slice(0, -1)];
    if (last === undefined) return this.#said === this.#every.cursor ? new Uint8Array(0) : this.#say();
    this.#said = this.#every.cursor;
    const frames = rest.map((transition) => transitionFrame(transition, before));
    return Buffer.concat([...frames, transitionFrame(last, this.#place(this.#said))]);
  }

  watch(wake: () => void): () => void {
    return this.#lifecycles.watch((actorId) => {
      this.#every.moved(actorId);
      wake();
    });
  }

  #say(): Uint8Array {
    const commit = this.#every.cursor;
    this.#said = commit;
    const followed: ActorsFollowed = { schema: 'studio.actors-followed.v1', commit };
    return sseFrame({ event: 'actors', id: this.#place(commit) }, followed);
  }
}

const transitionFrame = (transition: StreamedTransition, id: string): Buffer =>
  sseFrame({ event: 'transition', id }, transition);
