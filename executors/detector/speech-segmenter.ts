/** The published rule of Silero VAD; thresholds are probabilities, the rest is milliseconds. */
export const SPEECH_RULE = {
  onThreshold: 0.5,
  offThreshold: 0.35,
  minSpeechMs: 250,
  minSilenceMs: 300,
  padMs: 30,
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

const samples = (ms: number): number => ms * SAMPLES_PER_MS;

/**
 * Turns one speech probability per frame into windows of speech, frame after frame, by Silero's `get_speech_timestamps`:
 * speech opens at the on-threshold, closes once the probability has stayed below the off-threshold for the
 * least silence, and is dropped when shorter than the least speech.
 */
export class SpeechSegmenter {
  readonly #spans: SampleSpan[] = [];
  #position = 0;
  #openedAt: number | null = null;
  #quietSince: number | null = null;

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

  /** All windows, padded; `total` is the number of samples measured, which ends a window still open. */
  finish(total: number): SampleSpan[] {
    if (this.#openedAt !== null) this.#close(this.#openedAt, total);
    return padded(this.#spans, total);
  }

  #close(start: number, end: number): void {
    if (end - start >= samples(SPEECH_RULE.minSpeechMs)) this.#spans.push({ start, end });
    this.#openedAt = null;
    this.#quietSince = null;
  }
}

/** Widens every window by the padding, or by half the gap where two windows are closer than both paddings. */
function padded(spans: readonly SampleSpan[], total: number): SampleSpan[] {
  const padding = samples(SPEECH_RULE.padMs);
  const room = (gap: number) => (gap < 2 * padding ? Math.floor(gap / 2) : padding);
  return spans.map(({ start, end }, index) => {
    const before = spans[index - 1];
    const after = spans[index + 1];
    return {
      start: before === undefined ? Math.max(0, start - padding) : start - room(start - before.end),
      end: after === undefined ? Math.min(total, end + padding) : end + room(after.start - end),
    };
  });
}
