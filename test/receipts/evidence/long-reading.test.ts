import test from 'ava';
import { maximumDecisionReceiptBytes } from '../../../contract/evidence/evidence-decision.ts';
import {
  longestReading,
  longRanges,
  readingAllowanceOf,
  standingReading,
} from '../../../contract/evidence/reading-allowance.ts';
import { contentOf, storedRuntimeOf } from '../core/stored-content-in-memory.ts';
import { placeOf, reopened } from '../reopening/reopened.ts';
import { type StoredStudy, storedStudy } from './stored-study.ts';

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

test('a range that is decoded at once has the reads that it always had, a longer one has them for each window', (t) => {
  t.deepEqual(standingReading, { maxReads: 16, maxAuditedAssessments: 4 });
  t.deepEqual(ofRange(1), standingReading);
  t.deepEqual(ofRange(longRanges.aboveMs), standingReading);
  t.deepEqual(ofRange(longRanges.aboveMs + 1), { maxReads: 48, maxAuditedAssessments: 12 });
  t.deepEqual(ofRange(hourMs), { maxReads: 192, maxAuditedAssessments: 48 });
  t.deepEqual(ofRange(4 * hourMs), longestReading);
  t.deepEqual(ofRange(100 * hourMs), longestReading);
});

test('a long study of more than 1,024 facts of speech reads them all, and its intake is not rejected for a gap', async (t) => {
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
  const study = storedStudy({ version: 1, windows: 1025, lengthMs: hourMs, granted: standingReading });
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
