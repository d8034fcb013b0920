import { createHash } from 'node:crypto';
import { BLOCK_SAMPLES, channelsApart } from './apart-channels.ts';
import { type FoundSilences, findSilences } from './silences.ts';
import type { SpeechModel, SpeechProbabilities } from './silero-vad.ts';
import { SoundLevels } from './sound-levels.ts';
import { BYTES_PER_INSTANT, MIX, newBlock, SIGNALS, type SignalBlock, sampleAt, signalOf } from './sound-signals.ts';
import {
  BYTES_PER_SAMPLE,
  FRAME_SAMPLES,
  SAMPLES_PER_MS,
  type SampleSpan,
  SpeechSegmenter,
} from './speech-segmenter.ts';

const FULL_SCALE = 32_768;

export interface MeasuredSound {
  readonly samples: number;
  /** SHA-256 of the bytes of the mix. */
  readonly sha256: string;
  readonly speech: readonly SampleSpan[];
  /** The channels that were measured beside the mix (places among the signals), and for how long. */
  readonly apart: { readonly channels: readonly number[]; readonly ms: number };
  readonly silences: FoundSilences;
}

/**
 * Measures one sound (all signals at 16 kHz, s16le, interleaved) as its bytes arrive; holds two blocks of samples, and a byte
 * for each millisecond, however long the sound is.
 *
 * Speech is what the mix makes probable, or any of the channels that have to be measured beside it.
 */
export class SoundStream {
  readonly #model: SpeechModel;
  readonly #segmenter = new SpeechSegmenter();
  readonly #levels = new SoundLevels();
  readonly #hash = createHash('sha256');
  #block: SignalBlock = newBlock(BLOCK_SAMPLES);
  #before: SignalBlock | null = null;
  #followed: ReadonlyMap<number, SpeechProbabilities> = new Map();
  #filled = 0;
  #samples = 0;
  readonly #apart = new Set<number>();
  #apartSamples = 0;
  #rest: Buffer = Buffer.alloc(0);

  constructor(model: SpeechModel) {
    this.#model = model;
  }

  /** Chunks may end inside a sample. To be awaited before the next call. */
  async write(chunk: Buffer): Promise<void> {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const whole = bytes.length - (bytes.length % BYTES_PER_INSTANT);
    const mix = Buffer.allocUnsafe(whole / SIGNALS.length);
    for (let at = 0; at < whole; ) {
      const end = Math.min(whole, at + (BLOCK_SAMPLES - this.#filled) * BYTES_PER_INSTANT);
      separate(bytes.subarray(at, end), this.#block, this.#filled, mix.subarray(at / SIGNALS.length));
      this.#filled += (end - at) / BYTES_PER_INSTANT;
      at = end;
      if (this.#filled === BLOCK_SAMPLES) await this.#measure();
    }
    this.#hash.update(mix);
    this.#rest = bytes.subarray(whole);
  }

  /** A last frame that is not full is filled up with silence; windows end at the last real sample. */
  async finish(): Promise<MeasuredSound> {
    if (this.#filled > 0) await this.#measure();
    return {
      samples: this.#samples,
      sha256: this.#hash.digest('hex'),
      speech: this.#segmenter.finish(this.#samples),
      apart: {
        channels: [...this.#apart].sort((one, other) => one - other),
        ms: Math.ceil(this.#apartSamples / SAMPLES_PER_MS),
      },
      silences: findSilences(this.#levels.finish()),
    };
  }

  async #measure(): Promise<void> {
    const [block, samples] = [this.#block, this.#filled];
    for (const signal of block) signal.fill(0, samples);
    this.#levels.add(block, samples);
    const channels = channelsApart(block, samples);
    for (const channel of channels) this.#apart.add(channel);
    if (channels.length > 0) this.#apartSamples += samples;
    for (const probability of await this.#probabilities([MIX, ...channels], samples)) this.#segmenter.push(probability);
    this.#samples += samples;
    this.#filled = 0;
    this.#block = this.#before ?? newBlock(BLOCK_SAMPLES);
    this.#before = block;
  }

  /** For each frame of the block the highest probability among these signals. */
  async #probabilities(signals: readonly number[], samples: number): Promise<Float64Array> {
    const highest = new Float64Array(Math.ceil(samples / FRAME_SAMPLES));
    const followed = new Map<number, SpeechProbabilities>();
    for (const signal of signals) {
      const listener = this.#followed.get(signal) ?? (await this.#begin(signal));
      followed.set(signal, listener);
      for (const [frame, known] of highest.entries()) {
        highest[frame] = Math.max(known, await listener.next(frameOf(this.#block, signal, frame)));
      }
    }
    this.#followed = followed;
    return highest;
  }

  /** The model has a memory: a channel that was not followed is followed through the block before first. */
  async #begin(signal: number): Promise<SpeechProbabilities> {
    const listener = this.#model.follow();
    const before = this.#before;
    for (let frame = 0; before !== null && frame < BLOCK_SAMPLES / FRAME_SAMPLES; frame += 1) {
      await listener.next(frameOf(before, signal, frame));
    }
    return listener;
  }
}

const frameOf = (block: SignalBlock, signal: number, frame: number): Float32Array =>
  signalOf(block, signal).subarray(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES);

/** Puts interleaved samples into a block from a place on, and the bytes of the mix alone into `mix`. */
function separate(bytes: Buffer, block: SignalBlock, from: number, mix: Buffer): void {
  const signals = SIGNALS.map((_name, at) => signalOf(block, at));
  for (const [place, signal] of signals.entries()) {
    let to = from;
    for (let at = place * BYTES_PER_SAMPLE; at < bytes.length; at += BYTES_PER_INSTANT) {
      signal[to++] = sampleAt(bytes, at) / FULL_SCALE;
    }
  }
  for (let at = 0, to = 0; at < bytes.length; at += BYTES_PER_INSTANT, to += BYTES_PER_SAMPLE) {
    mix[to] = bytes[at] ?? 0;
    mix[to + 1] = bytes[at + 1] ?? 0;
  }
}
