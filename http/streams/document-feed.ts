import { createHash } from 'node:crypto';
import { ingestKindNames } from '../../actors/ingest/ingest-service.ts';
import type { ProgressBoard } from '../../actors/supervision/progress-board.ts';
import type { Feed } from './event-stream.ts';
import { sseFrame } from './sse-frame.ts';

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
