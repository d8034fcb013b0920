import type { Range } from '../base/grammar.ts';

/** Ranges above `aboveMs` are decoded in windows of `windowMs`, which is whole seconds. */
export const longRanges = { aboveMs: 600_000, windowMs: 300_000 } as const;

/** How many reads and assessments a study may make; its one decision takes in all assessments. */
export interface ReadingAllowance {
  readonly maxReads: number;
  readonly maxAuditedAssessments: number;
}

/** What a study has whose range is decoded at once, and what a longer one has for each of its windows. */
export const standingReading = { maxReads: 16, maxAuditedAssessments: 4 } as const satisfies ReadingAllowance;

/** The windows of four hours: a study that is longer has no more than these. */
const mostWindows = 48;

const timesStanding = (windows: number): ReadingAllowance => ({
  maxReads: windows * standingReading.maxReads,
  maxAuditedAssessments: windows * standingReading.maxAuditedAssessments,
});

/** The most that any study has. */
export const longestReading: ReadingAllowance = timesStanding(mostWindows);

/** What a study of a range has: for each window of a long one as much as a short one has. */
export function readingAllowanceOf({ startMs, endMs }: Range): ReadingAllowance {
  const lengthMs = endMs - startMs;
  if (lengthMs <= longRanges.aboveMs) return standingReading;
  return timesStanding(Math.min(Math.ceil(lengthMs / longRanges.windowMs), mostWindows));
}
