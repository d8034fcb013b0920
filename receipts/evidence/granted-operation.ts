import type { Artifact } from '../../contract/base/artifact.ts';
import type { ToolIdentity } from '../../contract/base/tool.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import { outputArtifact } from '../core/artifact.ts';
import { operationIdOf, operationKeyOf } from '../core/operation-key.ts';
import type { StudyRun } from '../core/study-run.ts';
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
