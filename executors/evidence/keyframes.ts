import { createHash } from 'node:crypto';
import type { Range } from '../../contract/base/grammar.ts';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import type { KeyframeFact } from '../../contract/evidence/evidence-object.ts';
import { type ChosenKeyframe, KeyframeFinder } from '../pictures/keyframe-finder.ts';
import type { FrameMetadata } from './frame-metadata.ts';
import { JpegStream, jpegSize } from './jpeg-stream.ts';

/** Takes an object that a fact is going to name; on disk when it resolves. */
export type KeepObject = (object: StoredObject) => Promise<void>;

/** Collects the keyframes of a range: gives each to `keep` as soon as it is chosen, and holds its fact alone. */
export class Keyframes {
  readonly #facts: KeyframeFact[] = [];
  readonly #finder: KeyframeFinder;
  readonly #stream: JpegStream;
  readonly #keep: KeepObject;
  #kept: Promise<void> = Promise.resolve();

  /** `seekMs` is the source time of tick 0. */
  constructor(range: Range, seekMs: number, keep: KeepObject) {
    this.#keep = keep;
    this.#finder = new KeyframeFinder(range, (keyframe) => this.#add(keyframe));
    this.#stream = new JpegStream(seekMs, (atMs, jpeg) => this.#finder.candidate({ atMs, jpeg }));
  }

  addTime(frame: FrameMetadata): void {
    this.#stream.addTime(frame);
  }

  /** Takes candidates in pieces of any size; resolves when there is room for more. */
  async write(chunk: Buffer): Promise<void> {
    await this.#stream.write(chunk);
    await this.#kept;
  }

  /** A shot begins at `atMs`. */
  cut(atMs: number): void {
    this.#finder.cut(atMs);
  }

  /** No cut before `atMs` is still to come. */
  decided(atMs: number): void {
    this.#finder.decided(atMs);
  }

  /** Nothing comes any more; resolves when every keyframe is kept. */
  async end(): Promise<void> {
    this.#stream.end();
    this.#finder.end();
    await this.#kept;
  }

  facts(): readonly KeyframeFact[] {
    return this.#facts;
  }

  #add({ startMs, endMs, atMs, jpeg }: ChosenKeyframe): void {
    const contentId = `sha256:${createHash('sha256').update(jpeg).digest('hex')}`;
    const index = this.#facts.length;
    const size = jpegSize(jpeg);
    this.#facts.push({ kind: 'keyframe', index, startMs, endMs, atMs, ...size, contentId, bytes: jpeg.length });
    this.#kept = this.#kept.then(() => this.#keep({ contentId, bytes: jpeg }));
    // The next write, or the end, is told.
    this.#kept.catch(() => undefined);
  }
}
