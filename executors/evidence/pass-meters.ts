import { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import type { WaveformFact } from '../../contract/evidence/evidence-object.ts';
import type { SoundFaultFact } from '../../contract/evidence/sound-fault.ts';
import type { KeptSound, SoundJob, SoundResult } from '../detector/sound-job.ts';
import { packedBytes } from '../pictures/packed-bytes.ts';
import type { SmallPicture } from '../pictures/small-picture.ts';
import { ChannelFaults, channelFaultsState } from './channel-faults.ts';
import { Clipping, clippingState } from './clipping.ts';
import { BYTE_PIPES, loudnessFromOf, MEASURE_PIPES } from './decode-graph.ts';
import type { DecodeRequest } from './decode-request.ts';
import { type FrameMetadata, FrameMetadataReader } from './frame-metadata.ts';
import { GatedLoudness, gatedLoudnessState } from './gated-loudness.ts';
import { Interlacing, interlacingState } from './interlacing.ts';
import { Keyframes, keyframesState } from './keyframes.ts';
import { Letterbox, letterboxState } from './letterbox.ts';
import { Loudness, type LoudnessMeter } from './loudness.ts';
import { PictureFacts, pictureFactsState } from './picture-facts.ts';
import { PictureStream } from './picture-stream.ts';
import { Waveform, waveformState } from './waveform.ts';

/** Everything that a pass has measured up to the end of a window. */
export const passState = z.strictObject({
  sound: z.strictObject({ samples: z.number(), state: packedBytes, levels: packedBytes }).nullable(),
  pictures: pictureFactsState,
  keyframes: keyframesState,
  interlacing: interlacingState,
  letterbox: letterboxState,
  waveform: waveformState,
  channelFaults: channelFaultsState,
  clipping: clippingState,
  loudness: gatedLoudnessState,
});
export type PassState = z.infer<typeof passState>;

/** The part of a range that is decoded at once: all of it, or one of several windows. */
export interface PassPart {
  readonly window: Range;
  /** What was measured before the window; null at the start of the range. */
  readonly from: PassState | null;
  readonly isLast: boolean;
}

/** What one pass has measured, on the source's own time line. `sound` is null without an audio track. */
export interface PassMeasurements {
  readonly sound: SoundResult | null;
  readonly loudness: LoudnessMeter;
  readonly pictures: PictureFacts;
  readonly keyframes: Keyframes;
  readonly interlacing: Interlacing;
  readonly letterbox: Letterbox;
  /** Null where there is no sound in the range. */
  readonly waveform: WaveformFact | null;
  readonly soundFaults: readonly SoundFaultFact[];
}

/** All that measures what one ffmpeg writes. */
export class PassMeters {
  readonly #request: DecodeRequest;
  readonly #part: PassPart;
  readonly #loudness: Loudness | GatedLoudness;
  readonly #pictures: PictureFacts;
  readonly #stream: PictureStream;
  readonly #interlacing: Interlacing;
  readonly #letterbox: Letterbox;
  readonly #measures: readonly FrameMetadataReader[];
  readonly keyframes: Keyframes;
  readonly waveform: Waveform;
  readonly channelFaults: ChannelFaults;
  readonly clipping: Clipping;
  /** When the first picture was shown that came. */
  #firstMs = Number.POSITIVE_INFINITY;

  constructor(request: DecodeRequest, part: PassPart, seekMs: number) {
    const { range, keep } = request;
    const { window, from } = part;
    this.#request = request;
    this.#part = part;
    this.keyframes = new Keyframes(range, seekMs, keep, from?.keyframes);
    this.#pictures = new PictureFacts(range, this.keyframes, from?.pictures);
    this.#interlacing = new Interlacing(range, seekMs, window, from?.interlacing);
    this.#letterbox = new Letterbox(range, seekMs, from?.letterbox);
    this.waveform = new Waveform(range, from?.waveform);
    this.channelFaults = new ChannelFaults(range, from?.channelFaults);
    this.clipping = new Clipping(range, from?.clipping, window.startMs);
    this.#loudness =
      from === null && part.isLast
        ? new Loudness()
        : new GatedLoudness(loudnessFromOf(window, range), window.startMs, from?.loudness ?? null);
    this.#stream = new PictureStream(seekMs, (picture) => this.#picture(picture));
    const taken = {
      times: (frame: FrameMetadata) => this.#stream.addTime(frame),
      loudness: (frame: FrameMetadata) => this.#loudness.add(frame),
      candidateTimes: (frame: FrameMetadata) => this.keyframes.addTime(frame),
      fields: (frame: FrameMetadata) => this.#interlacing.add(frame),
      bars: (frame: FrameMetadata) => this.#letterbox.add(frame),
    };
    this.#measures = MEASURE_PIPES.map((name) => new FrameMetadataReader(taken[name]));
  }

  /** What reads each extra pipe, in their order. */
  get readers(): readonly (FrameMetadataReader | PictureStream | Keyframes | Clipping)[] {
    const written = { pixels: this.#stream, candidates: this.keyframes, ownRate: this.clipping };
    return [...this.#measures, ...BYTE_PIPES.map((name) => written[name])];
  }

  /** Whether pictures came from before the window on: only then is it sure that none of it is missing. */
  get beganBefore(): boolean {
    return this.#firstMs < this.#part.window.startMs;
  }

  /** What the range has come to. Only a pass that ended well has written its last lines whole. */
  async end(job: SoundJob | null): Promise<PassMeasurements> {
    const { range, keep } = this.#request;
    this.#endStreams();
    this.#pictures.end();
    this.#letterbox.end();
    await this.keyframes.end();
    const waveform = await this.waveform.end(keep);
    const loudness = this.#loudness;
    const soundFaults = [...this.clipping.facts(), ...this.channelFaults.facts(), ...loudness.overPeak(range)];
    const sound = job === null ? null : await job.result;
    const ofPictures = { pictures: this.#pictures, keyframes: this.keyframes };
    const forms = { interlacing: this.#interlacing, letterbox: this.#letterbox };
    return { sound, ...ofPictures, ...forms, waveform, soundFaults, loudness };
  }

  /** What the next window goes on from. */
  async save(sound: KeptSound | null): Promise<PassState> {
    if (!(this.#loudness instanceof GatedLoudness)) throw new Error('a pass that goes by no windows');
    this.#endStreams();
    return {
      sound,
      pictures: this.#pictures.save(),
      keyframes: await this.keyframes.save(),
      interlacing: this.#interlacing.save(),
      letterbox: this.#letterbox.save(),
      waveform: this.waveform.save(),
      channelFaults: this.channelFaults.save(),
      clipping: this.clipping.save(),
      loudness: this.#loudness.save(),
    };
  }

  #endStreams(): void {
    for (const measure of this.#measures) measure.end();
    this.#stream.end();
  }

  #picture(picture: SmallPicture): void {
    const { window, from, isLast } = this.#part;
    const { range, audioTrackIndex, decoded } = this.#request;
    this.#firstMs = Math.min(this.#firstMs, picture.atMs);
    const isBefore = from !== null && picture.atMs < window.startMs;
    if (isBefore || (!isLast && picture.atMs >= window.endMs)) return;
    this.#pictures.add(picture);
    // Sound counts most evenly; a range without it is counted by its pictures.
    if (audioTrackIndex === null) decoded?.(Math.max(0, picture.atMs - range.startMs));
  }
}
