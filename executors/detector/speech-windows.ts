import { SAMPLES_PER_MS, type SampleSpan } from './sound-signals.ts';
import { STEP_SAMPLES } from './speech-bands.ts';

/**
 * When probable speech is a window of speech. Chosen on spoken words and phrases in nine voices under eight conditions, and reported
 * on others (docs/evaluation.md).
 */
export const SPEECH_RULE = {
  /** A window has a moment as probable as this, and reaches to where the probability falls below the edge. */
  onThreshold: 0.65,
  edgeThreshold: 0.4,
  /** Shorter pauses are speech, and what is shorter is no speech. */
  minSilenceMs: 300,
  minSpeechMs: 200,
} as const;

/** A probability is kept as a byte: so many steps from 0 to 1. */
export const PROBABILITY_STEPS = 255;

const { onThreshold, edgeThreshold } = SPEECH_RULE;
const samples = (ms: number): number => ms * SAMPLES_PER_MS;

/**
 * Windows of speech, ordered and disjoint, from the probability of speech at every step of a sound (in steps of 1/255) that is `total`
 * samples long. Edges lie between two steps, where a straight line through their probabilities crosses the threshold.
 */
export function speechWindows(probabilities: Uint8Array, total: number): SampleSpan[] {
  const joined: SampleSpan[] = [];
  for (const span of probableSpans(probabilities, total)) {
    const last = joined.at(-1);
    if (last === undefined || span.start - last.end >= samples(SPEECH_RULE.minSilenceMs)) joined.push(span);
    else joined[joined.length - 1] = { start: last.start, end: span.end };
  }
  return joined.filter(({ start, end }) => end - start >= samples(SPEECH_RULE.minSpeechMs));
}

/** Runs of steps above the edge threshold in which one step reaches the on-threshold. */
function* probableSpans(probabilities: Uint8Array, total: number): Generator<SampleSpan> {
  const steps = Math.ceil(total / STEP_SAMPLES);
  for (let from = 0; from < steps; from += 1) {
    if (at(probabilities, from) < edgeThreshold) continue;
    let to = from;
    let highest = 0;
    for (; to < steps && at(probabilities, to) >= edgeThreshold; to += 1)
      highest = Math.max(highest, at(probabilities, to));
    const start = from === 0 ? 0 : crossing(probabilities, from - 1);
    const end = to === steps ? total : crossing(probabilities, to - 1);
    if (highest >= onThreshold) yield { start, end: Math.min(end, total) };
    from = to;
  }
}

const at = (probabilities: Uint8Array, step: number): number => (probabilities[step] ?? 0) / PROBABILITY_STEPS;

/** The whole millisecond between a step and the next one at which the probability crosses the edge threshold, in samples. */
function crossing(probabilities: Uint8Array, step: number): number {
  const [before, behind] = [at(probabilities, step), at(probabilities, step + 1)];
  const crossed = (step + (edgeThreshold - before) / (behind - before)) * STEP_SAMPLES;
  return samples(Math.round(crossed / SAMPLES_PER_MS));
}
