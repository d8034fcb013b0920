import type { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import type { EvidenceArtifact, FurtherArtifact } from '../../contract/evidence/evidence.ts';
import {
  type EvidenceFact,
  type EvidenceReadReceipt,
  evidenceReadReceipt,
  maximumReadReceiptBytes,
  type ReadingAllowance,
  readLimits,
} from '../../contract/evidence/evidence-read.ts';
import type { SemanticEvidenceReceipt } from '../../contract/recognition.ts';
import type { ScreenTextReceipt } from '../../contract/screentext.ts';
import { studyStages } from '../../contract/study/stages.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import { countText } from '../../formats/readable-numbers.ts';
import { packReads } from '../../rules/claims.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import type { VerifiedGrant } from '../evidence/granted-operation.ts';
import {
  boundedFacts,
  factBytesOf,
  factsWithin,
  languageEvidence,
  type ReadableEvidence,
  samplesPerMs,
  screenTextEvidence,
  speechEvidence,
  transcriptEvidence,
} from '../evidence/readable-evidence.ts';
import { checkObject, demandDerived, EvidenceChainError } from '../evidence-chain.ts';
import { operationIdOf, preflightEvidenceArtifact } from '../identities.ts';
import { draftEvent } from '../journal.ts';
import type { VerifiedSource } from '../sources/reopen-source.ts';
import { readStoredReceipt, type StoredReceipt, type StoredShape, sealedBy, storedJson } from '../stored-records.ts';
import { operationDone } from '../study/progress.ts';
import { causeOf, type FoldContext, readingOf, type StepResult, type StudyRun } from '../study-run.ts';
import type { VerifiedOperation } from './detect.ts';
import { isMeasured } from './detect.ts';
import type { RunStage } from './stage.ts';

/** One read to be made: half-open windows of the same evidence follow each other without a gap and cover the range. */
interface PlannedRead {
  readonly evidence: ReadableEvidence;
  readonly window: Range;
}

const isWhole = (facts: readonly EvidenceFact[], window: Range): boolean => {
  const within = factsWithin(facts, window);
  return boundedFacts(within).length === within.length;
};

/** The times at which a window may end without cutting through a fact: each begin of one, and the end of the range. */
function seamsOf({ facts }: ReadableEvidence, range: Range): number[] {
  const starts = facts.map(({ startSample }) => Math.floor(startSample / samplesPerMs));
  const inside = starts.filter((startMs) => startMs > range.startMs && startMs < range.endMs);
  return [...new Set(inside), range.endMs].sort((one, other) => one - other);
}

/**
 * The last of the ascending seams that a window from `startMs` can reach and still return all its facts; the first if there is
 * none. More seams never take facts away, so the search halves.
 */
function farthest(facts: readonly EvidenceFact[], startMs: number, seams: readonly number[]): number {
  let whole = 0;
  let broken = seams.length;
  while (broken - whole > 1) {
    const middle = (whole + broken) >> 1;
    if (isWhole(facts, { startMs, endMs: seams[middle] ?? startMs })) whole = middle;
    else broken = middle;
  }
  return whole;
}

/** A window with the facts that a read of it returns. */
interface ReadWindow {
  readonly window: Range;
  readonly facts: readonly EvidenceFact[];
}

const windowOf = (facts: readonly EvidenceFact[], window: Range): ReadWindow => ({
  window,
  facts: boundedFacts(factsWithin(facts, window)),
});

/**
 * Cuts the range into the fewest windows that return all their facts: each reaches as far as it can. Speech and non-speech
 * windows take turns, so that every seam of speech evidence lies at a non-speech window. After `maximum` windows the last
 * reaches to the end of the range, whatever it has to drop.
 */
function cutWindows(evidence: ReadableEvidence, range: Range, maximum: number): ReadWindow[] {
  const { facts } = evidence;
  const windows: ReadWindow[] = [];
  const seams = seamsOf(evidence, range);
  let { startMs } = range;
  // The first fact that may reach into the window, and the first seam inside of it.
  let [fact, seam] = [0, 0];
  while (windows.length < maximum - 1 && startMs < range.endMs) {
    // A fact begins at each seam but the end of the range: one seam more holds a fact more than a read returns.
    const near = seams.slice(seam, seam + readLimits.maxItems + 1);
    const [from, until] = [startMs * samplesPerMs, ((near.at(-1) ?? startMs) + 1) * samplesPerMs];
    while ((facts[fact]?.endSample ?? Number.POSITIVE_INFINITY) <= from) fact += 1;
    let behind = fact;
    while ((facts[behind]?.startSample ?? Number.POSITIVE_INFINITY) < until) behind += 1;
    const reachable = facts.slice(fact, behind);
    const reached = farthest(reachable, startMs, near);
    const endMs = near[reached] ?? range.endMs;
    windows.push(windowOf(reachable, { startMs, endMs }));
    seam += reached + 1;
    startMs = endMs;
  }
  return startMs < range.endMs ? [...windows, windowOf(facts, { startMs, endMs: range.endMs })] : windows;
}

/** The reads of one evidence, of which the last may have to be given up. */
class EvidenceReads {
  readonly #evidence: ReadableEvidence;
  readonly #range: Range;
  #reads: readonly ReadWindow[];

  constructor(evidence: ReadableEvidence, range: Range, maximum: number) {
    this.#evidence = evidence;
    this.#range = range;
    this.#reads = cutWindows(evidence, range, maximum);
  }

  get reads(): readonly ReadWindow[] {
    return this.#reads;
  }

  planned(): PlannedRead[] {
    return this.#reads.map(({ window }) => ({ evidence: this.#evidence, window }));
  }

  /** The read before the last reaches to the end of the range instead. */
  giveUpLast(): void {
    const kept = this.#reads.slice(0, -1);
    const { window = this.#range } = kept.pop() ?? {};
    this.#reads = [...kept, windowOf(this.#evidence.facts, { ...window, endMs: this.#range.endMs })];
  }
}

/**
 * The windows of evidence that a study reads: everything, in as few reads as that takes. If its reads or assessments do not
 * suffice, the evidence with the most reads (the later of equals) gives one up until they do. Its last read is then truncated.
 * Deterministic.
 */
export function planReads(
  range: Range,
  evidence: readonly ReadableEvidence[],
  { maxReads, maxAuditedAssessments }: ReadingAllowance,
): PlannedRead[] {
  const wanted = evidence.map((each) => new EvidenceReads(each, range, maxReads));
  for (;;) {
    const reads = wanted.flatMap((each) => each.reads);
    const counts = wanted.map((each) => each.reads.length);
    const most = Math.max(...counts);
    const fits = reads.length <= maxReads && packReads(reads).length <= maxAuditedAssessments;
    if (fits || most <= 1) return wanted.flatMap((each) => each.planned());
    wanted[counts.lastIndexOf(most)]?.giveUpLast();
  }
}

const { capability } = studyStages.read.grant;

/** The stored form of a read. It is not an artifact of its run. */
export const readShape = {
  link: 'read',
  schema: evidenceReadReceipt,
  maximumBytes: maximumReadReceiptBytes,
} as const satisfies StoredShape<z.ZodType>;

/** Under which names a completed read is found again. */
interface ReadReference {
  readonly operationId: string;
  readonly receiptId: string;
  readonly receiptContentId: string;
}

/** The schema of the artifact that each kind of evidence lies in. */
const evidenceSchemas = {
  speech_activity: 'studio.detected-evidence.v1',
  language_ranges: 'studio.language-ranges.v1',
  transcript: 'studio.detected-evidence.v1',
  screen_text: 'studio.further-evidence.v1',
} as const satisfies Record<EvidenceReadReceipt['input']['evidenceKind'], string>;

/** The name of a read: which evidence, which window, within which bounds. */
const readOperationIdOf = ({ authorization, input }: Pick<EvidenceReadReceipt, 'authorization' | 'input'>) => {
  const { startMs, endMs, maxBytes, maxItems } = authorization;
  return operationIdOf({
    operation: capability,
    inputContentIds: [input.contentId],
    range: { startMs, endMs },
    tools: [],
    parameters: { maxBytes, maxItems },
  });
};

/** A read receipt with the id that its other fields give it. */
const identifiedRead = (body: Omit<EvidenceReadReceipt, 'schema' | 'receiptId'>): EvidenceReadReceipt => ({
  schema: 'studio.evidence-read.receipt.v2',
  receiptId: `evidence-read:${hashOf(body)}`,
  ...body,
});

/** Reads one window of one evidence artifact: what lies there, cut to the window, as much as a read may return. */
export function readEvidence({ record, ids }: StudyRun, { evidence, window }: PlannedRead): EvidenceReadReceipt {
  const { sourceArtifactId, sourceSession } = record;
  const { artifact, kind } = evidence;
  const within = factsWithin(evidence.facts, window);
  const facts = boundedFacts(within);
  const authorization = {
    grantId: ids.grantIds[capability],
    taskId: ids.taskId,
    agentId: ids.agentId,
    sourceArtifactId,
    startMs: window.startMs,
    endMs: window.endMs,
    maxBytes: readLimits.maxBytes,
    maxItems: readLimits.maxItems,
  };
  const input = {
    artifactId: artifact.id,
    contentId: artifact.content.contentId,
    bytes: artifact.content.bytes,
    evidenceKind: kind,
    receiptSchema: evidenceSchemas[kind],
  };
  return identifiedRead({
    operationId: readOperationIdOf({ authorization, input }),
    capability,
    authorization,
    input,
    producer: {
      id: 'studio.bounded-evidence-read',
      version: '2',
      rangePolicy: 'intersect_and_clip_to_authorized_window',
    },
    facts,
    result: {
      availableItems: within.length,
      returnedItems: facts.length,
      returnedFactBytes: factBytesOf(facts),
      truncated: facts.length < within.length,
    },
    lineage: {
      preflightId: sourceSession.preflight.preflightId,
      preflightContentId: sourceSession.preflight.contentId,
      sourceArtifactIds: [sourceArtifactId],
    },
  });
}

function readStarted(run: StudyRun, { operationId, authorization, input }: EvidenceReadReceipt) {
  const { grantId, taskId, agentId, ...bounds } = authorization;
  const request = { operationId, taskId, agentId, executionId: run.ids.executionId, artifactId: input.artifactId };
  return draftEvent(
    'evidence.read_started',
    { request, grantId, evidenceKind: input.evidenceKind, ...bounds },
    causeOf(run),
  );
}

/**
 * Reads all of this evidence in the study's range, in the order given, window by window. No evidence, no read. The receipts are
 * stored and are in the journal; they are not artifacts. One after the other, so that other work can run in between.
 */
export function* eachRead(run: StudyRun, evidence: readonly ReadableEvidence[]): Generator<StepResult<ReadReference>> {
  for (const planned of planReads(run.record.analysisRequest.range, evidence, readingOf(run))) {
    const receipt = readEvidence(run, planned);
    const object = storedJson(receipt);
    const { operationId, receiptId } = receipt;
    const events = readEvents(run, receipt, object.contentId);
    yield {
      objects: [sealedBy(readShape.schema, object, events[1])],
      events,
      refs: { operationId, receiptId, receiptContentId: object.contentId },
    };
  }
}

/** The journal events of one read. */
const readEvents = (
  run: StudyRun,
  receipt: EvidenceReadReceipt,
  receiptContentId: string,
): [EventDraft, EventDraft] => [
  readStarted(run, receipt),
  draftEvent('evidence.read_completed', { operationId: receipt.operationId, receiptContentId, receipt }, causeOf(run)),
];

export type VerifiedRead = StoredReceipt<EvidenceReadReceipt>;

/** The measurements of a run before it reads. */
interface Measured {
  readonly operations: readonly VerifiedOperation[];
  readonly recognition: Pick<VerifiedGrant<SemanticEvidenceReceipt, EvidenceArtifact>, 'found' | 'artifact'> | null;
  readonly screenText: Pick<VerifiedGrant<ScreenTextReceipt, FurtherArtifact>, 'found' | 'artifact' | 'receipt'> | null;
}

/**
 * The evidence of a run that claims may rest on. This is its own speech activity and the languages that came with the source. It
 * also has the lines of its transcript and the texts on its screen that passed the gates.
 */
function readableOf(
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
function checkWindows(reads: readonly VerifiedRead[], evidence: readonly ReadableEvidence[], range: Range): void {
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
async function foldReads(
  { run, journal, content, report, pause }: FoldContext,
  evidence: readonly ReadableEvidence[],
): Promise<VerifiedRead[]> {
  const reads: VerifiedRead[] = [];
  while (journal.typeAt() === 'evidence.read_started') {
    if (reads.length === readingOf(run).maxReads) throw journal.fault('type');
    const { receiptContentId } = journal.expect('evidence.read_completed', 1).data;
    const read = await readStoredReceipt(readShape, content, receiptContentId);
    checkObject(receiptContentId, () => auditRead(run, read.body, evidence));
    journal.take(readEvents(run, read.body, receiptContentId));
    reads.push(read);
    const { operationId, facts, input } = read.body;
    const detail = `${countText(facts.length, 'fact')} of ${input.evidenceKind}`;
    report({ link: 'read', subject: operationId, contentId: receiptContentId, detail });
    await pause();
  }
  checkWindows(reads, evidence, run.record.analysisRequest.range);
  return reads;
}

/** The measurements of a run, and its reads of them. */
export interface ReadFindings extends Measured {
  readonly reads: readonly VerifiedRead[];
}

interface Readable extends ReadFindings {
  readonly assessments: readonly unknown[];
}

/** Evidence that nothing was read of had nothing to read. Throws `EvidenceChainError`. */
export function checkReads({ run, source }: FoldContext, { reads, ...measured }: ReadFindings): void {
  if (reads.length > 0) return;
  const { runtimeId, analysisRequest } = run.record;
  checkWindows(reads, readableOf(source, runtimeId, measured), analysisRequest.range);
}

/** The evidence that claims may rest on is read in windows, all of it, once. */
export const readStage: RunStage<Readable, Pick<Readable, 'reads'>, { readonly findings: Pick<Readable, 'reads'> }> = {
  name: 'read',
  nothing: { reads: [] },
  records: { read: evidenceReadReceipt },
  derived: (run, source, findings) => eachRead(run, readableOf(source, run.record.runtimeId, findings)),
  progress: {
    'evidence.read_completed': (progress, { operationId }) => operationDone(progress, 'read', operationId),
  },
  folds: {
    'evidence.read_started': async (context, study) => {
      const { findings } = study;
      const isUnread = findings.reads.length + findings.assessments.length === 0;
      if (!isMeasured(study) || !isUnread) throw context.journal.fault('type');
      const evidence = readableOf(context.source, context.run.record.runtimeId, findings);
      return { findings: { reads: await foldReads(context, evidence) } };
    },
  },
};
