import type { CaptionRow, QualityControlRow } from '../../contract/captions/caption-answers.ts';
import type { CaptionReference } from '../../contract/captions/caption-production.ts';
import {
  type QualityControlCandidate,
  type QualityControlReceipt,
  qualityControlPolicy,
} from '../../contract/captions/caption-quality-control.ts';
import { artifactIdOf } from '../core/artifact.ts';
import { contentIdOf, hashOf } from '../core/canonical-json.ts';
import { artifactRecorded, draftEvent } from '../core/event-draft.ts';
import { demandDerived } from '../core/evidence-chain-error.ts';
import { outputOf } from '../core/receipt-output.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { type StoredCaptions, structuralDecisionOf } from './caption-structure.ts';

/** Captions under the names by which they are recorded. */
export interface CheckableCaptions extends StoredCaptions {
  readonly reference: CaptionReference;
}

/** A check as later stages name it. */
export type QualityControlReference = Pick<
  QualityControlRow,
  'qcId' | 'outputArtifactId' | 'receiptId' | 'receiptContentId'
>;

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
export function qualityControlOf(runId: string, captions: CheckableCaptions): QualityControlReceipt {
  const { reference, receipt } = captions;
  const candidate = candidateOf(reference);
  const body: Omit<QualityControlReceipt, 'schema' | 'receiptId'> = {
    qcId: qualityControlIdOf(runId, candidate),
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
  return {
    schema: 'studio.caption-quality-control.receipt.v1',
    receiptId: `caption-quality-control-receipt:${hashOf(body)}`,
    ...body,
  };
}

/** Checks the captions again. Throws `EvidenceChainError` at the first field of the receipt that does not follow. */
export const auditQualityControl = (receipt: QualityControlReceipt, runId: string, captions: CheckableCaptions): void =>
  demandDerived('quality_control', receipt, qualityControlOf(runId, captions));

const originOf = (qcId: string) =>
  ({ kind: 'caption-quality-control-receipt', origin: { kind: 'caption_quality_control', qcId } }) as const;

/** How a check is named after it was recorded. */
export function qualityControlReferenceOf(runId: string, receipt: QualityControlReceipt): QualityControlReference {
  const receiptContentId = contentIdOf(receipt);
  const { qcId, receiptId } = receipt;
  return {
    qcId,
    outputArtifactId: artifactIdOf({ runId, contentId: receiptContentId, ...originOf(qcId) }),
    receiptId,
    receiptContentId,
  };
}

/** Checks captions and writes down what came of it. */
export function recordQualityControl(run: StudyRun, captions: CheckableCaptions): StepResult<QualityControlReference> {
  const { runtimeId } = run.record;
  const { artifactId, receiptArtifactId } = captions.reference;
  const receipt = qualityControlOf(runtimeId, captions);
  const { object, artifact } = outputOf(receipt, {
    runId: runtimeId,
    ...originOf(receipt.qcId),
    sourceArtifactIds: [artifactId, receiptArtifactId],
    producer: null,
  });
  const refs = qualityControlReferenceOf(runtimeId, receipt);
  const { qcId, outputArtifactId, receiptContentId } = refs;
  return {
    objects: [object],
    events: [
      artifactRecorded(artifact, causeOf(run)),
      draftEvent(
        'caption.quality_control_decided',
        { qcId, outputArtifactId, receiptContentId, receipt },
        causeOf(run),
      ),
    ],
    refs,
  };
}

/** A check as the wire shows it, beside the production that it looked at. */
export function qualityControlRowOf(
  runId: string,
  receipt: QualityControlReceipt,
  candidate: CaptionRow,
): QualityControlRow {
  const { input, decision, producer } = receipt;
  const linesThatAre = (outcome: 'accepted' | 'withheld'): string[] =>
    decision.lines.filter((line) => line.outcome === outcome).map(({ lineId }) => lineId);
  return {
    ...qualityControlReferenceOf(runId, receipt),
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
