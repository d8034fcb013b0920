import test from 'ava';
import type { Range } from '../../../contract/base/grammar.ts';
import type { EvidenceReadReceipt } from '../../../contract/evidence/evidence-read.ts';
import { standingReading } from '../../../contract/evidence/reading-allowance.ts';
import { contentIdOf } from '../../../receipts/core/canonical-json.ts';
import { auditRead } from '../../../receipts/evidence/fold-reads.ts';
import { planReads } from '../../../receipts/evidence/read-plan.ts';
import { seededNumbers } from '../../storage/ledger/scratch.ts';
import { performReads } from './performed.ts';
import { contentIdsOf, divided, type Heard, inTurn, range, readsOf, run, spoken, turns } from './spoken-study.ts';

const windowsOf = (reads: readonly EvidenceReadReceipt[]): Range[] =>
  reads.map(({ authorization: { startMs, endMs } }) => ({ startMs, endMs }));

const countsOf = (reads: readonly EvidenceReadReceipt[]): number[] => reads.map(({ facts }) => facts.length);

const isTruncated = ({ result }: EvidenceReadReceipt): boolean => result.truncated;

/** Says what is wrong with windows that should cover the range one after the other. */
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
  const heard = ['ko', 'en', 'ja', 'fr', 'de', 'es', 'it', 'unknown', 'withheld', 'zh'];
  const reads = readsOf([inTurn(heard)]);
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

test('every plan covers the range, splits no fact of speech, keeps the limits and is the same twice', (t) => {
  const seed = 20260103;
  t.log(`seed ${seed}`);
  const below = seededNumbers(seed);
  const codes: Heard[] = ['ko', 'en', 'ja', 'unknown', 'withheld', 'fr', 'de', 'es', 'it', 'zh', 'vi'];
  for (let round = 0; round < 60; round += 1) {
    const speech = spoken(turns(divided(range, 1 + below(900)), below(2) === 0 ? 'speech' : 'silence'));
    const choice = codes.slice(0, 1 + below(codes.length));
    const heard = Array.from({ length: 1 + below(200) }, () => choice[below(choice.length)] ?? 'ko');
    const evidence = [speech, inTurn(heard)];
    const plan = planReads(range, evidence, standingReading);
    const reads = readsOf(evidence);
    t.true(reads.length <= standingReading.maxReads, `round ${round}`);
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
    t.deepEqual(contentIdsOf(performReads(run, evidence).objects), reads.map(contentIdOf), `round ${round}`);
  }
});
