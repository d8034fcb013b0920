import test from 'ava';
import {
  type EvidenceReadReceipt,
  evidenceReadReceipt,
  languageRangeFact,
  readLimits,
} from '../../../contract/evidence/evidence-read.ts';
import { canonicalJson, hashOf } from '../../../receipts/core/canonical-json.ts';
import { readEvidence } from '../../../receipts/evidence/evidence-read.ts';
import { auditRead } from '../../../receipts/evidence/fold-reads.ts';
import { boundedFacts, speechEvidence } from '../../../receipts/evidence/readable-evidence.ts';
import { faultPlace } from '../reopening/fault-place.ts';
import { mutationsOf } from '../reopening/mutations.ts';
import { performReads } from './performed.ts';
import {
  contentIdsOf,
  divided,
  identified,
  inTurn,
  only,
  range,
  readsOf,
  run,
  spoken,
  turns,
  vad,
} from './spoken-study.ts';

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

test('a range of which the detector says nothing is read and returns no facts', (t) => {
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
    { startMs: 0, endMs: 1000, heard: 'ko' },
    { startMs: 900, endMs: 1200, heard: 'ko' },
    { startMs: 40900, endMs: 41500, heard: 'en' },
    { startMs: 41000, endMs: 42000, heard: 'en' },
  ]);
  const read = only(readsOf([evidence]));
  t.deepEqual(
    read.facts.map(({ startMs, endMs, startSample, endSample }) => [startMs, endMs, startSample, endSample]),
    [
      [1000, 1200, 16000, 19200],
      [40900, 41000, 654400, 656000],
    ],
  );
  t.is(read.result.availableItems, 2);
});

test('milliseconds are rounded outwards from the samples', (t) => {
  const facts = inTurn(['ko']).facts.map((fact) => ({ ...fact, startSample: 32017, endSample: 48001 }));
  const read = readEvidence(run, { evidence: { ...inTurn(['ko']), facts }, window: range });
  t.deepEqual(
    read.facts.map(({ startMs, endMs }) => [startMs, endMs]),
    [[2001, 3001]],
  );
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

test('reads have names of their own and stand in the journal as pairs', (t) => {
  const { events, refs, objects } = performReads(run, [spoken(turns(divided(range, 65))), inTurn(['ko', 'en'])]);
  t.is(new Set(refs.map(({ operationId }) => operationId)).size, 3);
  t.true(refs.every(({ operationId }) => operationId.startsWith('operation:evidence-read:')));
  t.deepEqual(
    refs.map(({ receiptContentId }) => receiptContentId),
    contentIdsOf(objects),
  );
  t.deepEqual(
    events.map(({ type }) => type),
    new Array(3).fill(['evidence.read_started', 'evidence.read_completed']).flat(),
  );
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

test('a read receipt that was changed and given a new id is still caught where it contradicts itself', (t) => {
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
