import type { Recorder } from './recorder.ts';

/** The needs of a walk beside a host. */
export interface WalkOptions {
  readonly recorder: Recorder;
  /** The bytes of a small file. */
  readonly media: Uint8Array<ArrayBuffer>;
  /** The address of a video. */
  readonly videoUrl: string;
  readonly reviewerId: string;
  /** An origin that the host allows. */
  readonly origin: string;
}

/** A part of an answer that the run needs. Throws with `what` if it is missing. */
export function present<Value>(value: Value | null | undefined, what: string): Value {
  if (value === null || value === undefined) throw new Error(`the run has no ${what}`);
  return value;
}
