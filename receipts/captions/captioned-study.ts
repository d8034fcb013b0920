import type { Range } from '../../contract/base/grammar.ts';
import type { CaptionInput } from '../../contract/captions/caption-production.ts';
import { longestCaptions } from '../../contract/captions/long-captions.ts';
import type { ApprovalReference } from '../../contract/review/publish-review.ts';
import type { RuntimeStart } from '../../contract/study/runtime-start.ts';
import type { StudyRun } from '../core/study-run.ts';
import type { VerifiedConclusion, VerifiedFindings } from '../study/fold-conclusion.ts';
import type { CaptionRules } from './caption-rules.ts';

/** A verified study that was approved for captions: all that captions may be derived from. */
export interface CaptionedStudy {
  readonly run: StudyRun;
  readonly findings: VerifiedFindings;
  readonly conclusion: VerifiedConclusion;
  readonly approval: ApprovalReference;
  /** By which rules captions follow from it. */
  readonly rules: CaptionRules;
}

/** Why captions can never be made of a study of at most so many ms, whatever is approved; null when they can. */
export function captionObstacleOf(record: RuntimeStart, maxDurationMs: number): string | null {
  if (declaredLanguageOf(record) === null) return 'captions need a study of one declared source language';
  return hostLengthObstacleOf(record.analysisRequest.range, maxDurationMs);
}

/** Why no captions can be made of a range; null when they can. */
export function captionLengthObstacleOf({ startMs, endMs }: Range, maxDurationMs: number): string | null {
  if (endMs - startMs <= maxDurationMs) return null;
  return `captions are made of at most ${maxDurationMs} ms, the study has ${endMs - startMs} ms`;
}

/** Why no captions can be made of a range on a host, with the option that changes it and the way without it; null when they can. */
export function hostLengthObstacleOf(range: Range, maxDurationMs: number): string | null {
  const obstacle = captionLengthObstacleOf(range, maxDurationMs);
  if (obstacle === null) return null;
  const lengthMs = range.endMs - range.startMs;
  const shorter = `study at most ${maxDurationMs} ms of it`;
  return lengthMs > longestCaptions.maxDurationMs
    ? `${obstacle}: ${shorter}`
    : `${obstacle}: restart the host with --maximum-caption-range-ms ${lengthMs}, or ${shorter}`;
}

/** The one source language that a study declared; null when it declared none or several. */
function declaredLanguageOf(record: RuntimeStart): string | null {
  const { requestedSource } = record.analysisRequest.language.languagePair;
  return requestedSource.mode === 'declared' ? (requestedSource.languages[0] ?? null) : null;
}

/** What captions of a study are made of. Throws `RangeError` for a study whose source language was not declared. */
export function captionInputOf({ run, conclusion }: CaptionedStudy): CaptionInput {
  const { sourceArtifactId, sourceSession, analysisRequest } = run.record;
  const sourceLanguage = declaredLanguageOf(run.record);
  if (sourceLanguage === null) throw new RangeError('captions need a declared source language');
  return {
    sourceArtifactId,
    sourceContentId: sourceSession.source.contentId,
    analysisRequestId: analysisRequest.requestId,
    range: analysisRequest.range,
    sourceLanguage,
    targetLanguage: analysisRequest.language.languagePair.targetLanguage,
    study: conclusion.study,
    readiness: conclusion.admission.readiness,
  };
}
