import type { Range } from '../contract/base/grammar.ts';
import type { StoredObject } from '../contract/base/stored-object.ts';
import type { TruePeakFact } from '../contract/evidence/evidence.ts';
import type { FrameMetadata } from './pictures/frames.ts';
import type { PictureArea } from './pictures/picture-area.ts';
import type { SmallPicture } from './pictures/small-picture.ts';

/** Takes an object that a fact is going to name; on disk when it resolves. */
export type KeepObject = (object: StoredObject) => Promise<void>;

/** The findings of one kind that others need, as soon as they are made. */
export interface Announcements {
  /** The part of this picture and the next ones that is within black bars. */
  area(area: PictureArea): void;
  /** A shot begins at `atMs`. */
  cut(atMs: number): void;
  /** Other light for a moment. */
  flash(span: Range): void;
  /** The highest true peak of the range, if it is too high. */
  truePeak(found: readonly TruePeakFact[]): void;
}

/** The part of a range that a meter measures. */
export interface MeteredPart {
  readonly range: Range;
  /** The part that is decoded at once: the range, or one of several windows. */
  readonly window: Range;
  /** True if the range is decoded at once: nothing is kept on the way. */
  readonly isWhole: boolean;
  /** The source time of tick 0. */
  readonly seekMs: number;
  /** The time when the sound at 48 kHz begins, which is before the window. */
  readonly loudnessFromMs: number;
  readonly keep: KeepObject;
  readonly announce: Announcements;
}

/**
 * Measures a range as it comes, and has what it found at the end. It takes what it has a method for: an input that no meter takes
 * costs nothing. Inputs come in the order of time, and meters are called in the order of the list of kinds. Takes no longer than
 * decoding allows; what it keeps of a long range is small.
 */
export interface Meter<Fact = unknown, State = unknown> {
  /** A small picture of the part; also those right before and behind the range, to compare with. */
  picture?(picture: SmallPicture): void;
  /** The output of the filters of its branch about a frame. */
  frame?(frame: FrameMetadata): void;
  /** Bytes of its branch, if that is written. */
  write?(chunk: Buffer): void | Promise<void>;
  /** The sound in all signals (s16le at 16 kHz, interleaved), in pieces of any size. */
  signals?(chunk: Buffer): void;
  /** The sound of up to three channels at its own rate, as an AU file in pieces of any size. */
  ownRate?(chunk: Buffer): void;
  /** All channels at 48 kHz from `loudnessFromMs` on, in floating-point numbers, as an AU file in pieces of any size. */
  peaks?(chunk: Buffer): void;
  /** The announcements of other kinds. */
  area?(area: PictureArea): void;
  cut?(atMs: number): void;
  flash?(span: Range): void;
  truePeak?(found: readonly TruePeakFact[]): void;
  /** The state that the next window goes on from. Nothing comes any more of this one. */
  save(): State | Promise<State>;
  /** The range is over. Resolves when all that facts name is kept. */
  end?(): void | Promise<void>;
  /** The objects that facts name so far. */
  named?(): readonly { readonly contentId: string; readonly bytes: number }[];
  /** After the end: all that was found. Asked only if the range has pictures, or sound. */
  facts(): readonly Fact[];
}

/** The place of a window on the time line of its filters. */
export interface BranchWindow {
  readonly range: Range;
  readonly window: Range;
  /** The source time of the zero of ffmpeg's times. */
  readonly seekMs: number;
}

/**
 * The own part of a kind in the filter graph of ffmpeg, as data. For pictures it is a branch of its own, behind the decoder. For sound
 * it is a part of the chain at 48 kHz, and must hand the sound on as it is.
 */
export interface Branch<State = unknown> {
  /** The filters; their metadata of each frame comes to the meter. `from` is the state of the window before. */
  filters(window: BranchWindow, from: State | null): string;
  /** How its pictures are written, as options of an output of ffmpeg. Without it only the metadata comes to the meter. */
  readonly output?: readonly string[];
}
