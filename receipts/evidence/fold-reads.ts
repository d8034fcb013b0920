import type { Range } from '../../contract/base/grammar.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import type { EvidenceReadReceipt } from '../../contract/evidence/evidence-read.ts';
import type { FurtherArtifact } from '../../contract/evidence/further-evidence.ts';
import type { SemanticEvidenceReceipt } from '../../contract/recognition/semantic-evidence.ts';
import type { ScreenTextReceipt } from '../../contract/screentext/screen-text-operation.ts';
import { preflightEvidenceArtifact } from '../core/artifact.ts';
import { counted } from '../core/checked-link.ts';
import { checkObject, demandDerived, EvidenceChainError } from '../core/evidence-chain-error.ts';
import { readReceipt, type StoredReceipt } from '../core/stored-receipt.ts';
import { readingOf, type StudyRun } from '../core/study-run.ts';
import type { VerifiedSource } from '../sources/reopen-source.ts';
import { readEvents, readEvidence, readShape } from './evidence-read.ts';
import type { FoldContext } from './fold-context.ts';
import type { VerifiedGrant } from './fold-granted.ts';
import type { VerifiedOperation } from './fold-media.ts';
import {
  languageEvidence,
  type ReadableEvidence,
  screenTextEvidence,
  speechEvidence,
  transcriptEvidence,
} from './readable-evidence.ts';

export type VerifiedRead = StoredReceipt<EvidenceReadReceipt>;

/** What a run detected before it reads. */
interface Measured {
  readonly operations: readonly VerifiedOperation[];
  readonly recognition: Pick<VerifiedGrant<SemanticEvidenceReceipt, EvidenceArtifact>, 'found' | 'artifact'> | null;
  readonly screenText: Pick<VerifiedGrant<ScreenTextReceipt, FurtherArtifact>, 'found' | 'artifact' | 'receipt'> | null;
}

/**
 * The evidence of a run that claims may rest on: its own speech activity, the languages that came with the source, and the
 * lines of its transcript and the texts on its screen that passed the gates.
 */
export function readableOf(
  { registered, records }: VerifiedSource,
  runId: string,
  { operations, recognition, screenText }: Measured,
): ReadableEvidence[] {
  const readable = operations.flatMap(({ evidence, artifacts }) =>
    evidence.flatMap(({ delivered, artifact }) => {
      if (artifact?.kind !== 'speech_activity') return [];
      const recorded = artifacts.find(({ id }) => id === delivered.artifactId);
      if (recorded === undefined) return [];
      return [checkObject(recorded.content.contentId, () => speechEvidence(recorded, artifact))];
    }),
  );
  for (const pinned of registered.pinnedEvidence) {
    if (pinned.kind !== 'language-ranges-receipt' || records.languageRanges === null) continue;
    const artifact = preflightEvidenceArtifact(runId, registered, pinned);
    readable.push(languageEvidence(artifact, records.languageRanges.record));
  }
  if (recognition?.found != null && recognition.artifact !== null) {
    readable.push(transcriptEvidence(recognition.artifact, recognition.found));
  }
  // Studies by the first version of the reader read no text on their screen.
  if (screenText?.found != null && screenText.artifact !== null && screenText.receipt?.producer.version !== '1') {
    readable.push(screenTextEvidence(screenText.artifact, screenText.found));
  }
  return readable;
}

/** The windows over one evidence follow each other without a gap from the start of the range to its end. */
export function checkWindows(
  reads: readonly VerifiedRead[],
  evidence: readonly ReadableEvidence[],
  range: Range,
): void {
  for (const { artifact } of evidence) {
    let reached = range.startMs;
    for (const { contentId, body } of reads) {
      if (body.input.artifactId !== artifact.id) continue;
      const { startMs, endMs } = body.authorization;
      if (startMs !== reached || endMs <= startMs) {
        throw new EvidenceChainError('read', 'authorization.startMs', undefined, contentId);
      }
      reached = endMs;
    }
    if (reached !== range.endMs) throw new EvidenceChainError('read', `no read of ${artifact.id} after ${reached} ms`);
  }
}

/** Derives a read again from its evidence and its window. Throws `EvidenceChainError` at the first place that does not follow. */
export function auditRead(run: StudyRun, read: EvidenceReadReceipt, evidence: readonly ReadableEvidence[]): void {
  const { input, authorization } = read;
  const origin = evidence.find(({ artifact }) => artifact.id === input.artifactId);
  if (origin === undefined) throw new EvidenceChainError('read', 'input.artifactId');
  const { startMs, endMs } = authorization;
  demandDerived('read', read, readEvidence(run, { evidence: origin, window: { startMs, endMs } }));
}

/**
 * Takes all reads, which are written together: reopens their receipts and derives each again from the evidence and its
 * window. All evidence has to be read over the whole range, in as many reads as the run was granted. Throws
 * `EvidenceChainError`.
 */
export async function foldReads(
  { run, journal, content, report, pause }: FoldContext,
  evidence: readonly ReadableEvidence[],
): Promise<VerifiedRead[]> {
  const reads: VerifiedRead[] = [];
  while (journal.typeAt() === 'evidence.read_started') {
    if (reads.length === readingOf(run).maxReads) throw journal.fault('type');
    const { receiptContentId } = journal.expect('evidence.read_completed', 1).data;
    const read = await readReceipt(readShape, content, receiptContentId);
    checkObject(receiptContentId, () => auditRead(run, read.body, evidence));
    journal.take(readEvents(run, read.body, receiptContentId));
    reads.push(read);
    const { operationId, facts, input } = read.body;
    const detail = `${counted(facts.length, 'fact')} of ${input.evidenceKind}`;
    report({ link: 'read', subject: operationId, contentId: receiptContentId, detail });
    await pause();
  }
  checkWindows(reads, evidence, run.record.analysisRequest.range);
  return reads;
}
