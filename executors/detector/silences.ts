import { dbfsOf, LEVEL_STEP_DB, LEVEL_WINDOW_MS, LOWEST_DBFS, powerOfLevel } from './sound-levels.ts';

/**
 * Silence is what is far below the programme, or hardly above the floor of its own noise.
 *
 * The programme's level is gated as loudness is in ITU-R BS.1770-4, over unweighted windows of 20 ms: the mean power of those
 * above the absolute gate, then of those that are at most the relative gate below that mean. The floor is the level that the
 * quietest tenth of all stretches of the least length stays below (EBU Tech 3342 takes the same percentile for the low end of
 * a programme's range). It counts only where it is well below the programme and steady, as noise is and music is not.
 */
export const SILENCE_RULE = {
  minimumMs: 300,
  windowMs: LEVEL_WINDOW_MS,
  absoluteGateDbfs: -70,
  relativeGateDb: 10,
  belowProgrammeDb: 26,
  aboveFloorDb: 3,
  floorShare: 0.1,
  floorBelowProgrammeDb: 10,
  floorSteadyWithinDb: 6,
} as const;

/** The levels that stand behind the silences of one sound; null where it has none. In dB of full scale, by half a decibel. */
export interface SilenceLevels {
  readonly programmeDbfs: number | null;
  readonly floorDbfs: number | null;
  /** What is below this is silent. */
  readonly thresholdDbfs: number;
}

export interface FoundSilences {
  readonly levels: SilenceLevels;
  /** Milliseconds from the start of the sound: ordered and disjoint. */
  readonly spans: readonly (readonly [number, number])[];
}

/** Finds the silences among the levels of a whole sound, as `SoundLevels` has measured them. */
export function findSilences(levels: Uint8Array): FoundSilences {
  const programmeDbfs = programmeOf(levels);
  const floorDbfs = programmeDbfs === null ? null : floorOf(levels, programmeDbfs);
  const { absoluteGateDbfs, belowProgrammeDb, aboveFloorDb } = SILENCE_RULE;
  const thresholdDbfs = Math.max(
    absoluteGateDbfs,
    (programmeDbfs ?? absoluteGateDbfs) - belowProgrammeDb,
    (floorDbfs ?? absoluteGateDbfs) + (floorDbfs === null ? 0 : aboveFloorDb),
  );
  return { levels: { programmeDbfs, floorDbfs, thresholdDbfs }, spans: spansBelow(levels, thresholdDbfs) };
}

const byStep = (db: number): number => Math.round(db / LEVEL_STEP_DB) * LEVEL_STEP_DB;

function programmeOf(levels: Uint8Array): number | null {
  const counts = new Float64Array(-LOWEST_DBFS / LEVEL_STEP_DB + 1);
  for (const level of levels) counts[level] = (counts[level] ?? 0) + 1;
  const meanAbove = (gateDbfs: number): number | null => {
    let power = 0;
    let windows = 0;
    for (const [level, count] of counts.entries()) {
      if (dbfsOf(level) <= gateDbfs) continue;
      power += count * powerOfLevel(level);
      windows += count;
    }
    return windows === 0 ? null : 10 * Math.log10(power / windows);
  };
  const ungated = meanAbove(SILENCE_RULE.absoluteGateDbfs);
  if (ungated === null) return null;
  const gate = Math.max(SILENCE_RULE.absoluteGateDbfs, ungated - SILENCE_RULE.relativeGateDb);
  return byStep(meanAbove(gate) ?? ungated);
}

// Stretches overlap, so that a pause is met whole wherever it begins.
const STRETCH_HOP_MS = 50;
const STRETCH_WINDOWS = SILENCE_RULE.minimumMs - SILENCE_RULE.windowMs + 1;

function floorOf(levels: Uint8Array, programmeDbfs: number): number | null {
  const stretches: { readonly highest: number; readonly spread: number }[] = [];
  for (let from = 0; from + STRETCH_WINDOWS <= levels.length; from += STRETCH_HOP_MS) {
    let [highest, lowest] = [0, 255];
    for (let at = from; at < from + STRETCH_WINDOWS; at += 1) {
      const level = levels[at] ?? 0;
      if (level > highest) highest = level;
      if (level < lowest) lowest = level;
    }
    stretches.push({ highest, spread: highest - lowest });
  }
  stretches.sort((one, other) => one.highest - other.highest);
  const last = Math.floor(SILENCE_RULE.floorShare * (stretches.length - 1));
  const floor = stretches[last];
  if (floor === undefined) return null;
  const floorDbfs = dbfsOf(floor.highest);
  if (programmeDbfs - floorDbfs < SILENCE_RULE.floorBelowProgrammeDb) return null;
  const spreads = stretches.slice(0, last + 1).map(({ spread }) => spread * LEVEL_STEP_DB);
  spreads.sort((one, other) => one - other);
  const median = spreads[Math.floor(spreads.length / 2)] ?? 0;
  return median <= SILENCE_RULE.floorSteadyWithinDb ? floorDbfs : null;
}

/** What quiet windows cover, where that is long enough: a window that is quiet as a whole has no loud moment. */
function spansBelow(levels: Uint8Array, thresholdDbfs: number): (readonly [number, number])[] {
  const spans: [number, number][] = [];
  for (const [startMs, level] of levels.entries()) {
    if (dbfsOf(level) >= thresholdDbfs) continue;
    const endMs = startMs + SILENCE_RULE.windowMs;
    const open = spans.at(-1);
    if (open !== undefined && startMs <= open[1]) open[1] = endMs;
    else spans.push([startMs, endMs]);
  }
  return spans.filter(([startMs, endMs]) => endMs - startMs >= SILENCE_RULE.minimumMs);
}
