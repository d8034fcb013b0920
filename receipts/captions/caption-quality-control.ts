import type { CaptionRow, QualityControlRow } from '../../contract/captions/caption-answers.ts';
import type { CaptionReference } from '../../contract/captions/caption-production.ts';
import {
  maximumQualityControlReceiptBytes,
  type QualityControlCandidate,
  type QualityControlReceipt,
  qualityControlPolicy,
  qualityControlReceipt,
} from '../../contract/captions/caption-quality-control.ts';
import { artifactIdOf } from '../core/artifact.ts';
import { hashOf } from '../core/canonical-json.ts';
import { RunReceipt } from '../core/record.ts';
import type { StudyRun } from '../core/study-run.ts';
import { type StoredCaptions, structuralDecisionOf } from './caption-structure.ts';

/** Captions under the names by which they are recorded. */
export interface CheckableCaptions extends StoredCaptions {
  readonly reference: CaptionReference;
}

/** Captions as a request for their check names them. */
export const candidateOf = (reference: Omit<CaptionReference, 'receiptArtifactId'>): QualityControlCandidate => ({
  jobId: reference.jobId,
  captionArtifactId: reference.artifactId,
  captionContentId: reference.contentId,
  captionReceiptId: reference.receiptId,
  captionReceiptContentId: reference.receiptContentId,
});

/** One check for each candidate of a run. */
export const qualityControlIdOf = (runId: string, candidate: QualityControlCandidate): string =>
  `caption-quality-control:${hashOf({ runId, candidate })}`;

/** The receipt of a check: nothing in it but the candidate and the policy, so that a second check gives the same receipt. */
export const qualityControl = new RunReceipt<QualityControlReceipt, 'qcId', CheckableCaptions>({
  link: 'quality_control',
  schema: qualityControlReceipt,
  maximumBytes: maximumQualityControlReceiptBytes,
  name: 'studio.caption-quality-control.receipt.v1',
  idPrefix: 'caption-quality-control-receipt',
  kind: 'caption-quality-control-receipt',
  about: 'qcId',
  origin: ({ qcId }) => ({ kind: 'caption_quality_control', qcId }),
  sources: ({ input: { jobId, captionArtifactId, captionReceiptContentId } }, runId) => [
    captionArtifactId,
    artifactIdOf({
      runId,
      contentId: captionReceiptContentId,
      kind: 'caption-production-receipt',
      origin: { kind: 'caption_production', jobId },
    }),
  ],
  producer: 'host',
  derive: ({ record }, captions) => {
    const { receipt } = captions;
    const candidate = candidateOf(captions.reference);
    return {
      qcId: qualityControlIdOf(record.runtimeId, candidate),
      input: candidate,
      lineage: {
        candidateInput: receipt.input,
        executor: receipt.producer.executor,
        study: receipt.input.study,
        readiness: receipt.input.readiness,
        approval: receipt.authority.approval,
      },
      producer: {
        id: 'studio.host-caption-quality-control',
        version: '1',
        independence: 'separate_from_caption_executor',
        policy: qualityControlPolicy,
      },
      decision: structuralDecisionOf(captions),
    };
  },
});

/** Checks captions and writes down what came of it. */
export const recordQualityControl = (run: StudyRun, captions: CheckableCaptions) =>
  qualityControl.write('caption.quality_control_decided', run, qualityControl.of(run, captions));

/** A check as the wire shows it, beside the production that it looked at. */
export function qualityControlRowOf(
  runId: string,
  receipt: QualityControlReceipt,
  candidate: CaptionRow,
): QualityControlRow {
  const { input, decision, producer } = receipt;
  const linesThatAre = (outcome: 'accepted' | 'withheld'): string[] =>
    decision.lines.filter((line) => line.outcome === outcome).map(({ lineId }) => lineId);
  const { artifactId: outputArtifactId, ...names } = qualityControl.referenceOf(runId, receipt);
  return {
    ...names,
    outputArtifactId,
    jobId: input.jobId,
    captionArtifactId: input.captionArtifactId,
    captionContentId: input.captionContentId,
    integrity: 'stored_independent_qc_with_verified_current_run_candidate',
    policy: producer.policy,
    outcome: decision.outcome,
    reasonCodes: decision.reasonCodes,
    acceptedLineIds: linesThatAre('accepted'),
    withheldLineIds: linesThatAre('withheld'),
    candidate,
  };
}
