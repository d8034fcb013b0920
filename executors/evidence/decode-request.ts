import type { Range } from '../../contract/base/grammar.ts';

/** What one pass is to decode: a file, a part of it, and its tracks by their index in the container. */
export interface DecodeRequest {
  readonly path: string;
  readonly range: Range;
  readonly audioTrackIndex: number | null;
  readonly videoTrackIndex: number | null;
  /** Told how much of the range was decoded so far, in ms. A pass that is begun again tells smaller numbers again. */
  readonly decoded?: (mediaMs: number) => void;
}
