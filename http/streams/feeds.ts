import { createHash } from 'node:crypto';
import { ingestKindNames } from '../../actors/ingest/ingest-service.ts';
import type { StudyService } from '../../actors/study/studies.ts';
import type { ProgressBoard } from '../../actors/supervision/progress-board.ts';
import { type RuntimeEnded, streamedEvents } from '../../contract/journal.ts';
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

/** Something that is followed from a place on. */
export interface FollowedPlace {
  readonly id: string;
  /** The number of the last event that the client has; null where it names none. */
  readonly after: number | null;
}
