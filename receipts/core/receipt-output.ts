import type { Artifact } from '../../contract/base/artifact.ts';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import type { EvidenceAssessmentReceipt } from '../../contract/evidence/evidence-assessment.ts';
import type { AssessmentReference, EvidenceDecisionReceipt } from '../../contract/evidence/evidence-decision.ts';
import { artifactIdOf, type OutputArtifactInput, outputArtifact } from './artifact.ts';
import { contentIdOf } from './canonical-json.ts';
import { storedJson } from './stored-json.ts';

export interface Output {
  readonly object: StoredObject;
  readonly artifact: Artifact;
}

/** A receipt or record of a run as the bytes to store and the artifact that stands for them. */
export function outputOf(value: unknown, input: Omit<OutputArtifactInput, 'contentId' | 'bytes'>): Output {
  const object = storedJson(value);
  return {
    object,
    artifact: outputArtifact({ ...input, contentId: object.contentId, bytes: object.bytes.length }),
  };
}

type OperationReceipt = EvidenceAssessmentReceipt | EvidenceDecisionReceipt;

const artifactKinds = {
  'analysis.evidence.assess': 'evidence-assessment-receipt',
  'analysis.evidence.decide': 'evidence-decision-receipt',
} as const satisfies Record<OperationReceipt['capability'], string>;

/** What identifies the artifact of an assessment or a decision, apart from its bytes. */
export const receiptOriginOf = ({ capability, operationId }: OperationReceipt) =>
  ({ kind: artifactKinds[capability], origin: { kind: 'operation_output', operationId } }) as const;

/** How later records of a run name one of its assessments or its decision; `contentId` where it is known already. */
export function referenceOf(
  runId: string,
  receipt: OperationReceipt,
  contentId: string = contentIdOf(receipt),
): AssessmentReference {
  return {
    operationId: receipt.operationId,
    artifactId: artifactIdOf({ runId, contentId, ...receiptOriginOf(receipt) }),
    receiptId: receipt.receiptId,
    receiptContentId: contentId,
  };
}
