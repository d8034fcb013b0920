import type { Range } from '../contract/base/grammar.ts';
import { intersection, joined, lengthOf, overlaps, totalLengthOf } from './time-spans.ts';

/**
 * The rule for speech without a line. Windows of the detector are one passage over pauses of at most `joinedMs`. A passage has
 * at least `leastMs`. It has no line if less than `coveredMilli` thousandths of it lie within `marginMs` of one. Edges of detected
 * speech are late, and subtitles begin early and stay. The numbers are choices, and every plan states them. `version` rises with each
 * change of the rule.
 */
export const SPEECH_GAPS = { version: 1, joinedMs: 300, leastMs: 800, coveredMilli: 200, marginMs: 500 } as const;

const wider = ({ startMs, endMs }: Range, byMs: number): Range => ({
  startMs: Math.max(0, startMs - byMs),
  endMs: endMs + byMs,
});

/** Windows of speech in order of time, those with a short pause between them as one. */
function passagesOf(windows: readonly Range[]): Range[] {
  const passages: { startMs: number; endMs: number }[] = [];
  for (const { startMs, endMs } of joined(windows)) {
    const last = passages.at(-1);
    if (last !== undefined && startMs - last.endMs <= SPEECH_GAPS.joinedMs) last.endMs = endMs;
    else passages.push({ startMs, endMs });
  }
  return passages;
}

interface Thresholds {
  readonly coveredMilli: number;
  readonly marginMs: number;
}

/** The passages that have no line by these thresholds; all times in ms, and the passages joined and in order of time. */
export function withoutLines<Passage extends Range>(
  passages: readonly Passage[],
  lines: readonly Range[],
  { coveredMilli, marginMs }: Thresholds,
): Passage[] {
  const beside = joined(lines.map((line) => wider(line, marginMs)));
  const covered = coveredLengths(passages, beside);
  return passages.filter((passage, at) => 1000 * (covered[at] ?? 0) < coveredMilli * lengthOf(passage));
}

/** The passages with speech that have no line, in order of time; all times in ms. */
export function speechWithoutLines(windows: readonly Range[], lines: readonly Range[]): Range[] {
  const passages = passagesOf(windows).filter((passage) => lengthOf(passage) >= SPEECH_GAPS.leastMs);
  return withoutLines(passages, lines, SPEECH_GAPS);
}

/** How much of each span of a joined list lies in another joined list, in ms; both are walked once. */
function coveredLengths(spans: readonly Range[], others: readonly Range[]): number[] {
  let next = 0;
  return spans.map((span) => {
    while ((others[next]?.endMs ?? span.endMs) <= span.startMs) next += 1;
    let last = next;
    while ((others[last]?.startMs ?? span.endMs) < span.endMs) last += 1;
    return totalLengthOf(intersection([span], others.slice(next, last)));
  });
}

/** The lines that have no detected speech within the margin of the rule, in their order. */
export function linesWithoutSpeech<Line extends Range>(windows: readonly Range[], lines: readonly Line[]): Line[] {
  const spoken = joined(windows.map((window) => wider(window, SPEECH_GAPS.marginMs)));
  let next = 0;
  return lines.filter((line) => {
    while ((spoken[next]?.endMs ?? line.endMs) <= line.startMs) next += 1;
    const met = spoken[next];
    return met === undefined || !overlaps(met, line);
  });
}
