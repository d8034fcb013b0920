import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import { type KeyframeFact, keyframeFact } from '../../contract/evidence/evidence-object.ts';
import { type ChosenKeyframe, KeyframeFinder, keyframeFinderState } from '../pictures/keyframe-finder.ts';
import type { FrameMetadata } from './frame-metadata.ts';
import { JpegStream, jpegSize } from './jpeg-stream.ts';

/** Takes an object that a fact is going to name; on disk when it resolves. */
export type KeepObject = (object: StoredObject) => Promise<void>;

/** Keyframes as they are kept between two windows of a pass; `lastMs` is the time of the last candidate. */
export const keyframesState = z.strictObject({
  facts: z.array(keyframeFact),
  finder: keyframeFinderState,
  lastMs: z.number().nullable(),
});
export type KeyframesState = z.infer<typeof keyframesState>;

/** Collects the keyframes of a range: gives each to `keep` as soon as it is chosen, and holds its fact alone. */
export class Keyframes {
  readonly #facts: KeyframeFact[];
  readonly #finder: KeyframeFinder;
  readonly #stream: JpegStream;
  readonly #keep: KeepObject;
  #kept: Promise<void> = Promise.resolve();
  #lastMs: number | null;

  /** `seekMs` is the source time of tick 0. */
  constructor(range: Range, seekMs: number, keep: KeepObject, from: KeyframesState | null = null) {
    this.#keep = keep;
    this.#facts = from?.facts ?? [];
    this.#lastMs = from?.lastMs ?? null;
    this.#finder = new KeyframeFinder(range, (keyframe) => this.#add(keyframe), from?.finder);
    this.#stream = new JpegStream(seekMs, (atMs, jpeg) => {
      this.#lastMs = atMs;
      this.#finder.candidate({ atMs, jpeg });
    });
  }

  /** Nothing comes any more of this window; resolves when every keyframe so far is kept. */
  async save(): Promise<KeyframesState> {
    this.#stream.end();
    await this.#kept;
    return { facts: this.#facts, finder: this.#finder.save(), lastMs: this.#lastMs };
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
