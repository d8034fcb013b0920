import { bytesOfFloats, floatsOfBytes } from '../../kinds/packed-numbers.ts';
import type { FoundSpeech } from '../../kinds/sound/sound-result.ts';
import { BLOCK_SAMPLES, MIX, SAMPLES_PER_MS, type SampleSpan } from '../../kinds/sound/sound-signals.ts';
import { BAND_RULE, SPEECH_RULE, STEP_SAMPLES } from '../../kinds/sound/speech-rule.ts';
import { type BoundaryModel, CONTEXT_STEPS, type SignalTrack } from './boundary-model.ts';

const BLOCK_STEPS = BLOCK_SAMPLES / STEP_SAMPLES;
const CONTEXT_BLOCKS = Math.ceil(CONTEXT_STEPS / BLOCK_STEPS);
// Blocks that are judged together: the more, the less is computed twice, and the more is kept.
const CHUNK_BLOCKS = 32;

/** A track of each signal that was followed through a block, by its place among the signals; always of the mix. */
export type BlockTracks = ReadonlyMap<number, SignalTrack>;

/** A track as it is kept between two windows of a pass. */
export interface TrackState {
  /** Of each block: signal, levels and estimates. */
  readonly blocks: readonly (readonly (readonly [number, Uint8Array, Uint8Array])[])[];
  /** How many of these blocks are judged already. */
  readonly judged: number;
  readonly probabilities: Uint8Array;
  readonly estimates: Uint8Array;
  readonly steadiness: Uint8Array;
}

/**
 * The probability of speech at each step of a sound, a byte each, in steps of 1/255. One array is by the boundary model, the
 * other by the first model. The third has the steadiness of the harmonics, in the same steps.
 */
export interface SpeechProbabilities {
  readonly probabilities: Uint8Array;
  readonly estimates: Uint8Array;
  readonly steadiness: Uint8Array;
}

/**
 * How probable speech is at each step of a sound: the highest probability among its signals. Blocks are judged when enough
 * behind them is known; a signal that was not followed through a block is like the mix there.
 */
export class SpeechTrack {
  readonly #model: BoundaryModel;
  #blocks: BlockTracks[];
  #judged: number;
  readonly #probabilities: Uint8Array[];
  readonly #estimates: Uint8Array[];
  readonly #steadiness: Uint8Array[];

  constructor(model: BoundaryModel, from: TrackState | null = null) {
    this.#model = model;
    this.#blocks = (from?.blocks ?? []).map(
      (block) =>
        new Map(
          block.map(([signal, levels, estimate]) => [
            signal,
            { levels: floatsOfBytes(levels), estimate: floatsOfBytes(estimate) },
          ]),
        ),
    );
    this.#judged = from?.judged ?? 0;
    this.#probabilities = from === null ? [] : [from.probabilities];
    this.#estimates = from === null ? [] : [from.estimates];
    this.#steadiness = from === null ? [] : [from.steadiness];
  }

  save(): TrackState {
    const blocks = this.#blocks.map((block) =>
      [...block].map(
        ([signal, { levels, estimate }]) => [signal, bytesOfFloats(levels), bytesOfFloats(estimate)] as const,
      ),
    );
    return { blocks, judged: this.#judged, ...this.#known() };
  }

  /** Takes the tracks of the next block, and the steadiness of its steps (0 to 1). To be awaited before the next call. */
  async push(block: BlockTracks, steadiness: Float32Array): Promise<void> {
    this.#blocks.push(block);
    this.#steadiness.push(Uint8Array.from(steadiness, (each) => Math.round(PROBABILITY_STEPS * each)));
    if (this.#blocks.length < this.#judged + CHUNK_BLOCKS + CONTEXT_BLOCKS) return;
    await this.#judge(CHUNK_BLOCKS * BLOCK_STEPS, this.#blocks.length * BLOCK_STEPS);
    const judged = this.#judged + CHUNK_BLOCKS;
    this.#judged = Math.min(judged, CONTEXT_BLOCKS);
    this.#blocks = this.#blocks.slice(judged - this.#judged);
  }

  /** All probabilities of a sound with so many samples. Nothing is pushed any more. */
  async finish(samples: number): Promise<SpeechProbabilities> {
    const judged = this.#probabilities.reduce((sum, { length }) => sum + length, 0);
    const left = Math.ceil(samples / STEP_SAMPLES) - judged;
    if (left > 0) await this.#judge(left, this.#judged * BLOCK_STEPS + left);
    const { steadiness, ...known } = this.#known();
    return { ...known, steadiness: steadiness.subarray(0, known.probabilities.length) };
  }

  #known(): SpeechProbabilities {
    const whole = (parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts);
    return {
      probabilities: whole(this.#probabilities),
      estimates: whole(this.#estimates),
      steadiness: whole(this.#steadiness),
    };
  }

  /** Judges so many steps behind what is judged; the model sees the first `seen` steps that are kept. */
  async #judge(steps: number, seen: number): Promise<void> {
    const signals = new Set(this.#blocks.flatMap((block) => [...block.keys()]));
    const tracks = [...signals].map((signal) => this.#trackOf(signal, seen));
    const found = await this.#model.probabilities(tracks);
    const from = this.#judged * BLOCK_STEPS;
    const highest = (of: readonly Float32Array[]): Uint8Array =>
      Uint8Array.from({ length: steps }, (_, at) =>
        Math.round(PROBABILITY_STEPS * Math.max(...of.map((track) => track[from + at] ?? 0))),
      );
    this.#probabilities.push(highest(found));
    this.#estimates.push(highest(tracks.map(({ estimate }) => estimate)));
  }

  #trackOf(signal: number, steps: number): SignalTrack {
    const { bands } = BAND_RULE;
    const levels = new Float32Array(this.#blocks.length * BLOCK_STEPS * bands);
    const estimate = new Float32Array(this.#blocks.length * BLOCK_STEPS);
    for (const [at, block] of this.#blocks.entries()) {
      const known = block.get(signal) ?? block.get(MIX);
      levels.set(known?.levels ?? [], at * BLOCK_STEPS * bands);
      estimate.set(known?.estimate ?? [], at * BLOCK_STEPS);
    }
    return { levels: levels.subarray(0, steps * bands), estimate: estimate.subarray(0, steps) };
  }
}

/** A probability is kept as a byte: so many steps from 0 to 1. */
export const PROBABILITY_STEPS = 255;

const { onThreshold, edgeThreshold } = SPEECH_RULE;
const samples = (ms: number): number => ms * SAMPLES_PER_MS;

/**
 * Windows of speech from the probability of speech at every step of a sound that is `total` samples long. Edges lie between two steps,
 * where a straight line through their probabilities crosses the threshold.
 */
export function speechWindows(sound: SpeechProbabilities, total: number): FoundSpeech {
  const joined: SampleSpan[] = [];
  for (const span of probableSpans(sound.probabilities, total)) {
    const last = joined.at(-1);
    if (last === undefined || span.start - last.end >= samples(SPEECH_RULE.minSilenceMs)) joined.push(span);
    else joined[joined.length - 1] = { start: last.start, end: span.end };
  }
  const long = joined.filter(({ start, end }) => end - start >= samples(SPEECH_RULE.minSpeechMs));
  const possible = long.filter((span) => isPossible(sound, span));
  const certain = possible.filter(
    (span, at) =>
      !isSteady(sound, span) &&
      (isCertain(sound, span) || isNear(span, [possible[at - 1], possible[at + 1]], SPEECH_RULE.pairMs)),
  );
  let reached = 0;
  const speech = new Set(
    possible.filter((span) => {
      while ((certain[reached]?.end ?? total) < span.start - samples(SPEECH_RULE.nearMs)) reached += 1;
      // A certain window is near itself.
      return isNear(span, [certain[reached]], SPEECH_RULE.nearMs);
    }),
  );
  return { speech: [...speech], unconfirmed: long.filter((span) => !speech.has(span)) };
}

/** True if one of the others begins or ends so near to a span. */
const isNear = (span: SampleSpan, others: readonly (SampleSpan | undefined)[], ms: number): boolean =>
  others.some(
    (other) => other !== undefined && other.start - span.end <= samples(ms) && span.start - other.end <= samples(ms),
  );

const lasts = ({ start, end }: SampleSpan, ms: number): boolean => end - start >= samples(ms);

/** True if both models find enough in a window for speech among speech. */
function isPossible(sound: SpeechProbabilities, span: SampleSpan): boolean {
  const { leastEstimate, leastContrast, leastLongMean } = SPEECH_RULE;
  return isEstimated(sound, span, leastEstimate) && isProbableOnTheWhole(sound, span, leastContrast, leastLongMean);
}

/** True if the harmonics of a window are as steady as those of notes. */
const isSteady = ({ steadiness }: SpeechProbabilities, span: SampleSpan): boolean =>
  meanOf(steadiness.subarray(...stepsOf(span))) > SPEECH_RULE.mostSteadiness;

/** True if a possible window without steady notes is speech wherever it is. */
function isCertain(sound: SpeechProbabilities, span: SampleSpan): boolean {
  const { phraseMs, leastPhraseEstimate, certainMs, certainContrast, certainLongMean } = SPEECH_RULE;
  if (lasts(span, phraseMs) && !isEstimated(sound, span, leastPhraseEstimate)) return false;
  return lasts(span, certainMs) || isProbableOnTheWhole(sound, span, certainContrast, certainLongMean);
}

/** True if the first model finds so much speech somewhere in a window. */
const isEstimated = ({ estimates }: SpeechProbabilities, span: SampleSpan, least: number): boolean =>
  estimates.subarray(...stepsOf(span)).some((each) => each >= least * PROBABILITY_STEPS);

/** True if a window is so far above what is beside it, or if a long one is so probable on the mean. */
function isProbableOnTheWhole(
  { probabilities }: SpeechProbabilities,
  span: SampleSpan,
  leastContrast: number,
  leastLongMean: number,
): boolean {
  const { longMs, besideMs } = SPEECH_RULE;
  const [from, to] = stepsOf(span);
  const mean = meanOf(probabilities.subarray(from, to));
  if (lasts(span, longMs)) return mean >= leastLongMean;
  const beside = samples(besideMs) / STEP_SAMPLES;
  const before = meanOf(probabilities.subarray(Math.max(0, from - beside), from));
  const behind = meanOf(probabilities.subarray(to, to + beside));
  return mean - (before + behind) / 2 >= leastContrast;
}

/** The steps that a span touches, half-open. */
const stepsOf = ({ start, end }: SampleSpan): [number, number] => [
  Math.floor(start / STEP_SAMPLES),
  Math.ceil(end / STEP_SAMPLES),
];

/** The mean probability of steps; 0 of none: the sound beyond its edges counts as silence. */
const meanOf = (steps: Uint8Array): number =>
  steps.reduce((sum, each) => sum + each, 0) / Math.max(1, steps.length) / PROBABILITY_STEPS;

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
