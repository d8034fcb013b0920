import type { Artifact } from '../../contract/base/artifact.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import type { MediaEvidence } from '../../contract/evidence/media-operation.ts';
import type { SemanticEvidenceReceipt } from '../../contract/recognition/semantic-evidence.ts';
import { counted } from '../core/checked-link.ts';
import { checkObject, demandDerived, EvidenceChainError } from '../core/evidence-chain-error.ts';
import { readReceipt } from '../core/stored-receipt.ts';
import { checkEvidence, evidenceShape } from '../evidence/check-evidence.ts';
import type { FoldContext } from '../evidence/fold-context.ts';
import type { VerifiedEvidence, VerifiedOperation } from '../evidence/fold-media.ts';
import { checkTranscript } from './check-transcript.ts';
import {
  type Recognition,
  recognitionCompleted,
  recognitionFailed,
  recognitionStarted,
  regionKinds,
  semanticReceiptShape,
} from './semantic-recognition.ts';
import { declaredLanguages } from './transcript-gates.ts';

/** What the recognition of a run came to: its transcript, or why there is none. */
export interface VerifiedRecognition {
  readonly evidence: VerifiedEvidence;
  /** The run's own artifact over the transcript; null where there is none. */
  readonly artifact: Artifact | null;
  /** Null where the recogniser failed. */
  readonly receipt: SemanticEvidenceReceipt | null;
}

function detectedBy(operations: readonly VerifiedOperation[], kind: (typeof regionKinds)[number]): VerifiedEvidence {
  const found = operations.flatMap(({ evidence }) => evidence).find(({ delivered }) => delivered.kind === kind);
  if (found === undefined) throw new EvidenceChainError('recognition', 'request.regionsFrom');
  return found;
}

const namesOf = (operations: readonly VerifiedOperation[]) =>
  regionKinds.flatMap((kind) => {
    const { delivered } = detectedBy(operations, kind);
    return delivered.state === 'available'
      ? [{ artifactId: delivered.artifactId, contentId: delivered.contentId }]
      : [];
  });

/** Recognition begins: once, after the passes over the media, by the grant of the run. */
export function foldRecognitionStarted({ run, journal }: FoldContext, operations: readonly VerifiedOperation[]): void {
  const { producer, limits } = journal.expect('semantic.evidence_started').data;
  if (run.ids.recognitionGrantId === undefined) throw journal.fault('type');
  journal.take([recognitionStarted(run, { producer, limits, regionsFrom: namesOf(operations) })]);
}

/** The recogniser failed, or was stopped with its study. */
export function foldRecognitionFailed(
  { run, journal, report }: FoldContext,
  open: Recognition | null,
): VerifiedRecognition {
  const { operationId, reason } = journal.expect('semantic.evidence_failed').data;
  if (open === null) throw journal.fault('type');
  journal.take([recognitionFailed(run, open, reason)]);
  report({ link: 'recognition', subject: operationId, contentId: null, detail: `failed: ${reason.code}` });
  const failed = { kind: 'transcript', state: 'unavailable', reasonCode: 'recognition_failed' } as const;
  return {
    evidence: { delivered: { ...failed, artifactId: null, contentId: null }, artifact: null },
    artifact: null,
    receipt: null,
  };
}

/** Without a transcript there was no sound, or the recogniser does not serve the language. */
function checkReason({ reasonCode }: MediaEvidence, { regionsFrom }: Recognition): void {
  if (reasonCode === null) return;
  const derived = regionsFrom.length < regionKinds.length ? 'no_audio_in_range' : 'language_not_recognised';
  demandDerived('recognition', { evidence: { reasonCode } }, { evidence: { reasonCode: derived } });
}

async function reopenedTranscript(
  { run, source, content }: FoldContext,
  contentId: string,
  { producer }: Recognition,
  operations: readonly VerifiedOperation[],
): Promise<{ readonly transcript: EvidenceArtifact; readonly bytes: number }> {
  const { body: transcript, bytes } = await readReceipt(evidenceShape, content, contentId);
  const [speech, silences] = regionKinds.map((kind) => detectedBy(operations, kind).artifact);
  if (speech == null || silences == null) throw new EvidenceChainError('recognition', 'receipt.evidence');
  checkObject(contentId, () => {
    checkEvidence(transcript, { run, source: source.registered, operation: producer, kind: 'transcript' });
    checkTranscript(transcript, { speech, silences, languages: declaredLanguages(run.record.analysisRequest) });
  });
  return { transcript, bytes };
}

/**
 * Reopens the transcript, judges its lines again, and derives receipt and artifact. Throws `EvidenceChainError` at the first
 * place that does not follow.
 */
export async function foldRecognitionCompleted(
  context: FoldContext,
  open: Recognition | null,
  operations: readonly VerifiedOperation[],
): Promise<VerifiedRecognition> {
  const { run, journal, content, report } = context;
  const recorded = journal.count('artifact.recorded');
  if (open === null) throw journal.fault('type', recorded);
  const { receiptContentId } = journal.expect('semantic.evidence_completed', recorded).data;
  const { body: receipt } = await readReceipt(semanticReceiptShape, content, receiptContentId);
  const { evidence: delivered } = receipt;
  const opened =
    delivered.state === 'available'
      ? await reopenedTranscript(context, delivered.contentId, open, operations)
      : { transcript: null, bytes: 0 };
  checkReason(delivered, open);
  const { state } = delivered;
  const kind = 'transcript' as const;
  const evidence =
    state === 'available'
      ? { kind, state, contentId: delivered.contentId, bytes: opened.bytes }
      : { kind, state, reasonCode: delivered.reasonCode };
  const { transcript } = opened;
  const derived = recognitionCompleted(run, open, { evidence, transcript, reused: receipt.reused });
  demandDerived('recognition', receipt, derived.receipt);
  journal.take(derived.step.events);
  const { passedLines, withheldLines } = receipt.result;
  const detail = `${counted(passedLines, 'line')}, ${withheldLines} withheld`;
  report({ link: 'recognition', subject: receipt.operationId, contentId: receiptContentId, detail });
  const verified = { delivered, artifact: transcript } as VerifiedEvidence;
  return { evidence: verified, artifact: derived.artifact, receipt };
}
