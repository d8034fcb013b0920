import test from 'ava';
import type { EvidenceDecisionReceipt } from '../../../contract/evidence/evidence-decision.ts';
import {
  maximumStudyRecordBytes,
  type StudyEvidence,
  type StudyRecord,
  studyRecord,
} from '../../../contract/study/study-record.ts';
import { hashOf } from '../../../receipts/core/canonical-json.ts';
import { performDecision } from '../../../receipts/evidence/evidence-decision.ts';
import type { ReadableEvidence } from '../../../receipts/evidence/readable-evidence.ts';
import {
  concludeStudy,
  type StudyFindings,
  storedStudyRecord,
  studyRecordOf,
} from '../../../receipts/study/study-record.ts';
import { seededNumbers } from '../../storage/ledger/scratch.ts';
import { reopenDecision, reopenStudyRecord } from '../evidence/opened-records.ts';
import {
  assessmentsOf,
  divided,
  type Heard,
  identified,
  inTurn,
  only,
  range,
  readsOf,
  run,
  runId,
  spoken,
  turns,
  vad,
} from '../evidence/spoken-study.ts';
import { faultPlace } from '../reopening/fault-place.ts';
import { mutationsOf } from '../reopening/mutations.ts';

const unavailable = (kind: StudyEvidence['kind'], reasonCode: 'no_audio_track' | 'no_video_track') =>
  ({ kind, state: 'unavailable', reasonCode, artifactId: null, contentId: null, tool: null }) as const;

const available = ({ kind, artifact }: ReadableEvidence): StudyEvidence => ({
  kind: kind === 'speech_activity' ? kind : 'language-ranges-receipt',
  state: 'available',
  reasonCode: null,
  artifactId: artifact.id,
  contentId: artifact.content.contentId,
  tool: kind === 'speech_activity' ? vad : null,
});

function findingsOf(evidence: readonly ReadableEvidence[]): StudyFindings {
  const reads = readsOf(evidence);
  const assessments = assessmentsOf(reads);
  let decision: EvidenceDecisionReceipt | null = null;
  if (assessments.length > 0) decision = reopenDecision(only(performDecision(run, assessments).objects));
  return { evidence: evidence.map(available), reads, assessments, decision };
}

const recordOf = (findings: StudyFindings): StudyRecord =>
  reopenStudyRecord(only(concludeStudy(run, findings).objects));

const stretchesOf = ({ coverage }: StudyRecord) => coverage.map(({ startMs, endMs, state }) => [startMs, endMs, state]);

const placeOf = (record: StudyRecord, findings: StudyFindings): string | null =>
  faultPlace(() => storedStudyRecord.audit(record, studyRecordOf(run, findings)));

test('speech and silence that partition the range cover it as one supported stretch', (t) => {
  const record = recordOf(findingsOf([spoken(turns(divided(range, 9)))]));
  t.deepEqual(record.coverage, [
    {
      coverageId: `coverage:${hashOf({ runId, startMs: 1000, endMs: 41000, state: 'supported' })}`,
      startMs: 1000,
      endMs: 41000,
      state: 'supported',
      reasonCode: null,
    },
  ]);
  t.is(record.decision?.outcome, 'proceed_to_publish_review');
});

test('where nothing could be read all of the range is unavailable', (t) => {
  const evidence = [unavailable('speech_activity', 'no_audio_track'), unavailable('shot_changes', 'no_video_track')];
  const findings = { evidence, reads: [], assessments: [], decision: null };
  const record = recordOf(findings);
  t.deepEqual(stretchesOf(record), [[1000, 41000, 'unavailable']]);
  t.is(only(record.coverage).reasonCode, 'study_coverage_unavailable');
  t.is(record.decision, null);
  t.deepEqual(record.evidence, evidence);
});

test('where the reads said nothing all of the range is uncovered', (t) => {
  t.deepEqual(stretchesOf(recordOf(findingsOf([spoken([])]))), [[1000, 41000, 'uncovered']]);
});

test('a language that was not identified leaves its gap in covered speech', (t) => {
  const heard = identified([
    { startMs: 5000, endMs: 9000, heard: 'ko' },
    { startMs: 9000, endMs: 12000, heard: 'unknown' },
    { startMs: 20000, endMs: 21000, heard: 'en' },
  ]);
  t.deepEqual(stretchesOf(recordOf(findingsOf([spoken(turns(divided(range, 4))), heard]))), [
    [1000, 9000, 'supported'],
    [9000, 12000, 'unknown'],
    [12000, 41000, 'supported'],
  ]);
});

test('one claim of unknown and withheld language counts as withheld wherever it cites', (t) => {
  const heard = identified([
    { startMs: 5000, endMs: 6000, heard: 'withheld' },
    { startMs: 9000, endMs: 10000, heard: 'unknown' },
  ]);
  t.deepEqual(stretchesOf(recordOf(findingsOf([heard]))), [
    [1000, 5000, 'uncovered'],
    [5000, 6000, 'withheld'],
    [6000, 9000, 'uncovered'],
    [9000, 10000, 'withheld'],
    [10000, 41000, 'uncovered'],
  ]);
});

test('what a truncated read returned and what it dropped both count as truncated', (t) => {
  const windows = divided(range, 1100);
  const cut = windows[15 * 64]?.startMs;
  t.deepEqual(stretchesOf(recordOf(findingsOf([spoken(turns(windows))]))), [
    [1000, cut, 'supported'],
    [cut, 41000, 'truncated'],
  ]);
});

test('coverage partitions the range whatever was heard, and neighbours differ', (t) => {
  const seed = 20260105;
  t.log(`seed ${seed}`);
  const below = seededNumbers(seed);
  const codes: readonly Heard[] = ['ko', 'en', 'unknown', 'withheld'];
  for (let round = 0; round < 25; round += 1) {
    const windows = divided(range, 1 + below(1500)).filter(() => below(5) > 0);
    const heard = windows
      .filter(() => below(3) > 0)
      .map((window) => ({ ...window, heard: codes[below(codes.length)] ?? 'ko' }));
    const evidence = below(3) === 0 ? [identified(heard)] : [spoken(turns(windows)), identified(heard)];
    const findings = findingsOf(evidence);
    const record = recordOf(findings);
    t.is(placeOf(record, findings), null, `round ${round}`);
    const { coverage } = record;
    t.is(coverage[0]?.startMs, range.startMs, `round ${round}`);
    t.is(coverage.at(-1)?.endMs, range.endMs, `round ${round}`);
    for (const [at, { startMs, endMs, state }] of coverage.entries()) {
      t.true(startMs < endMs, `round ${round}`);
      if (at === 0) continue;
      t.is(coverage[at - 1]?.endMs, startMs, `round ${round}`);
      t.not(coverage[at - 1]?.state, state, `round ${round}`);
    }
  }
});

test('a record is an artifact of its run that rests on all that went into it', (t) => {
  const evidence = [spoken(turns(divided(range, 3))), inTurn(['ko'])];
  const findings = findingsOf(evidence);
  const { events, refs, objects } = concludeStudy(run, findings);
  const { schema, studyId, ...body } = recordOf(findings);
  t.is(schema, 'studio.study-record.artifact.v1');
  t.is(studyId, `study:${hashOf(body)}`);
  t.is(refs.studyId, studyId);
  t.is(refs.contentId, only(objects).contentId);
  t.is(refs.artifactId, `artifact:${hashOf({ runId, studyId, kind: 'study-record', contentId: refs.contentId })}`);
  const { type, data } = only(events);
  t.is(type, 'artifact.recorded');
  t.like(data, {
    artifact: {
      id: refs.artifactId,
      sourceArtifactIds: [
        run.record.sourceArtifactId,
        ...evidence.map(({ artifact }) => artifact.id),
        ...body.assessments.map(({ artifactId }) => artifactId),
        body.decision?.artifactId,
      ],
      producerTaskId: run.ids.taskId,
    },
  });
  t.is(body.reads.length, 2);
  t.is(body.analysisRequestId, run.record.analysisRequest.requestId);
});

test('every change of a study record is caught, with a new id too', (t) => {
  const findings = findingsOf([spoken(turns(divided(range, 3))), inTurn(['ko', 'unknown'])]);
  const record = recordOf(findings);
  const missed: string[] = [];
  for (const { at, value } of mutationsOf(record)) {
    const shaped = studyRecord.safeParse(value);
    if (!shaped.success) continue;
    if (placeOf(shaped.data, findings) === null) missed.push(at);
    const { schema, studyId, ...body } = shaped.data;
    const resigned = { schema, studyId: `study:${hashOf(body)}`, ...body };
    if (at !== '.studyId' && placeOf(resigned, findings) === null) missed.push(at);
  }
  t.deepEqual(missed, []);
});

test('the largest record stays far below its limit', (t) => {
  const heard: Heard[] = Array.from({ length: 512 }, (_, at) => (at % 2 === 0 ? 'ko' : 'unknown'));
  const gaps = identified(
    divided(range, 1024).flatMap((window, at) => (at % 2 === 0 ? [{ ...window, heard: heard[at / 2] ?? 'ko' }] : [])),
  );
  const { objects } = concludeStudy(run, findingsOf([gaps]));
  t.log(`${only(objects).bytes.length} bytes`);
  t.true(only(objects).bytes.length < maximumStudyRecordBytes / 2);
});
