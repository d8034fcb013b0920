import { decibels, gainOf, meanPower, samplesIn, scaled } from './samples.ts';

/** Speech without a pause: its samples, with a little of the quiet before and after it. */
export interface SpokenRun {
  readonly samples: Float32Array;
  /** Bounds of the speech in the samples, in ms. */
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Speech in a clean recording is everything from the first to the last loud 10 ms. This must be certain, or the recording
 * is left out. The sound around the speech is much softer, and no pause has a doubtful length.
 */
const rule = {
  windowMs: 10,
  stepMs: 5,
  quietShare: 0.9,
  leastPauseMs: 400,
  doubtfulPauseMs: 200,
  leastMs: 200,
  mostMs: 9000,
  marginMs: 10,
} as const;

/** Levels of speech: how far below the loudest moment it may be, and how much softer the sound around it must be. */
interface EdgeRule {
  /** From the levels in dB, in rising order; null if the recording is too noisy. */
  readonly belowLoudestDb: (levels: readonly number[]) => number | null;
  readonly clearDb: number;
}

export const plainEdges: EdgeRule = { belowLoudestDb: () => 35, clearDb: 5 };

/** Many recordings are noisy: their speech begins where it rises above the noise, 22 to 35 dB below the loudest moment. */
export const noisyEdges: EdgeRule = {
  belowLoudestDb: (levels) => {
    const noise = levels[Math.floor(levels.length * 0.1)] ?? 0;
    const below = Math.min(35, (levels.at(-1) ?? 0) - noise - 8);
    return below < 22 ? null : below;
  },
  clearDb: 4,
};

/** The runs of a clean recording, in order; empty if its edges are doubtful. */
export function spokenRuns(samples: Float32Array, edges: EdgeRule = plainEdges): SpokenRun[] {
  const { windowMs, stepMs } = rule;
  const levels: number[] = [];
  for (let at = 0; at + samplesIn(windowMs) <= samples.length; at += samplesIn(stepMs)) {
    levels.push(decibels(meanPower(samples, at, at + samplesIn(windowMs))));
  }
  const loudest = Math.max(...levels);
  const belowLoudestDb = edges.belowLoudestDb([...levels].sort((one, other) => one - other));
  if (belowLoudestDb === null) return [];
  const isLoud = levels.map((level) => level >= loudest - belowLoudestDb);
  const loud = isLoud.flatMap((is, at) => (is ? [at] : []));
  const pauses = loud.slice(1).map((at, index) => (at - (loud[index] ?? at)) * stepMs);
  if (pauses.some((ms) => ms >= rule.doubtfulPauseMs && ms < rule.leastPauseMs)) return [];
  const starts = loud.filter((_, index) => index === 0 || (pauses[index - 1] ?? 0) >= rule.leastPauseMs);
  const ends = loud.filter((_, index) => index === loud.length - 1 || (pauses[index] ?? 0) >= rule.leastPauseMs);
  const spans = starts.map((from, index) => ({ from, to: ends[index] ?? from }));
  const quiet = levels
    .filter((_, at) => !spans.some(({ from, to }) => at >= from - 4 && at <= to + 4))
    .sort((one, other) => one - other);
  const still = quiet[Math.floor(rule.quietShare * quiet.length)];
  if (still === undefined || still > loudest - (belowLoudestDb + edges.clearDb)) return [];
  const runs = spans.map(({ from, to }) => runIn(samples, from * stepMs + windowMs / 2, to * stepMs + windowMs / 2));
  return runs.some((run) => run === null) ? [] : runs.flatMap((run) => run ?? []);
}

/** Null if the run is too short or too long, or too close to an end of the recording. */
function runIn(samples: Float32Array, startMs: number, endMs: number): SpokenRun | null {
  const { marginMs, leastMs, mostMs } = rule;
  const [from, to] = [samplesIn(startMs - marginMs), samplesIn(endMs + marginMs)];
  if (from < 0 || to > samples.length || endMs - startMs < leastMs || endMs - startMs > mostMs) return null;
  return { samples: samples.slice(from, to), startMs: marginMs, endMs: marginMs + endMs - startMs };
}

/** The level of speech that is built, and the highest sample: a recording with higher peaks stays quieter. */
export const speechDbfs = -26;
const highestPeak = 0.9;

/** A run as loud as the others. */
export function levelled({ samples, startMs, endMs }: SpokenRun): SpokenRun {
  const gain = gainOf(speechDbfs) / Math.sqrt(meanPower(samples, samplesIn(startMs), samplesIn(endMs)));
  const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  return { samples: scaled(samples, Math.min(gain, highestPeak / peak)), startMs, endMs };
}
