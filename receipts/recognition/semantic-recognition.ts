import type { z } from 'zod';
import type { Artifact } from '../../contract/base/artifact.ts';
import type { Failure } from '../../contract/base/failure.ts';
import { recognitionCapability } from '../../contract/base/operation.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import type { MediaLimits, MediaOperationResult } from '../../contract/evidence/media-operation.ts';
import type { TranscriptLineFact } from '../../contract/evidence/transcript.ts';
import {
  maximumSemanticReceiptBytes,
  type SemanticEvidenceReceipt,
  type SemanticProducer,
  type SemanticRequest,
  semanticEvidenceReceipt,
} from '../../contract/recognition/semantic-evidence.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { hashOf } from '../core/canonical-json.ts';
import { draftEvent } from '../core/event-draft.ts';
import { type StoredShape, storedJson } from '../core/stored-json.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import {
  deliveredEvidence,
  grantedCompletion,
  grantedOutput,
  grantedRequest,
  grantedStart,
  grantedStep,
  grantedWork,
} from '../evidence/granted-operation.ts';

/** How a run has its speech recognised: by what, set how, within which limits, and from which evidence its regions follow. */
export interface Recognition {
  readonly producer: SemanticProducer;
  readonly limits: MediaLimits;
  readonly regionsFrom: SemanticRequest['regionsFrom'];
}

/** The evidence of the study that regions follow from, in this order; none where no detector could look for speech. */
export const regionKinds = ['speech_activity', 'silence'] as const;

/** How the receipt of a recognition is stored. It is no artifact of its run. */
export const semanticReceiptShape = {
  link: 'recognition',
  schema: semanticEvidenceReceipt,
  maximumBytes: maximumSemanticReceiptBytes,
} as const satisfies StoredShape<z.ZodType>;

/** Where the artifact of the run that produced it stands behind no grant, there is no recognition. */
function grantOf({ ids }: StudyRun): string {
  if (ids.recognitionGrantId === undefined) throw new RangeError('the run has no grant to recognise speech');
  return ids.recognitionGrantId;
}

/** What a run asks of a recogniser; its key depends on the media, the detected speech, the tools and the parameters alone. */
export function semanticRequestOf(run: StudyRun, recognition: Recognition): SemanticRequest {
  const { producer, regionsFrom } = recognition;
  return { ...grantedRequest(run, { operation: recognitionCapability, producer, from: regionsFrom }), regionsFrom };
}

/** Journalled before the recogniser runs. */
export const recognitionStarted = (run: StudyRun, recognition: Recognition): EventDraft =>
  draftEvent(
    'semantic.evidence_started',
    grantedStart(run, {
      request: semanticRequestOf(run, recognition),
      grantId: grantOf(run),
      producer: recognition.producer,
      limits: recognition.limits,
    }),
    causeOf(run),
  );

/** A started recognition that came to nothing; its study goes on without a transcript. */
export const recognitionFailed = (run: StudyRun, recognition: Recognition, reason: Failure): EventDraft =>
  draftEvent(
    'semantic.evidence_failed',
    { operationId: semanticRequestOf(run, recognition).operationId, reason },
    causeOf(run),
  );

export interface CompletedRecognition {
  /** The transcript as an artifact of the run; null where there is none. */
  readonly artifact: Artifact | null;
  readonly receipt: SemanticEvidenceReceipt;
  readonly step: StepResult<{ readonly receiptContentId: string }>;
}

const linesOf = (transcript: EvidenceArtifact | null): TranscriptLineFact[] =>
  (transcript?.facts ?? []).flatMap((fact) => (fact.kind === 'transcript_line' ? [fact] : []));

function countsOf(transcript: EvidenceArtifact | null): SemanticEvidenceReceipt['result'] {
  const lines = linesOf(transcript);
  const passed = lines.filter(({ outcome }) => outcome === 'passed').length;
  return {
    regions: (transcript?.facts ?? []).filter(({ kind }) => kind === 'recognised_region').length,
    passedLines: passed,
    withheldLines: lines.length - passed,
  };
}

type Delivered = MediaOperationResult['evidence'][number];

function transcriptArtifact(
  run: StudyRun,
  { operationId, regionsFrom }: SemanticRequest,
  evidence: Delivered,
): Artifact | null {
  if (evidence.state === 'unavailable') return null;
  return grantedOutput(run, 'transcript', { operationId, from: regionsFrom }, evidence);
}

/**
 * What a completed recognition means for this run: its artifact over the stored transcript, and the receipt. `reused` says
 * that an earlier recognition with the same key is taken over.
 */
export function recognitionCompleted(
  run: StudyRun,
  recognition: Recognition,
  result: { readonly evidence: Delivered; readonly transcript: EvidenceArtifact | null; readonly reused: boolean },
): CompletedRecognition {
  const request = semanticRequestOf(run, recognition);
  const artifact = transcriptArtifact(run, request, result.evidence);
  const body = {
    ...grantedWork(run, grantOf(run), request, { regionsFrom: request.regionsFrom }),
    capability: recognitionCapability,
    producer: recognition.producer,
    evidence: deliveredEvidence(result.evidence, artifact),
    result: countsOf(result.transcript),
    reused: result.reused,
  } satisfies Omit<SemanticEvidenceReceipt, 'schema' | 'receiptId'>;
  const receipt: SemanticEvidenceReceipt = {
    schema: 'studio.semantic-evidence.receipt.v1',
    receiptId: `semantic-evidence:${hashOf(body)}`,
    ...body,
  };
  const stored = storedJson(receipt);
  const cause = causeOf(run);
  const data = grantedCompletion(request.operationId, artifact, stored.contentId, receipt);
  const completed = draftEvent('semantic.evidence_completed', data, cause);
  return { artifact, receipt, step: grantedStep(stored, artifact, completed, cause) };
}
