import type { Artifact } from '../../contract/base/artifact.ts';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import type { ToolIdentity } from '../../contract/base/tool.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import type { MediaLimits } from '../../contract/evidence/media-operation.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { outputArtifact } from '../core/artifact.ts';
import { artifactRecorded, type EventCause } from '../core/event-draft.ts';
import { operationIdOf, operationKeyOf } from '../core/operation-key.ts';
import type { StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { detectedArtifactKind } from './detected-evidence.ts';

/** Evidence of a run that an operation starts from. */
export type StartingEvidence = readonly { readonly artifactId: string; readonly contentId: string }[];

/** An operation that a run has a grant of its own for: what it does, by what, set how, and from which evidence. */
export interface GrantedOperation<Capability extends string> {
  readonly operation: Capability;
  readonly producer: {
    readonly engine: string;
    readonly tools: readonly ToolIdentity[];
    readonly parameters: EvidenceArtifact['parameters'];
  };
  readonly from: StartingEvidence;
}

/** What a run asks of such an operation; its key depends on the media, the evidence, the range, the tools and the parameters alone. */
export function grantedRequest<Capability extends string>(
  { record, ids }: StudyRun,
  { operation, producer, from }: GrantedOperation<Capability>,
) {
  const { sourceArtifactId, analysisRequest } = record;
  const { range, sourceContentId } = analysisRequest;
  const work = {
    operation,
    inputContentIds: [sourceContentId, ...from.map(({ contentId }) => contentId)],
    range,
    tools: producer.tools,
    parameters: { engine: producer.engine, ...producer.parameters },
  };
  const operationKey = operationKeyOf(work);
  return {
    operationId: operationIdOf(work, operationKey),
    taskId: ids.taskId,
    agentId: ids.agentId,
    executionId: ids.executionId,
    sourceArtifactId,
    range,
    operationKey,
  };
}

/** Stored evidence of one kind as an artifact of the run, which names the source and the evidence that it was made from. */
export const grantedOutput = (
  run: StudyRun,
  kind: Parameters<typeof detectedArtifactKind>[0],
  { operationId, from }: { readonly operationId: string; readonly from: StartingEvidence },
  { contentId, bytes }: { readonly contentId: string; readonly bytes: number },
): Artifact =>
  outputArtifact({
    runId: run.record.runtimeId,
    kind: detectedArtifactKind(kind),
    origin: { kind: 'operation_output', operationId },
    contentId,
    bytes,
    sourceArtifactIds: [run.record.sourceArtifactId, ...from.map(({ artifactId }) => artifactId)],
    producer: run.ids,
  });

/** What the journal says of such an operation before it runs. */
export const grantedStart = <Request extends object, Producer extends object>(
  { record, ids }: StudyRun,
  given: {
    readonly request: Request;
    readonly grantId: string;
    readonly producer: Producer;
    readonly limits: MediaLimits;
  },
) => ({
  ...given,
  executionId: ids.executionId,
  launchClaimId: ids.claimId,
  sourceContentId: record.analysisRequest.sourceContentId,
});

type Kept<Kind, Reason> = { readonly kind: Kind } & (
  | { readonly state: 'available'; readonly contentId: string }
  | { readonly state: 'unavailable'; readonly reasonCode: Reason }
);

/** The evidence of such an operation as its receipt states it: stored and an artifact of the run, or why there is none. */
export const deliveredEvidence = <Kind extends string, Reason extends string>(
  kept: Kept<Kind, Reason>,
  artifact: Artifact | null,
) =>
  kept.state === 'available' && artifact !== null
    ? {
        kind: kept.kind,
        state: 'available' as const,
        reasonCode: null,
        artifactId: artifact.id,
        contentId: kept.contentId,
      }
    : {
        kind: kept.kind,
        state: 'unavailable' as const,
        reasonCode: kept.state === 'unavailable' ? kept.reasonCode : ('recognition_failed' as const),
        artifactId: null,
        contentId: null,
      };

/** What the receipt of such an operation says of its run and its media; `named` is the evidence that it started from. */
export const grantedWork = <Named extends object>(
  { record, ids }: StudyRun,
  grantId: string,
  { operationId, operationKey }: { readonly operationId: string; readonly operationKey: string },
  named: Named,
) => ({
  operationId,
  operationKey,
  authorization: { grantId, taskId: ids.taskId, agentId: ids.agentId },
  input: {
    artifactId: record.sourceArtifactId,
    contentId: record.analysisRequest.sourceContentId,
    range: record.analysisRequest.range,
    ...named,
  },
});

/** What the journal says once the receipt of such an operation is stored. */
export const grantedCompletion = <Receipt extends object>(
  operationId: string,
  artifact: Artifact | null,
  receiptContentId: string,
  receipt: Receipt,
) => ({
  operationId,
  outputArtifactId: artifact?.id ?? null,
  outputContentId: artifact?.content.contentId ?? null,
  receiptContentId,
  receipt,
});

/** The step of such an operation: its artifact first, where there is one, then the completion that names it. */
export const grantedStep = (
  stored: StoredObject,
  artifact: Artifact | null,
  completed: EventDraft,
  cause: EventCause,
): StepResult<{ readonly receiptContentId: string }> => ({
  objects: [stored],
  events: [...(artifact === null ? [] : [artifactRecorded(artifact, cause)]), completed],
  refs: { receiptContentId: stored.contentId },
});
