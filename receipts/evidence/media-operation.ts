import type { Artifact, ToolIdentity } from '../../contract/base/artifact.ts';
import type { Failure } from '../../contract/base/errors.ts';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import type {
  DerivedAudio,
  DetectedKind,
  Detection,
  FurtherArtifact,
  FurtherKind,
  FurtherResult,
} from '../../contract/evidence/evidence.ts';
import type {
  MediaCapability,
  MediaEvidence,
  MediaLimits,
  MediaOperationReceipt,
  MediaOperationRequest,
  MediaOperationResult,
} from '../../contract/evidence/media-operation.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { type OperationInput, operationIdOf, operationKeyOf, outputArtifact } from '../identities.ts';
import { artifactRecorded, draftEvent } from '../journal.ts';
import { storedJson } from '../stored-records.ts';
import { causeOf, type StudyRun } from '../study-run.ts';

/** The kind of the run artifact that holds one kind of detected evidence. */
export const detectedArtifactKind = (kind: DetectedKind | FurtherKind): string =>
  `detected-${kind.replaceAll('_', '-')}`;

/** Evidence of a run that an operation starts from. */
export type StartingEvidence = readonly { readonly artifactId: string; readonly contentId: string }[];

interface EncodedDetections {
  /** Store these before the batch that names them. */
  readonly objects: readonly StoredObject[];
  readonly result: MediaOperationResult;
}

/** Turns what a pass detected into bytes to store and the result to keep under its operation key, order kept. */
export function encodeDetections(
  detections: readonly Detection[],
  derivedAudio: DerivedAudio | null,
): EncodedDetections {
  const objects: StoredObject[] = [];
  const evidence = detections.map((detection): MediaOperationResult['evidence'][number] => {
    if (detection.state === 'unavailable') return detection;
    const object = storedJson(detection.artifact);
    objects.push(object);
    return { kind: detection.kind, state: 'available', contentId: object.contentId, bytes: object.bytes.length };
  });
  return { objects, result: { evidence, derivedAudio } };
}

/** Turns one artifact of further evidence into bytes to store and its entry in the result. */
export function encodeFurther(artifact: FurtherArtifact): {
  readonly object: StoredObject;
  readonly result: FurtherResult;
} {
  const object = storedJson(artifact);
  return { object, result: { kind: artifact.kind, contentId: object.contentId, bytes: object.bytes.length } };
}

/** How a run goes over its media once: with which tools, set how, within which limits. */
export interface MediaOperation {
  readonly capability: MediaCapability;
  readonly tools: readonly ToolIdentity[];
  readonly parameters: MediaOperationRequest['parameters'];
  readonly limits: MediaLimits;
}

interface CompletedOperation {
  /** The evidence of this run, in the order of the result; then the further evidence. */
  readonly artifacts: readonly Artifact[];
  readonly receipt: MediaOperationReceipt;
  /** The artifacts first, then the completion that names them. */
  readonly events: readonly EventDraft[];
}

/**
 * The names of a run for one operation on its media. The key depends on the source's bytes, the evidence that the operation starts
 * from, the range, the tools and their parameters alone.
 */
export function operationRequestOf(
  { record, ids }: StudyRun,
  { from, ...how }: Pick<OperationInput, 'operation' | 'tools' | 'parameters'> & { readonly from: StartingEvidence },
) {
  const { sourceArtifactId, analysisRequest } = record;
  const { range, sourceContentId } = analysisRequest;
  const work = { ...how, range, inputContentIds: [sourceContentId, ...from.map(({ contentId }) => contentId)] };
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

/** The request of a run for one pass. */
export function mediaRequestOf(run: StudyRun, operation: MediaOperation): MediaOperationRequest {
  const { capability, parameters, limits } = operation;
  const tools = [...operation.tools];
  return {
    ...operationRequestOf(run, { operation: capability, tools, parameters, from: [] }),
    sourceContentId: run.record.analysisRequest.sourceContentId,
    tools,
    parameters,
    limits,
  };
}

/** Journaled before the pass runs. */
export const operationStarted = (run: StudyRun, operation: MediaOperation): EventDraft =>
  draftEvent(
    'media.operation_started',
    {
      capability: operation.capability,
      request: mediaRequestOf(run, operation),
      grantId: run.ids.grantIds[operation.capability],
    },
    causeOf(run),
  );

function receiptOf(
  { ids }: StudyRun,
  { capability }: MediaOperation,
  request: MediaOperationRequest,
  result: { evidence: MediaEvidence[]; derivedAudio: MediaOperationResult['derivedAudio']; reused: boolean },
): MediaOperationReceipt {
  const body = {
    operationId: request.operationId,
    operationKey: request.operationKey,
    capability,
    authorization: { grantId: ids.grantIds[capability], taskId: ids.taskId, agentId: ids.agentId },
    input: { artifactId: request.sourceArtifactId, contentId: request.sourceContentId, range: request.range },
    tools: request.tools,
    parameters: request.parameters,
    ...result,
  };
  return { schema: 'studio.media-operation.receipt.v1', receiptId: `media-operation:${hashOf(body)}`, ...body };
}

/**
 * The completed pass for this run: its own artifacts over the stored bytes, and the receipt that lists those of its evidence.
 * `reused` means that an earlier pass with the same key is taken over.
 */
export function operationCompleted(
  run: StudyRun,
  operation: MediaOperation,
  { evidence, derivedAudio, further = [] }: MediaOperationResult,
  reused: boolean,
): CompletedOperation {
  const request = mediaRequestOf(run, operation);
  const { operationId } = request;
  const cause = causeOf(run);
  const artifacts: Artifact[] = [];
  const recorded = ({
    kind,
    contentId,
    bytes,
  }: {
    kind: DetectedKind | FurtherKind;
    contentId: string;
    bytes: number;
  }) => {
    const artifact = outputArtifact({
      runId: run.record.runtimeId,
      kind: detectedArtifactKind(kind),
      origin: { kind: 'operation_output', operationId },
      contentId,
      bytes,
      sourceArtifactIds: [request.sourceArtifactId],
      producer: run.ids,
    });
    artifacts.push(artifact);
    return artifact;
  };
  const delivered = evidence.map((each): MediaEvidence => {
    if (each.state === 'unavailable') return { ...each, artifactId: null, contentId: null };
    const { kind, contentId } = each;
    return { kind, state: 'available', reasonCode: null, artifactId: recorded(each).id, contentId };
  });
  for (const each of further) recorded(each);
  const receipt = receiptOf(run, operation, request, { evidence: delivered, derivedAudio, reused });
  const completed = { operationId, outputArtifactIds: artifacts.map(({ id }) => id), receipt };
  return {
    artifacts,
    receipt,
    events: [
      ...artifacts.map((artifact) => artifactRecorded(artifact, cause)),
      draftEvent('media.operation_completed', completed, cause),
    ],
  };
}

/** A started pass that came to nothing. */
export const operationFailed = (run: StudyRun, operation: MediaOperation, reason: Failure): EventDraft =>
  draftEvent(
    'media.operation_failed',
    { operationId: mediaRequestOf(run, operation).operationId, reason },
    causeOf(run),
  );
