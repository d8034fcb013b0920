/**
 * The published rule of Silero VAD, without its padding and with lower thresholds: the model gets sound without its noise
 * (`noise-suppressor.ts`), where little but speech is probable. Thresholds are probabilities, the rest is milliseconds.
 */
export const SPEECH_RULE = {
  onThreshold: 0.35,
  offThreshold: 0.2,
  minSpeechMs: 250,
  minSilenceMs: 300,
} as const;

/** Speech is measured on signed 16-bit samples at this rate, one channel, in frames of a fixed length. */
export const SAMPLE_RATE = 16_000;
export const BYTES_PER_SAMPLE = 2;
export const SAMPLES_PER_MS = SAMPLE_RATE / 1000;
export const FRAME_SAMPLES = 512;

/** A half-open run of samples, counted from the first sample that was measured. */
export interface SampleSpan {
  readonly start: number;
  readonly end: number;
}

/** A segmenter as it is kept between two windows of a pass. */
export interface SegmenterState {
  readonly spans: SampleSpan[];
  readonly position: number;
  readonly openedAt: number | null;
  readonly quietSince: number | null;
}

const samples = (ms: number): number => ms * SAMPLES_PER_MS;

/**
 * Turns one speech probability per frame into windows of speech, frame after frame, by Silero's `get_speech_timestamps`:
 * speech opens at the on-threshold, closes once the probability has stayed below the off-threshold for the
 * least silence, and is dropped when shorter than the least speech.
 */
export class SpeechSegmenter {
  readonly #spans: SampleSpan[];
  #position: number;
  #openedAt: number | null;
  #quietSince: number | null;

  constructor(from: SegmenterState | null = null) {
    this.#spans = from?.spans ?? [];
    this.#position = from?.position ?? 0;
    this.#openedAt = from?.openedAt ?? null;
    this.#quietSince = from?.quietSince ?? null;
  }

  save(): SegmenterState {
    const spans = this.#spans.map(({ start, end }) => ({ start, end }));
    return { spans, position: this.#position, openedAt: this.#openedAt, quietSince: this.#quietSince };
  }

  /** The probability of the next frame of 512 samples. */
  push(probability: number): void {
    const here = this.#position;
    this.#position += FRAME_SAMPLES;
    if (probability >= SPEECH_RULE.onThreshold) {
      this.#quietSince = null;
      this.#openedAt ??= here;
    } else if (probability < SPEECH_RULE.offThreshold && this.#openedAt !== null) {
      this.#quietSince ??= here;
      if (here - this.#quietSince >= samples(SPEECH_RULE.minSilenceMs)) this.#close(this.#openedAt, this.#quietSince);
    }
  }

  /** All windows; `total` is the number of samples measured, which ends a window still open. */
  finish(total: number): readonly SampleSpan[] {
    if (this.#openedAt !== null) this.#close(this.#openedAt, total);
    return this.#spans;
  }

  #close(start: number, end: number): void {
    if (end - start >= samples(SPEECH_RULE.minSpeechMs)) this.#spans.push({ start, end });
    this.#openedAt = null;
    this.#quietSince = null;
  }
}
