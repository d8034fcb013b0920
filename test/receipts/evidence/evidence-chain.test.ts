import test from 'ava';
import type { StoredObject } from '../../../contract/base/stored-object.ts';
import { evidenceReadReceipt } from '../../../contract/evidence/evidence-read.ts';
import { journalEvent } from '../../../contract/journal/journal-event.ts';
import { canonicalJson, contentIdOfBytes } from '../../../receipts/core/canonical-json.ts';
import { EvidenceChainError } from '../../../receipts/core/evidence-chain-error.ts';
import { firstDifference } from '../../../receipts/core/first-difference.ts';
import { reopenJson, storedJson } from '../../../receipts/core/stored-json.ts';
import { performDecision } from '../../../receipts/evidence/evidence-decision.ts';
import type { ReadableEvidence } from '../../../receipts/evidence/readable-evidence.ts';
import { admitStudy } from '../../../receipts/study/study-admission.ts';
import { executionFinished } from '../../../receipts/study/study-closing.ts';
import { concludeStudy } from '../../../receipts/study/study-record.ts';
import type { EventDraft } from '../../../storage/ledger/ledger.ts';
import { acceptedAt } from '../sources/korean-clip.ts';
import { reopenAssessment, reopenDecision, reopenRead } from './opened-records.ts';
import { performAssessments, performReads } from './performed.ts';
import { divided, inTurn, range, readsOf, run, runId, spoken, turns } from './spoken-study.ts';

/** Carries a study from its reads to the queue, each step over nothing but what the earlier ones stored. */
function carriedOut(evidence: readonly ReadableEvidence[]) {
  const objectStore = new Map<string, Uint8Array>();
  const events: EventDraft[] = [];
  const kept = <References>(step: {
    objects: readonly StoredObject[];
    events: readonly EventDraft[];
    refs: References;
  }): References => {
    for (const { contentId, bytes } of step.objects) objectStore.set(contentId, bytes);
    events.push(...step.events);
    return step.refs;
  };
  const opened = (contentId: string): StoredObject => {
    const bytes = objectStore.get(contentId);
    if (bytes === undefined) throw new RangeError(`${contentId} was not stored`);
    return { contentId, bytes };
  };
  const readRefs = kept(performReads(run, evidence));
  const reads = () => readRefs.map(({ receiptContentId }) => reopenRead(opened(receiptContentId)));
  const assessmentRefs = kept(performAssessments(run, reads()));
  const assessments = () => assessmentRefs.map(({ receiptContentId }) => reopenAssessment(opened(receiptContentId)));
  const decisionRef = assessmentRefs.length === 0 ? null : kept(performDecision(run, assessments()));
  const decision = () => (decisionRef === null ? null : reopenDecision(opened(decisionRef.receiptContentId)));
  const study = kept(
    concludeStudy(run, { evidence: [], reads: reads(), assessments: assessments(), decision: decision() }),
  );
  const finished = executionFinished(
    run,
    { startedAt: acceptedAt, finishedAt: acceptedAt, resumes: 0, operationIds: [] },
    study,
  );
  events.push(finished.event);
  const { outcome } = kept(
    admitStudy(
      run,
      {
        ...study,
        executorReceiptId: finished.receipt.receiptId,
        executorReceiptContentId: finished.receiptContentId,
      },
      decision(),
    ),
  );
  return { objectStore, events, outcome };
}

const typesOf = (events: readonly EventDraft[]): string[] => events.map(({ type }) => type);

const admission = [
  'artifact.recorded',
  'executor.finished',
  'artifact.recorded',
  'publish.review.intake_started',
  'artifact.recorded',
  'publish.review.intake_completed',
];

test('a study goes from its reads to the review queue in the order of a default run', (t) => {
  const { events, outcome } = carriedOut([spoken(turns(divided(range, 3))), inTurn(['ko'])]);
  t.deepEqual(typesOf(events), [
    'evidence.read_started',
    'evidence.read_completed',
    'evidence.read_started',
    'evidence.read_completed',
    'analysis.evidence.assessment_started',
    'artifact.recorded',
    'analysis.evidence.assessment_completed',
    'analysis.evidence.decision_started',
    'artifact.recorded',
    'analysis.evidence.decision_completed',
    ...admission,
  ]);
  t.is(outcome, 'queued');
});

test('a study without a claim has neither assessment nor decision and is rejected', (t) => {
  const nothingRead = carriedOut([]);
  t.deepEqual(typesOf(nothingRead.events), admission);
  t.is(nothingRead.outcome, 'rejected');
  const nothingFound = carriedOut([spoken([])]);
  t.deepEqual(typesOf(nothingFound.events), ['evidence.read_started', 'evidence.read_completed', ...admission]);
  t.is(nothingFound.outcome, 'rejected');
});

test('an artifact is recorded before any event or artifact that names it', (t) => {
  const evidence = [spoken(turns(divided(range, 300))), inTurn(['ko', 'en'])];
  const { events } = carriedOut(evidence);
  const known = new Set([run.record.sourceArtifactId, ...evidence.map(({ artifact }) => artifact.id)]);
  for (const { type, data } of events) {
    const own = type === 'artifact.recorded' ? (data as { artifact: { id: string } }).artifact.id : null;
    const named = canonicalJson(data).match(/artifact:[a-f0-9]{64}/g) ?? [];
    t.deepEqual(
      named.filter((id) => id !== own && !known.has(id)),
      [],
      type,
    );
    if (own !== null) known.add(own);
  }
});

test('every event of the chain is one that a journal may hold, and everything it names is stored', (t) => {
  const { events, objectStore } = carriedOut([spoken(turns(divided(range, 300))), inTurn(['ko', 'unknown'])]);
  for (const [index, draft] of events.entries()) {
    const event = { schema: 'studio.runtime.event.v1', runId, seq: index + 1, eventId: `event:${runId}:${index + 1}` };
    t.notThrows(() => journalEvent.parse({ ...event, recordedAt: acceptedAt, ...draft }), draft.type);
  }
  const receipts = events.flatMap(({ type, data }) =>
    type.startsWith('evidence.') || type.startsWith('analysis.')
      ? [(data as { receiptContentId?: string }).receiptContentId].filter((id) => id !== undefined)
      : [],
  );
  t.true(receipts.length > 5);
  t.true(receipts.every((id) => objectStore.has(id)));
});

test('the same evidence gives the same journal and the same bytes', (t) => {
  const evidence = () => [spoken(turns(divided(range, 200))), inTurn(['ko', 'withheld', 'en'])];
  const one = carriedOut(evidence());
  const other = carriedOut(evidence());
  t.is(canonicalJson(one.events), canonicalJson(other.events));
  t.deepEqual([...one.objectStore.keys()], [...other.objectStore.keys()]);
});

test('a stored receipt is reopened whole or not at all', (t) => {
  const [read] = readsOf([inTurn(['ko'])]);
  if (read === undefined) throw new RangeError('no read');
  const place = (bytes: Uint8Array, contentId = contentIdOfBytes(bytes), maximumBytes = 4096) =>
    t.throws(() => reopenJson({ link: 'read', schema: evidenceReadReceipt, maximumBytes }, { contentId, bytes }), {
      instanceOf: EvidenceChainError,
    })?.place;
  const stored = storedJson(read);
  t.deepEqual(reopenRead(stored), read);
  t.is(place(stored.bytes, stored.contentId, stored.bytes.length - 1), 'size');
  t.is(place(stored.bytes, `sha256:${'0'.repeat(64)}`), 'content');
  t.is(place(stored.bytes.subarray(0, -3)), 'encoding');
  t.is(place(Buffer.from([0x22, 0xff, 0x22, 0x0a])), 'encoding');
  t.is(place(Buffer.from(JSON.stringify(read, null, 1))), 'canonical_form');
  t.is(place(stored.bytes.subarray(0, -1)), 'canonical_form');
  t.is(place(storedJson({ ...read, capability: 'media.seek' }).bytes), 'capability');
  t.is(place(storedJson({ ...read, extra: 1 }).bytes), 'extra');
});

test('an inconsistent record answers on the wire as inconsistent stored content', (t) => {
  const error = new EvidenceChainError('read', 'facts[0].endMs');
  t.is(error.code, 'stored_content_inconsistent');
  t.is(error.message, 'the read fails at: facts[0].endMs');
});

test('the first difference of two values is named by its path', (t) => {
  t.is(firstDifference({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }), null);
  t.is(firstDifference({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }), 'a[1].b');
  t.is(firstDifference({ b: 1, a: 1 }, { b: 2, a: 2 }), 'a');
  t.is(firstDifference([1, 2], [1]), '[1]');
  t.is(firstDifference({ a: [] }, { a: {} }), 'a');
  t.is(firstDifference({ a: null }, {}), 'a');
  t.is(firstDifference(1, '1'), '');
});
