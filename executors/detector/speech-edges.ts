import { dbfsOf, LEVEL_STEP_DB } from './sound-levels.ts';
import { SAMPLES_PER_MS, type SampleSpan } from './speech-segmenter.ts';

/**
 * Where speech begins and ends. The model answers late, above all at the end; the level of the sound shows the edge itself, where
 * speech is far enough above what is beside it. Found on spoken words and phrases in nine voices and ten kinds of noise, music
 * and reverberation, and reported on others (docs/evaluation.md).
 */
export const EDGE_RULE = {
  /** The level that a tenth of a window of speech exceeds is that of its speech; the median beside it is that of the quiet. */
  speechShare: 0.9,
  quietShare: 0.5,
  /** Where the quiet is measured, in ms before a begin and behind an end. */
  quietBeforeMs: 500,
  quietBeforeUntilMs: 150,
  quietBehindMs: 300,
  /** Loud is what is so far above the quiet, and no further below the speech. */
  aboveQuietDb: 4,
  belowSpeechDb: 30,
  /** The edge is the first or last loud moment in these ms before and behind what the model says. */
  beginBackMs: 120,
  beginOnMs: 60,
  endBackMs: 160,
  endOnMs: 40,
  /** Speech less far above the quiet has no edge that can be seen: it begins and ends so many ms before what the model says. */
  leastRangeDb: 20,
  unseenMs: 40,
  /**
   * In a room nothing ends at once: echoes follow what was said. A room is where the level of speech hardly ever falls by so much in
   * so many ms, from loud moments in it and behind it. There speech ends where it is no further below itself, further back.
   */
  room: {
    fallMs: 60,
    fallDb: 20,
    fallShare: 0.995,
    loudWithinDb: 15,
    behindMs: 200,
    belowSpeechDb: 16,
    endBackMs: 350,
  },
} as const;

// The moments of a loud window of 20 ms in which speech begins, and ends: most of the window is loud.
const BEGINS_AT_MS = 5;
const ENDS_AT_MS = 15;

/** Moves the edges of windows of speech to where the sound becomes loud and quiet. `levels` are as `SoundLevels` has measured them. */
export function speechEdges(spans: readonly SampleSpan[], levels: Uint8Array, total: number): SampleSpan[] {
  const found: { start: number; end: number }[] = [];
  const isRoom = echoes(spans, levels);
  for (const [index, span] of spans.entries()) {
    const start = begin(span, levels);
    const end = Math.min(finish(span, levels, isRoom), spans[index + 1]?.start ?? total);
    found.push({ start: Math.max(start, found.at(-1)?.end ?? 0), end });
  }
  return found.map((moved, index) => (moved.start < moved.end ? moved : (spans[index] ?? moved)));
}

const { beginBackMs, beginOnMs, endOnMs, room } = EDGE_RULE;

function begin({ start, end }: SampleSpan, levels: Uint8Array): number {
  const [from, to] = [start / SAMPLES_PER_MS, end / SAMPLES_PER_MS];
  if (from === 0) return 0;
  const quiet = levels.subarray(
    Math.max(0, from - EDGE_RULE.quietBeforeMs),
    Math.max(0, from - EDGE_RULE.quietBeforeUntilMs),
  );
  const loud = loudLevel(levels.subarray(from, to), quiet, EDGE_RULE.belowSpeechDb);
  const unseen = Math.max(0, from - EDGE_RULE.unseenMs) * SAMPLES_PER_MS;
  if (loud === null) return unseen;
  for (let at = Math.max(0, from - beginBackMs); at < Math.min(to, from + beginOnMs, levels.length); at += 1) {
    if ((levels[at] ?? 0) >= loud) return (at + BEGINS_AT_MS) * SAMPLES_PER_MS;
  }
  return unseen;
}

function finish({ start, end }: SampleSpan, levels: Uint8Array, isRoom: boolean): number {
  const [from, to] = [start / SAMPLES_PER_MS, Math.floor(end / SAMPLES_PER_MS)];
  const quiet = levels.subarray(to, to + EDGE_RULE.quietBehindMs);
  // Nothing was measured behind what lasts to the end.
  if (quiet.length === 0) return end;
  const { belowSpeechDb, endBackMs } = isRoom ? room : EDGE_RULE;
  const loud = loudLevel(levels.subarray(from, to), quiet, belowSpeechDb);
  const unseen = end - EDGE_RULE.unseenMs * SAMPLES_PER_MS;
  if (loud === null) return unseen;
  for (let at = Math.min(levels.length, to + endOnMs) - 1; at >= Math.max(from, to - endBackMs); at -= 1) {
    if ((levels[at] ?? 0) >= loud) return (at + ENDS_AT_MS) * SAMPLES_PER_MS;
  }
  return unseen;
}

/** From which level on sound is loud; null where speech is too close to the quiet, or nothing is known of it. */
function loudLevel(speech: Uint8Array, quiet: Uint8Array, belowSpeechDb: number): number | null {
  if (speech.length === 0 || quiet.length === 0) return null;
  const spoken = quantile(speech, EDGE_RULE.speechShare);
  const still = quantile(quiet, EDGE_RULE.quietShare);
  if (dbfsOf(spoken) - dbfsOf(still) < EDGE_RULE.leastRangeDb) return null;
  return Math.max(still + levelsIn(EDGE_RULE.aboveQuietDb), spoken - levelsIn(belowSpeechDb));
}

/**
 * Whether the sound of speech falls as slowly as echoes do. So it does over noise too, whose level it cannot fall below; but there is
 * no edge to be seen.
 */
function echoes(spans: readonly SampleSpan[], levels: Uint8Array): boolean {
  const falls: number[] = [];
  for (const { start, end } of spans) {
    const [from, to] = [Math.floor(start / SAMPLES_PER_MS), Math.floor(end / SAMPLES_PER_MS)];
    const spoken = quantile(levels.subarray(from, to), EDGE_RULE.speechShare) - levelsIn(room.loudWithinDb);
    for (let at = from; at < Math.min(to + room.behindMs, levels.length - room.fallMs); at += 1) {
      const level = levels[at] ?? 0;
      if (level < spoken) continue;
      const fall = Math.max(0, level - (levels[at + room.fallMs] ?? 0));
      falls[fall] = (falls[fall] ?? 0) + 1;
    }
  }
  const all = falls.reduce((sum, count) => sum + count, 0);
  const fast = falls.slice(levelsIn(room.fallDb)).reduce((sum, count) => sum + count, 0);
  return all > 0 && fast < (1 - room.fallShare) * all;
}

const levelsIn = (db: number): number => db / LEVEL_STEP_DB;

function quantile(levels: Uint8Array, share: number): number {
  const sorted = levels.toSorted();
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}
