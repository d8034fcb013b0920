import test from 'ava';
import type { Range } from '../../../contract/base/grammar.ts';
import { maximumDecisionReceiptBytes } from '../../../contract/evidence/assessment.ts';
import {
  type EvidenceReadReceipt,
  evidenceReadReceipt,
  languageRangeFact,
  longestReading,
  longRanges,
  readingAllowanceOf,
  readLimits,
  usualReading,
} from '../../../contract/evidence/evidence-read.ts';
import { canonicalJson, contentIdOfJson, hashOf } from '../../../formats/canonical-json.ts';
import { boundedFacts, speechEvidence } from '../../../receipts/evidence/readable-evidence.ts';
import { auditRead, planReads, readEvidence } from '../../../receipts/stages/read.ts';
import { fieldOf, fieldsOf } from '../../fields.ts';
import { seededNumbers } from '../../storage/ledger/scratch.ts';
import { contentOf, storedRuntimeOf } from '../core/stored-content-in-memory.ts';
import { faultPlace } from '../reopening/fault-place.ts';
import { mutationsOf } from '../reopening/mutations.ts';
import { placeOf, reopened } from '../reopening/reopened.ts';
import { performReads } from './performed.ts';
import {
  contentIdsOf,
  divided,
  identified,
  inTurn,
  type LanguageOutcome,
  only,
  range,
  readsOf,
  run,
  spoken,
  turns,
  vad,
} from './spoken-study.ts';
import { type StoredStudy, storedStudy } from './stored-study.ts';

const windowsOf = (reads: readonly EvidenceReadReceipt[]): Range[] =>
  reads.map(({ authorization: { startMs, endMs } }) => ({ startMs, endMs }));

const countsOf = (reads: readonly EvidenceReadReceipt[]): number[] => reads.map(({ facts }) => facts.length);

const isTruncated = ({ result }: EvidenceReadReceipt): boolean => result.truncated;

/** Lists the faults of windows that should cover the range one after the other. */
function uncovered(windows: readonly Range[]): string | null {
  let reached = range.startMs;
  for (const { startMs, endMs } of windows) {
    if (startMs !== reached || endMs <= startMs) return `[${startMs}, ${endMs}) after ${reached}`;
    reached = endMs;
  }
  return reached === range.endMs ? null : `ends at ${reached}`;
}

test('64 windows are one read, the 65th begins a second', (t) => {
  t.deepEqual(countsOf(readsOf([spoken(turns(divided(range, 64)))])), [64]);
  const windows = divided(range, 65);
  const reads = readsOf([spoken(turns(windows))]);
  t.deepEqual(countsOf(reads), [64, 1]);
  t.deepEqual(windowsOf(reads), [
    { startMs: 1000, endMs: windows[64]?.startMs ?? 0 },
    { startMs: windows[64]?.startMs ?? 0, endMs: 41000 },
  ]);
});

for (const first of ['speech', 'silence'] as const) {
  test(`1024 windows that begin with ${first} are sixteen whole reads`, (t) => {
    const reads = readsOf([spoken(turns(divided(range, 1024), first))]);
    t.deepEqual(countsOf(reads), new Array(16).fill(64));
    t.false(reads.some(isTruncated));
    t.is(uncovered(windowsOf(reads)), null);
  });
}

test('the 1025th window is dropped, and the last read says so', (t) => {
  const evidence = [spoken(turns(divided(range, 1025)))];
  const reads = readsOf(evidence);
  t.is(uncovered(windowsOf(reads)), null);
  t.deepEqual(countsOf(reads), new Array(16).fill(64));
  t.deepEqual(reads.map(isTruncated), [...new Array(15).fill(false), true]);
  t.is(reads.at(-1)?.result.availableItems, 65);
  for (const read of reads) t.notThrows(() => auditRead(run, read, evidence));
});

test('no read ends inside a speech window', (t) => {
  const windows = divided(range, 300);
  const facts = turns(windows);
  const seams = new Set(windows.flatMap(({ startMs, endMs }) => [startMs, endMs]));
  const reads = readsOf([spoken(facts)]);
  t.deepEqual(
    reads.flatMap((read) => read.facts),
    facts,
  );
  t.true(windowsOf(reads).every(({ startMs, endMs }) => seams.has(startMs) && seams.has(endMs)));
});

test('a read that would need more claims than an assessment has is cut before the ninth language', (t) => {
  const language = ['ko', 'en', 'ja', 'fr', 'de', 'es', 'it', 'unknown', 'withheld', 'zh'];
  const reads = readsOf([inTurn(language)]);
  t.deepEqual(countsOf(reads), [9, 1]);
  t.is(uncovered(windowsOf(reads)), null);
});

test('speech and language share sixteen reads, and what one leaves the other takes', (t) => {
  const speech = spoken(turns(divided(range, 1000)));
  const many = inTurn(new Array(1000).fill('ko'));
  const counted = (reads: readonly EvidenceReadReceipt[]) =>
    ['speech_activity', 'language_ranges'].map(
      (kind) => reads.filter(({ input }) => input.evidenceKind === kind).length,
    );
  t.deepEqual(counted(readsOf([speech, many])), [8, 8]);
  t.deepEqual(counted(readsOf([speech, inTurn(['ko'])])), [15, 1]);
  t.deepEqual(counted(readsOf([spoken(turns(divided(range, 64))), many])), [1, 15]);
});

test('every plan covers the range, splits no fact, keeps the limits and is the same twice', (t) => {
  const seed = 20260103;
  t.log(`seed ${seed}`);
  const below = seededNumbers(seed);
  const codes: LanguageOutcome[] = ['ko', 'en', 'ja', 'unknown', 'withheld', 'fr', 'de', 'es', 'it', 'zh', 'vi'];
  for (let round = 0; round < 60; round += 1) {
    const speech = spoken(turns(divided(range, 1 + below(900)), below(2) === 0 ? 'speech' : 'silence'));
    const choice = codes.slice(0, 1 + below(codes.length));
    const language = Array.from({ length: 1 + below(200) }, () => choice[below(choice.length)] ?? 'ko');
    const evidence = [speech, inTurn(language)];
    const plan = planReads(range, evidence, usualReading);
    const reads = readsOf(evidence);
    t.true(reads.length <= usualReading.maxReads, `round ${round}`);
    for (const each of evidence) {
      const windows = plan.filter((read) => read.evidence === each).map(({ window }) => window);
      t.is(uncovered(windows), null, `round ${round}`);
      const mine = reads.filter(({ input }) => input.artifactId === each.artifact.id);
      if (!mine.some(isTruncated))
        t.deepEqual(
          mine.flatMap(({ facts }) => facts),
          [...each.facts],
          `round ${round}`,
        );
      t.true(
        mine.slice(0, -1).every((read) => !isTruncated(read)),
        `round ${round}`,
      );
    }
    for (const read of reads) auditRead(run, read, evidence);
    t.deepEqual(contentIdsOf(performReads(run, evidence).objects), reads.map(contentIdOfJson), `round ${round}`);
  }
});

test('a range without speech is one read of one window', (t) => {
  const evidence = [spoken(turns([range], 'silence'))];
  const read = only(readsOf(evidence));
  t.like(read.authorization, range);
  t.deepEqual(read.facts, turns([range], 'silence'));
  t.deepEqual(read.result, {
    availableItems: 1,
    returnedItems: 1,
    returnedFactBytes: Buffer.byteLength(canonicalJson(read.facts)),
    truncated: false,
  });
  t.notThrows(() => auditRead(run, read, evidence));
});

test('a range of nothing but speech is one read of one window', (t) => {
  t.deepEqual(only(readsOf([spoken(turns([range]))])).facts, turns([range]));
});

test('a range without detected speech is read and returns no facts', (t) => {
  const evidence = [spoken([])];
  const read = only(readsOf(evidence));
  t.deepEqual(read.facts, []);
  t.deepEqual(read.result, { availableItems: 0, returnedItems: 0, returnedFactBytes: 2, truncated: false });
  t.notThrows(() => auditRead(run, read, evidence));
});

test('without evidence nothing is read', (t) => {
  t.deepEqual(performReads(run, []), { objects: [], events: [], refs: [] });
});

test('facts that reach over the range are cut to it, and facts beside it are left out', (t) => {
  const evidence = identified([
    { startMs: 0, endMs: 1000, language: 'ko' },
    { startMs: 900, endMs: 1200, language: 'ko' },
    { startMs: 40900, endMs: 41500, language: 'en' },
    { startMs: 41000, endMs: 42000, language: 'en' },
  ]);
  const read = only(readsOf([evidence]));
  t.deepEqual(fieldsOf(read.facts, 'startMs', 'endMs', 'startSample', 'endSample'), [
    [1000, 1200, 16000, 19200],
    [40900, 41000, 654400, 656000],
  ]);
  t.is(read.result.availableItems, 2);
});

test('milliseconds are rounded outwards from the samples', (t) => {
  const facts = inTurn(['ko']).facts.map((fact) => ({ ...fact, startSample: 32017, endSample: 48001 }));
  const read = readEvidence(run, { evidence: { ...inTurn(['ko']), facts }, window: range });
  t.deepEqual(fieldsOf(read.facts, 'startMs', 'endMs'), [[2001, 3001]]);
});

test('facts too long for the byte limit are dropped from the end', (t) => {
  const evidence = inTurn(new Array(60).fill(`ko-${'x'.repeat(600)}`));
  const read = readEvidence(run, { evidence, window: range });
  t.true(read.result.truncated);
  t.is(read.result.availableItems, 60);
  t.true(read.result.returnedFactBytes <= readLimits.maxBytes);
  const next = evidence.facts[read.facts.length];
  t.true(Buffer.byteLength(canonicalJson([...read.facts, next])) > readLimits.maxBytes);
});

test('64 facts as long as their shape allows stay below the byte limit', (t) => {
  const share = 0.1234567890123456;
  const fact = {
    kind: 'language_range',
    speechWindowIndex: Number.MAX_SAFE_INTEGER,
    chunkIndex: Number.MAX_SAFE_INTEGER,
    startSample: Number.MAX_SAFE_INTEGER - 1,
    endSample: Number.MAX_SAFE_INTEGER,
    startMs: Number.MAX_SAFE_INTEGER - 1,
    endMs: Number.MAX_SAFE_INTEGER,
    decision: {
      status: 'withheld',
      code: `ko-${'abcdefgh-'.repeat(6)}abcdefg`,
      probability: share,
      margin: share,
      reason: 'below_probability_and_margin',
    },
  } as const;
  t.notThrows(() => languageRangeFact.parse(fact));
  t.is(fact.decision.code.length, 64);
  t.is(boundedFacts(new Array(70).fill(fact)).length, readLimits.maxItems);
});

test('reads have names of their own and are in the journal as pairs', (t) => {
  const { events, refs, objects } = performReads(run, [spoken(turns(divided(range, 65))), inTurn(['ko', 'en'])]);
  t.is(new Set(refs.map(({ operationId }) => operationId)).size, 3);
  t.true(refs.every(({ operationId }) => operationId.startsWith('operation:evidence-read:')));
  t.deepEqual(fieldOf(refs, 'receiptContentId'), contentIdsOf(objects));
  t.deepEqual(fieldOf(events, 'type'), new Array(3).fill(['evidence.read_started', 'evidence.read_completed']).flat());
  t.true(events.every(({ producer }) => producer.kind === 'evidence_host'));
});

test('a receipt is identified by all of it but its schema and its own id', (t) => {
  const { schema, receiptId, ...body } = only(readsOf([inTurn(['ko'])]));
  t.is(schema, 'studio.evidence-read.receipt.v2');
  t.is(receiptId, `evidence-read:${hashOf(body)}`);
  t.deepEqual(body.lineage, {
    preflightId: run.record.sourceSession.preflight.preflightId,
    preflightContentId: run.record.sourceSession.preflight.contentId,
    sourceArtifactIds: [run.record.sourceArtifactId],
  });
});

test('every change of a read receipt is caught by its shape or its audit', (t) => {
  const evidence = [inTurn(['ko', 'unknown'])];
  const read = only(readsOf(evidence));
  const missed = [...mutationsOf(read)].filter(({ value }) => {
    const shaped = evidenceReadReceipt.safeParse(value);
    return shaped.success && faultPlace(() => auditRead(run, shaped.data, evidence)) === null;
  });
  t.deepEqual(missed, []);
});

test('a changed read receipt with a new id is still caught if it contradicts itself', (t) => {
  const evidence = [inTurn(['ko', 'unknown'])];
  const read = only(readsOf(evidence));
  const resigned = (change: Partial<EvidenceReadReceipt>) => {
    const { schema, receiptId, ...body } = { ...read, ...change };
    return faultPlace(() => auditRead(run, { schema, receiptId: `evidence-read:${hashOf(body)}`, ...body }, evidence));
  };
  const { authorization, facts, input, result } = read;
  const [first, ...others] = facts;
  if (first === undefined) throw new RangeError('no fact');
  t.is(resigned({ facts: others }), 'read: facts[0].decision.code');
  t.is(resigned({ facts: [{ ...first, endMs: first.endMs + 1 }, ...others] }), 'read: facts[0].endMs');
  t.is(resigned({ authorization: { ...authorization, startMs: 1001 } }), 'read: facts[0].startMs');
  t.is(resigned({ authorization: { ...authorization, endMs: 40999 } }), 'read: facts[1].endMs');
  t.is(resigned({ input: { ...input, evidenceKind: 'speech_activity' } }), 'read: input.evidenceKind');
  t.is(resigned({ result: { ...result, availableItems: 1 } }), 'read: result.availableItems');
  t.is(resigned({ result: { ...result, truncated: true } }), 'read: result.truncated');
  t.is(resigned({ operationId: `operation:evidence-read:${'0'.repeat(64)}` }), 'read: operationId');
});

test('speech evidence of another kind, or with times that contradict its samples, is not read', (t) => {
  const { artifact } = spoken([]);
  const content = (facts: ReturnType<typeof turns>) => ({
    schema: 'studio.detected-evidence.v1' as const,
    kind: 'speech_activity' as const,
    input: { sourceContentId: artifact.content.contentId, range, trackIndex: 1, derivedAudio: null },
    tool: vad,
    parameters: {},
    facts,
  });
  const fact = only(turns([range]));
  const place = (value: Parameters<typeof speechEvidence>[1]) => faultPlace(() => speechEvidence(artifact, value));
  t.is(place(content([fact])), null);
  t.is(place({ ...content([fact]), kind: 'silence' }), 'evidence: kind');
  t.is(place(content([{ ...fact, startMs: 1001 }])), 'evidence: facts[0].startMs');
  t.is(place(content([{ ...fact, endSample: fact.endSample - 16 }])), 'evidence: facts[0].endMs');
  const silence = { kind: 'silence' as const, index: 0, startMs: 1000, endMs: 2000 };
  t.is(place({ ...content([]), facts: [silence] }), 'evidence: facts[0].kind');
});

const hourMs = 3_600_000;

const findingsOf = async (study: StoredStudy) => {
  const { runtime } = await reopened(storedRuntimeOf(study), contentOf(study.files));
  const { execution } = runtime;
  if (execution?.study.conclusion == null) throw new Error('the study has its end');
  return { ...execution.study.findings, ...execution.study.conclusion };
};

const grantsOf = ({ commits }: StoredStudy) =>
  commits.flat().flatMap((event) => {
    const { task } = event.data as { task?: { grants: { capability: string; maxOperations: number }[] } };
    return event.type === 'task.created' && task !== undefined
      ? task.grants.map(({ capability, maxOperations }) => [capability, maxOperations])
      : [];
  });

const ofRange = (lengthMs: number) => readingAllowanceOf({ startMs: 5, endMs: 5 + lengthMs });

test('a range decoded at once has the reads that it always had, a longer one for each window', (t) => {
  t.deepEqual(usualReading, { maxReads: 16, maxAuditedAssessments: 4 });
  t.deepEqual(ofRange(1), usualReading);
  t.deepEqual(ofRange(longRanges.aboveMs), usualReading);
  t.deepEqual(ofRange(longRanges.aboveMs + 1), { maxReads: 48, maxAuditedAssessments: 12 });
  t.deepEqual(ofRange(hourMs), { maxReads: 192, maxAuditedAssessments: 48 });
  t.deepEqual(ofRange(4 * hourMs), longestReading);
  t.deepEqual(ofRange(100 * hourMs), longestReading);
});

test('a long study reads more than 1,024 facts of speech, and is not rejected for a gap', async (t) => {
  const study = storedStudy({ version: 1, windows: 1025, lengthMs: hourMs });
  const { reads, assessments, decision, record, intake } = await findingsOf(study);
  t.is(reads.length, 17);
  t.is(reads.flatMap(({ body }) => body.facts).length, 1025);
  t.is(assessments.length, 5);
  t.is(decision?.body.authorization.maxAuditedAssessments, 48);
  t.deepEqual(decision?.body.decision.reasonCodes, ['all_audited_claims_supported']);
  t.is(record.body.coverage.length, 1);
  t.like(intake.body.result, { outcome: 'queued' });
  t.deepEqual(grantsOf(study), [
    ['media.detect', 1],
    ['media.subtitles', 1],
    ['evidence.read', 192],
    ['analysis.evidence.assess', 48],
    ['analysis.evidence.decide', 1],
  ]);
});

test('a long study that an earlier version opened keeps the grants that it was given', async (t) => {
  const study = storedStudy({ version: 1, windows: 1025, lengthMs: hourMs, granted: usualReading });
  const { reads, decision, intake } = await findingsOf(study);
  t.is(reads.length, 16);
  t.is(reads.at(-1)?.body.result.truncated, true);
  t.is(decision?.body.authorization.maxAuditedAssessments, 4);
  t.like(intake.body.result, { outcome: 'rejected' });
});

test('grants that no version gives are found', async (t) => {
  const granted = { maxReads: 160, maxAuditedAssessments: 40 };
  for (const lengthMs of [4000, hourMs]) {
    const study = storedStudy({ version: 1, windows: 9, lengthMs, granted });
    t.regex(
      (await placeOf(storedRuntimeOf(study), contentOf(study.files))) ?? '',
      /^journal: event 2: data\.task\.grants\[2\]/,
    );
  }
  const short = storedStudy({ version: 1, windows: 9, granted: readingAllowanceOf({ startMs: 0, endMs: hourMs }) });
  t.regex(
    (await placeOf(storedRuntimeOf(short), contentOf(short.files))) ?? '',
    /^journal: event 2: data\.task\.grants\[2\]/,
  );
});

test('at its limits a long study keeps every record within its size', async (t) => {
  const windows = longestReading.maxReads * 64;
  const study = storedStudy({ version: 1, windows: windows + 1, lengthMs: 4 * hourMs });
  const { reads, assessments, decision, record } = await findingsOf(study);
  t.is(reads.length, longestReading.maxReads);
  t.is(assessments.length, longestReading.maxAuditedAssessments);
  t.is(reads.filter(({ body }) => body.result.truncated).length, 1);
  t.log(`decision ${decision?.bytes} bytes, study record ${record.bytes} bytes`);
  t.true((decision?.bytes ?? 0) < maximumDecisionReceiptBytes);
  t.like(record.body, { coverage: [{ state: 'supported' }, { state: 'truncated' }] });
});
