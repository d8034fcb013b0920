import type { Studies } from '../../actors/study/studies.ts';
import { type RuntimeEnded, streamedEvents } from '../../contract/journal/event-stream.ts';
import { hasEnded } from '../../contract/study/runtime-status.ts';
import type { Feed } from './event-stream.ts';
import { sseFrame } from './sse-frame.ts';

type Journals = Pick<Studies, 'records' | 'watch'>;

export interface JournalFeedOptions {
  readonly runtimeId: string;
  /** The `seq` after which it begins. */
  readonly after: number;
  /** The id of the event with this `seq`. */
  readonly idOf: (seq: number) => string;
  /** Told of the last event that was sent. */
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

  /** Whether the end was said. A runtime that has ended may still get a review, so what comes later is sent as well. */
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
