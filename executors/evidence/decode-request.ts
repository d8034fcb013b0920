import type { Range } from '../../contract/base/grammar.ts';
import type { KeepObject } from './keyframes.ts';

/** A part of a file, and its tracks by their index in the container. */
export interface DecodedPart {
  readonly path: string;
  readonly range: Range;
  readonly audioTrackIndex: number | null;
  readonly videoTrackIndex: number | null;
}

/** Where a window of a pass begins and ends that its neighbours adjoin, in ms; the sound ends with the window itself. */
export interface WindowEdges {
  /** Loudness is measured of the last seconds: it begins earlier than the window. */
  readonly loudnessFromMs: number;
  /** No picture from here on. */
  readonly picturesUntilMs: number;
  /** The first candidate for a keyframe, which is a while behind the last one of the window before. */
  readonly candidatesFromMs: number;
  /** The first picture that is looked at for black bars, likewise. */
  readonly barsFromMs: number;
}

/** What the windows of a pass have measured up to a time. */
export interface KeptWindow {
  readonly endMs: number;
  readonly state: Uint8Array;
  /** The objects that were kept for facts so far. */
  readonly named: readonly StoredReference[];
}

/** An object by its content id and length. */
export interface StoredReference {
  readonly contentId: string;
  readonly bytes: number;
}

/** Keeps what a long pass has measured, window by window, so that a later one goes on behind the last. */
export interface PassWindows {
  /** How long a window is: whole seconds, in ms. */
  readonly lengthMs: number;
  /** The newest that is kept whole and ends at one of these times (ascending); null where none is. */
  newest(endsMs: readonly number[]): Promise<Pick<KeptWindow, 'endMs' | 'state'> | null>;
  /** On disk when it resolves. */
  keep(window: KeptWindow): Promise<void>;
}

/** What one pass is to decode. */
export interface DecodeRequest extends DecodedPart {
  /** Only a pass that goes by windows has them: it measures the same, and keeps what it has at the end of each. */
  readonly windows?: PassWindows;
  /** Takes what facts name. A pass that fails, or is begun again, may have given it objects that nothing names. */
  readonly keep: KeepObject;
  /** Told how much of the range was decoded so far, in ms; never less than before, whatever is decoded again. */
  readonly decoded?: (mediaMs: number) => void;
}
