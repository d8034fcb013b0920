import type { Range } from '../../contract/base/grammar.ts';
import type { KeepObject } from './keyframes.ts';

/** A part of a file, and its tracks by their index in the container. */
export interface DecodedPart {
  readonly path: string;
  readonly range: Range;
  readonly audioTrackIndex: number | null;
  readonly videoTrackIndex: number | null;
}

/** What one pass is to decode. */
export interface DecodeRequest extends DecodedPart {
  /** Takes what facts name. A pass that fails, or is begun again, may have given it objects that nothing names. */
  readonly keep: KeepObject;
  /** Told how much of the range was decoded so far, in ms. A pass that is begun again tells smaller numbers again. */
  readonly decoded?: (mediaMs: number) => void;
}
