import type { CaptionClassification } from '../../contract/captions/caption-executor.ts';
import type { CaptionTranslator } from '../../contract/captions/caption-translator.ts';
import type { CaptionAllowance } from '../../contract/captions/long-captions.ts';
import { neededAllowance } from './caption-allowance.ts';
import { type CaptionJob, captionExecutorOf } from './caption-artifact.ts';
import { captionExecutors } from './caption-executors.ts';
import { type CaptionedStudy, captionInputOf } from './captioned-study.ts';
import { coveredLine } from './line-lineage.ts';
import type { LinesAbsence } from './lines-absence.ts';

/** What a host makes captions with. */
export interface CaptionAbility {
  readonly classification: CaptionClassification;
  /** How long captions may be. */
  readonly allowance: CaptionAllowance;
  /** Absent on a host that translates no captions. */
  readonly translator?: CaptionTranslator | undefined;
}

/** An attempt that a host can make, and why it would give no line; null where it gives some. */
export interface CaptionProspect {
  readonly job: CaptionJob;
  readonly absence: LinesAbsence | null;
}

/**
 * What a host can make of an approved study. A production and every answer that says beforehand what would come of it go by
 * this. A line of a transcript counts only where the study supports it: captions of nothing but withheld lines would use up an
 * approval for nothing.
 */
export function captionProspectOf(
  study: CaptionedStudy,
  attempt: number,
  { classification, allowance: allowed, translator }: CaptionAbility,
): CaptionProspect {
  const executor = captionExecutors[classification];
  const drafts = executor.draft(study);
  const allowance = neededAllowance(captionInputOf(study).range, drafts, allowed);
  const job: CaptionJob = { study, attempt, classification, allowance, translator };
  if (drafts.length === 0) return { job, absence: executor.absence(study) };
  if (drafts.some(({ transcriptLines }) => transcriptLines === undefined)) return { job, absence: null };
  const identity = captionExecutorOf(job);
  const isSupported = drafts.some((draft) => coveredLine(study, '', identity, draft).gap === null);
  return { job, absence: isSupported ? null : executor.absence(study) };
}
