import { createHash } from 'node:crypto';
import type { SpeechProbabilities } from './silero-vad.ts';
import { BYTES_PER_SAMPLE, FRAME_SAMPLES, type SampleSpan, SpeechSegmenter } from './speech-segmenter.ts';

const FULL_SCALE = 32_768;

export interface MeasuredSpeech {
  readonly samples: number;
  /** SHA-256 of the measured bytes. */
  readonly sha256: string;
  readonly spans: readonly SampleSpan[];
}

/** Measures one signal (s16le mono at 16 kHz) as its bytes arrive; holds one frame, however long the signal is. */
export class SpeechStream {
  readonly #probabilities: SpeechProbabilities;
  readonly #segmenter = new SpeechSegmenter();
  readonly #hash = createHash('sha256');
  readonly #frame = new Float32Array(FRAME_SAMPLES);
  #filled = 0;
  #samples = 0;
  #rest: Buffer = Buffer.alloc(0);

  constructor(probabilities: SpeechProbabilities) {
    this.#probabilities = probabilities;
  }

  /** Chunks may end inside a sample. To be awaited before the next call. */
  async write(chunk: Buffer): Promise<void> {
    this.#hash.update(chunk);
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const whole = bytes.length - (bytes.length % BYTES_PER_SAMPLE);
    for (let at = 0; at < whole; at += BYTES_PER_SAMPLE) {
      this.#frame[this.#filled++] = bytes.readInt16LE(at) / FULL_SCALE;
      if (this.#filled === FRAME_SAMPLES) await this.#measure();
    }
    this.#rest = bytes.subarray(whole);
  }

  /** A last frame that is not full is filled up with silence; windows end at the last real sample. */
  async finish(): Promise<MeasuredSpeech> {
    const rest = this.#filled;
    if (rest > 0) {
      this.#frame.fill(0, rest);
      await this.#measure();
      this.#samples -= FRAME_SAMPLES - rest;
    }
    return {
      samples: this.#samples,
      sha256: this.#hash.digest('hex'),
      spans: this.#segmenter.finish(this.#samples),
    };
  }

  async #measure(): Promise<void> {
    this.#segmenter.push(await this.#probabilities.next(this.#frame));
    this.#samples += FRAME_SAMPLES;
    this.#filled = 0;
  }
}
