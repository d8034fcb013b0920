import type { CaptionRow, QualityControlRow } from '../../contract/captions/caption-answers.ts';
import { qualityControlRowOf } from '../captions/caption-quality-control.ts';
import type { VerifiedCaption } from '../captions/fold-captions.ts';
import type { VerifiedStudy } from './fold-study.ts';
import type { VerifiedRuntime } from './reopen-runtime.ts';

/** The ids of everything that was reopened to verify captions. */
function reopenedOf({ findings, conclusion }: VerifiedStudy, { artifact }: VerifiedCaption): CaptionRow['reopened'] {
  const { input } = artifact.body;
  const { study, readiness } = input;
  const { reads, decision } = findings;
  const once = (ids: readonly string[]): string[] => [...new Set(ids)];
  return {
    sourceArtifactIds: [input.sourceArtifactId],
    semanticEvidenceArtifactIds: once(reads.map(({ body }) => body.input.artifactId)),
    reportArtifactIds: conclusion?.record.body.assessments.map(({ artifactId }) => artifactId) ?? [],
    admissionIds: [readiness.readinessId],
    planningDecisionIds: decision === null ? [] : [decision.body.operationId],
    executorIds: [study.executorReceiptId],
  };
}

/** Captions as the wire shows them. */
function rowOf(study: VerifiedStudy, caption: VerifiedCaption): CaptionRow {
  const { reference, artifact, receipt } = caption;
  const { input, executor, result } = artifact.body;
  const isRevoked = study.tail.review?.revocation !== null;
  return {
    jobId: reference.jobId,
    captionArtifactId: reference.artifactId,
    captionContentId: reference.contentId,
    receiptArtifactId: reference.receiptArtifactId,
    receiptId: reference.receiptId,
    receiptContentId: reference.receiptContentId,
    approval: receipt.body.authority.approval,
    source: {
      artifactId: input.sourceArtifactId,
      contentId: input.sourceContentId,
      analysisRequestId: input.analysisRequestId,
      range: input.range,
    },
    study: input.study,
    readiness: input.readiness,
    reopened: reopenedOf(study, caption),
    authorityState: isRevoked ? 'revoked_after_completion' : 'unrevoked',
    integrity: 'stored_caption_and_receipt_with_verified_study_readiness_approval',
    executor,
    result,
  };
}

/** Captions with the row that the wire shows of them. */
export interface PublishedCaption {
  readonly row: CaptionRow;
  readonly caption: VerifiedCaption;
}

/** The captions of a runtime: at most one production completes. */
export function publishedCaptionsOf({ execution }: VerifiedRuntime): PublishedCaption[] {
  const caption = execution?.study.tail.captions.caption ?? null;
  return execution === null || caption === null ? [] : [{ row: rowOf(execution.study, caption), caption }];
}

/** The checks of a runtime's captions: one for each that was checked. */
export const publishedQualityControlsOf = (runtime: VerifiedRuntime): QualityControlRow[] =>
  publishedCaptionsOf(runtime).flatMap(({ row, caption }) =>
    caption.qualityControl === null
      ? []
      : [qualityControlRowOf(runtime.accepted.record.runtimeId, caption.qualityControl, row)],
  );
