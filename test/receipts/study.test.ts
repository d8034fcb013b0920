import { readFile } from 'node:fs/promises';
import test from 'ava';
import { z } from 'zod';
import {
  type DecisionReason,
  decisionReasons,
  type EvidenceDecisionReceipt,
} from '../../contract/evidence/assessment.ts';
import type { Detection } from '../../contract/evidence/evidence.ts';
import { journalEvent } from '../../contract/journal.ts';
import { publishReviewIntakeReceipt } from '../../contract/review.ts';
import {
  maximumStudyRecordBytes,
  readinessReference,
  type StudyEvidence,
  type StudyRecord,
  type StudyReference,
  studyReadinessReceipt,
  studyRecord,
} from '../../contract/study/study-record.ts';
import { contentIdOfBytes, contentIdOfJson, hashOf } from '../../formats/canonical-json.ts';
import {
  encodeDetections,
  type MediaOperation,
  mediaRequestOf,
  operationCompleted,
  operationFailed,
  operationStarted,
} from '../../receipts/evidence/media-operation.ts';
import type { ReadableEvidence } from '../../receipts/evidence/readable-evidence.ts';
import {
  admitStudy,
  executionFinished,
  intakeIdOf,
  intakeReceipt,
  readinessReceipt,
  stopStudy,
  taskCompleted,
} from '../../receipts/stages/admit.ts';
import { performDecision } from '../../receipts/stages/decide.ts';
import { openStudy } from '../../receipts/stages/opening.ts';
import { planStudy } from '../../receipts/study/plan.ts';
import { concludeStudy, type StudyFindings, storedStudyRecord, studyRecordOf } from '../../receipts/study/record.ts';
import { acceptStudy } from '../../receipts/study/start.ts';
import type { StudyRun } from '../../receipts/study-run.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { seededNumbers } from '../storage/ledger/scratch.ts';
import { evidenceOf } from './evidence/evidence-artifacts.ts';
import { reopenDecision, reopenIntake, reopenReadiness, reopenStudyRecord } from './evidence/opened-records.ts';
import {
  assessmentsOf,
  divided,
  identified,
  inTurn,
  type LanguageOutcome,
  only,
  range,
  readsOf,
  run,
  runId,
  spoken,
  turns,
  vad,
} from './evidence/spoken-study.ts';
import { faultPlace } from './reopening/fault-place.ts';
import { unseenChangesOf } from './reopening/mutations.ts';
import { acceptedAt, clipRequest, clipStudyIds, koreanClip } from './sources/korean-clip.ts';

const { record: clipRecord } = acceptStudy(planStudy(koreanClip, clipRequest), koreanClip, acceptedAt);
const clipRun: StudyRun = { record: clipRecord, ids: clipStudyIds() };
const opening = () => openStudy({ ...clipRun, source: koreanClip, maxWallMs: 600000, startedAt: acceptedAt });
const detect: MediaOperation = {
  capability: 'media.detect',
  tools: [vad],
  parameters: { threshold: 0.5 },
  limits: { maxWallMs: 60000 },
};
const derivedAudio = { sampleRate: 16000, samples: 640000, contentId: `sha256:${'e'.repeat(64)}` } as const;
const speechWindow = { kind: 'speech_window', index: 0, startSample: 0, endSample: 160, startMs: 1000, endMs: 1010 };
const spokenInput = { sourceContentId: koreanClip.session.source.contentId, range: clipRequest.range, trackIndex: 1 };
const detections: Detection[] = [
  {
    kind: 'speech_activity',
    state: 'available',
    artifact: evidenceOf('speech_activity', {
      input: { ...spokenInput, derivedAudio },
      tool: vad,
      parameters: { threshold: 0.5 },
      facts: [speechWindow],
    }),
  },
  { kind: 'shot_changes', state: 'unavailable', reasonCode: 'no_video_track' },
];
const span = { startedAt: acceptedAt, finishedAt: '2026-01-02T03:04:09.000Z', resumes: 0, operationIds: [] };
const reason = { code: 'executor_failed', message: 'deadline: the study used up its time' };

const typesOf = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

/** Lays drafts out as a journal would and reads every event back by its closed schema. */
function journalled(events: readonly EventDraft[]) {
  return events.map((draft, index) =>
    journalEvent.parse({
      schema: 'studio.runtime.event.v1',
      runId: clipRecord.runtimeId,
      seq: index + 1,
      eventId: `event:${clipRecord.runtimeId}:${index + 1}`,
      recordedAt: acceptedAt,
      ...draft,
    }),
  );
}

test('a study opens in the order of a default run', (t) => {
  t.deepEqual(typesOf(opening().events), [
    'artifact.recorded',
    'artifact.recorded',
    'artifact.recorded',
    'task.created',
    'task.launch_claimed',
    'agent.registered',
    'task.transitioned',
    'executor.started',
  ]);
});

test('an opening names one task, one agent, one claim and one execution throughout', (t) => {
  const { taskId, agentId, claimId, executionId, grantIds } = clipRun.ids;
  for (const event of journalled(opening().events)) {
    t.is(event.correlationId, clipRecord.commandId);
    if (event.type === 'task.created') {
      t.is(event.data.task.id, taskId);
      t.deepEqual(new Set(event.data.task.grants.map(({ grantId }) => grantId)), new Set(Object.values(grantIds)));
      t.is(event.data.task.inputs[0]?.artifactId, clipRecord.sourceArtifactId);
    }
    if (event.type === 'task.launch_claimed')
      t.like(event.data.claim, {
        id: claimId,
        taskId,
        agentId,
        executionId,
        requestId: clipRecord.analysisRequest.requestId,
      });
    if (event.type === 'agent.registered') t.like(event.data.agent, { id: agentId, taskId });
    if (event.type === 'executor.started') t.like(event.data, { executionId, launchClaimId: claimId });
  }
});

test('the source artifact of an opening is the one that the start promised', (t) => {
  t.is(opening().sourceArtifact.id, clipRecord.sourceArtifactId);
  t.is(opening().pinnedEvidence.length, 2);
});

test('the same run opens with the same events again', (t) => {
  t.deepEqual(opening(), opening());
});

test('an operation key follows from work alone and an operation id from the key', (t) => {
  const request = mediaRequestOf(clipRun, detect);
  const work = {
    operation: 'media.detect',
    inputContentIds: [koreanClip.session.source.contentId],
    range: clipRequest.range,
    tools: [vad],
    parameters: { threshold: 0.5 },
  };
  t.is(request.operationKey, hashOf(work));
  t.is(request.operationId, `operation:media-detect:${request.operationKey}`);
  const other = acceptStudy(planStudy(koreanClip, { ...clipRequest, clientRequestId: 'b' }), koreanClip, acceptedAt);
  t.is(mediaRequestOf({ ...clipRun, record: other.record }, detect).operationKey, request.operationKey);
});

test('another tool, parameter, capability or range is other work', (t) => {
  const shorter = planStudy(koreanClip, { ...clipRequest, range: { startMs: 1000, endMs: 40000 } });
  const keys = [
    mediaRequestOf(clipRun, detect),
    mediaRequestOf(clipRun, { ...detect, tools: [{ ...vad, version: '6' }] }),
    mediaRequestOf(clipRun, { ...detect, parameters: { threshold: 0.6 } }),
    mediaRequestOf(clipRun, { ...detect, capability: 'media.subtitles' }),
    mediaRequestOf({ ...clipRun, record: acceptStudy(shorter, koreanClip, acceptedAt).record }, detect),
  ].map(({ operationKey }) => operationKey);
  t.is(new Set(keys).size, keys.length);
  t.is(mediaRequestOf(clipRun, { ...detect, limits: { maxWallMs: 1 } }).operationKey, keys[0] ?? '');
});

test('detections are stored canonically and named by their stored bytes', (t) => {
  const { objects, result } = encodeDetections(detections, derivedAudio);
  t.is(objects.length, 1);
  for (const { contentId, bytes } of objects) {
    t.is(contentIdOfBytes(bytes), contentId);
    t.deepEqual(result.evidence[0], { kind: 'speech_activity', state: 'available', contentId, bytes: bytes.length });
  }
  t.deepEqual(result.evidence[1], { kind: 'shot_changes', state: 'unavailable', reasonCode: 'no_video_track' });
});

test('an operation starts, records its evidence and completes with a receipt that lists it', (t) => {
  const { result } = encodeDetections(detections, derivedAudio);
  const completed = operationCompleted(clipRun, detect, result, false);
  const events = journalled([operationStarted(clipRun, detect), ...completed.events]);
  t.deepEqual(typesOf(events), ['media.operation_started', 'artifact.recorded', 'media.operation_completed']);
  const [speech, shots] = completed.receipt.evidence;
  const [evidence] = completed.artifacts;
  t.is(evidence?.kind, 'detected-speech-activity');
  t.deepEqual(evidence?.sourceArtifactIds, [clipRecord.sourceArtifactId]);
  t.is(speech?.artifactId, evidence?.id ?? '');
  t.deepEqual(shots, {
    kind: 'shot_changes',
    state: 'unavailable',
    reasonCode: 'no_video_track',
    artifactId: null,
    contentId: null,
  });
  const { schema: _, receiptId, ...body } = completed.receipt;
  t.is(receiptId, `media-operation:${hashOf(body)}`);
});

test('a reused result gives the same artifacts under a receipt that says so', (t) => {
  const { result } = encodeDetections(detections, derivedAudio);
  const fresh = operationCompleted(clipRun, detect, result, false);
  const reused = operationCompleted(clipRun, detect, result, true);
  t.deepEqual(reused.artifacts, fresh.artifacts);
  t.true(reused.receipt.reused);
  t.not(reused.receipt.receiptId, fresh.receipt.receiptId);
});

test('a failed operation names its reason', (t) => {
  const [event] = journalled([operationFailed(clipRun, detect, { code: 'executor_failed', message: 'tool_exit: 1' })]);
  t.like(event, { type: 'media.operation_failed', data: { operationId: mediaRequestOf(clipRun, detect).operationId } });
});

test('a finished execution is receipted and the completed task is the last word', (t) => {
  const output = {
    studyId: `study:${'0'.repeat(64)}`,
    artifactId: `artifact:${'1'.repeat(64)}`,
    contentId: `sha256:${'2'.repeat(64)}`,
  };
  const operationIds = [mediaRequestOf(clipRun, detect).operationId];
  const finished = executionFinished(clipRun, { ...span, operationIds }, output);
  t.deepEqual(typesOf(journalled([finished.event, taskCompleted(clipRun)])), [
    'executor.finished',
    'task.transitioned',
  ]);
  const { schema: _, receiptId, ...body } = finished.receipt;
  t.is(receiptId, `span:${hashOf(body)}`);
  t.is(finished.receiptContentId, contentIdOfJson(finished.receipt));
  t.deepEqual(finished.receipt.output, output);
});

test('a failed study closes its execution and its task with the reason', (t) => {
  const events = journalled(stopStudy(clipRun, { lifecycle: 'failed', reason, span }));
  t.deepEqual(typesOf(events), ['executor.finished', 'task.transitioned']);
  t.like(events.at(-1), { data: { status: 'failed', reason } });
});

test('an interrupted study names the interrupted step first', (t) => {
  const events = journalled(stopStudy(clipRun, { lifecycle: 'interrupted', reason, span: { ...span, resumes: 3 } }));
  t.deepEqual(typesOf(events), ['runtime.interrupted', 'executor.finished', 'task.transitioned']);
  t.like(events[0], { data: { taskIds: [clipRun.ids.taskId], executionIds: [clipRun.ids.executionId], reason } });
  t.like(events[1], { data: { receipt: { outcome: 'interrupted', output: null, resumes: 3 } } });
});

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

test('if nothing was readable all of the range is unavailable', (t) => {
  const evidence = [unavailable('speech_activity', 'no_audio_track'), unavailable('shot_changes', 'no_video_track')];
  const findings = { evidence, reads: [], assessments: [], decision: null };
  const record = recordOf(findings);
  t.deepEqual(stretchesOf(record), [[1000, 41000, 'unavailable']]);
  t.is(only(record.coverage).reasonCode, 'study_coverage_unavailable');
  t.is(record.decision, null);
  t.deepEqual(record.evidence, evidence);
});

test('if the reads returned nothing all of the range is uncovered', (t) => {
  t.deepEqual(stretchesOf(recordOf(findingsOf([spoken([])]))), [[1000, 41000, 'uncovered']]);
});

test('a language that was not identified leaves its gap in covered speech', (t) => {
  const language = identified([
    { startMs: 5000, endMs: 9000, language: 'ko' },
    { startMs: 9000, endMs: 12000, language: 'unknown' },
    { startMs: 20000, endMs: 21000, language: 'en' },
  ]);
  t.deepEqual(stretchesOf(recordOf(findingsOf([spoken(turns(divided(range, 4))), language]))), [
    [1000, 9000, 'supported'],
    [9000, 12000, 'unknown'],
    [12000, 41000, 'supported'],
  ]);
});

test('one claim of unknown and withheld language counts as withheld wherever it cites', (t) => {
  const language = identified([
    { startMs: 5000, endMs: 6000, language: 'withheld' },
    { startMs: 9000, endMs: 10000, language: 'unknown' },
  ]);
  t.deepEqual(stretchesOf(recordOf(findingsOf([language]))), [
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

test('coverage partitions the range for any speech, and neighbors differ', (t) => {
  const seed = 20260105;
  t.log(`seed ${seed}`);
  const below = seededNumbers(seed);
  const codes: readonly LanguageOutcome[] = ['ko', 'en', 'unknown', 'withheld'];
  for (let round = 0; round < 25; round += 1) {
    const windows = divided(range, 1 + below(1500)).filter(() => below(5) > 0);
    const language = windows
      .filter(() => below(3) > 0)
      .map((window) => ({ ...window, language: codes[below(codes.length)] ?? 'ko' }));
    const evidence = below(3) === 0 ? [identified(language)] : [spoken(turns(windows)), identified(language)];
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
  const place = (changed: typeof record) => placeOf(changed, findings);
  t.deepEqual(unseenChangesOf(record, 'studyId', studyRecord, place), []);
});

test('the largest record stays far below its limit', (t) => {
  const language: LanguageOutcome[] = Array.from({ length: 512 }, (_, at) => (at % 2 === 0 ? 'ko' : 'unknown'));
  const gaps = identified(
    divided(range, 1024).flatMap((window, at) =>
      at % 2 === 0 ? [{ ...window, language: language[at / 2] ?? 'ko' }] : [],
    ),
  );
  const { objects } = concludeStudy(run, findingsOf([gaps]));
  t.log(`${only(objects).bytes.length} bytes`);
  t.true(only(objects).bytes.length < maximumStudyRecordBytes / 2);
});

const hex = (digit: string): string => digit.repeat(64);

const study: StudyReference = {
  studyId: `study:${hex('1')}`,
  artifactId: `artifact:${hex('2')}`,
  contentId: `sha256:${hex('3')}`,
  executorReceiptId: `span:${hex('4')}`,
  executorReceiptContentId: `sha256:${hex('5')}`,
};

function decisionAbout(language: readonly LanguageOutcome[]): EvidenceDecisionReceipt {
  const reads = readsOf([inTurn(language)]);
  return reopenDecision(only(performDecision(run, assessmentsOf(reads)).objects));
}

const supported = decisionAbout(['ko']);

const withReasons = (reasonCodes: DecisionReason[]): EvidenceDecisionReceipt => ({
  ...supported,
  decision: { outcome: 'withheld', reasonCodes },
});

function admitted(decision: EvidenceDecisionReceipt | null) {
  const [ready, entered] = admitStudy(run, study, decision).objects;
  if (ready === undefined || entered === undefined) throw new RangeError('two objects were to be stored');
  return { readiness: reopenReadiness(ready), intake: reopenIntake(entered) };
}

test('the intake id is that of the golden vector', async (t) => {
  const vectors = z
    .object({ vectors: z.array(z.object({ name: z.string(), input: z.unknown(), expected: z.unknown() })) })
    .parse(JSON.parse(await readFile('fixtures/vectors/identities.json', 'utf8')));
  const vector = vectors.vectors.find(({ name }) => name === 'intakeId');
  const { runId, readiness } = z.object({ runId: z.string(), readiness: readinessReference }).parse(vector?.input);
  t.is<unknown, unknown>(intakeIdOf(runId, readiness), vector?.expected);
});

test('a study whose decision proceeds is ready and queued', (t) => {
  const { readiness, intake } = admitted(supported);
  t.is(readiness.outcome, 'ready');
  t.deepEqual(readiness.reasonCodes, []);
  t.deepEqual(intake.result, { outcome: 'queued', reasonCodes: [] });
});

test('a study without a decision is not ready and rejected', (t) => {
  const { readiness, intake } = admitted(null);
  t.is(readiness.outcome, 'not_ready');
  t.is(readiness.decision, null);
  t.deepEqual(intake.result, { outcome: 'rejected', reasonCodes: ['non_supported_root_coverage'] });
});

const [withheld, unknown, truncated] = decisionReasons;
const rejections: readonly (readonly [DecisionReason[], readonly string[]])[] = [
  [[withheld], ['non_supported_root_coverage']],
  [[unknown], ['non_supported_root_coverage']],
  [[truncated], ['hidden_gap']],
  [[withheld, unknown], ['non_supported_root_coverage']],
  [
    [withheld, truncated],
    ['hidden_gap', 'non_supported_root_coverage'],
  ],
  [
    [unknown, truncated],
    ['hidden_gap', 'non_supported_root_coverage'],
  ],
  [
    [withheld, unknown, truncated],
    ['hidden_gap', 'non_supported_root_coverage'],
  ],
];

for (const [reasons, said] of rejections) {
  const names = reasons.map((reason) => reason.replace('audited_claim_', ''));
  test(`claims of ${names.join(', ')} reject for ${said.join(', ')}`, (t) => {
    const { readiness, intake } = admitted(withReasons(reasons));
    t.is(readiness.outcome, 'not_ready');
    t.deepEqual<unknown, unknown>(readiness.reasonCodes, said);
    t.deepEqual<unknown, unknown>(intake.result, { outcome: 'rejected', reasonCodes: said });
  });
}

test('a real decision over unknown language is rejected', (t) => {
  t.deepEqual(admitted(decisionAbout(['ko', 'unknown'])).intake.result.reasonCodes, ['non_supported_root_coverage']);
});

test('readiness and intake are identified by their run and what they rest on', (t) => {
  const { refs, objects } = admitStudy(run, study, supported);
  const { readiness, intake } = admitted(supported);
  t.is(readiness.readinessId, `study-readiness:${hashOf({ runId, study })}`);
  t.is(intake.intakeId, intakeIdOf(runId, refs.readiness));
  t.deepEqual(intake.input.readiness, refs.readiness);
  const { schema: one, receiptId: readinessReceiptId, ...readinessBody } = readiness;
  const { schema: other, receiptId: intakeReceiptId, ...intakeBody } = intake;
  t.is(`${one} ${other}`, 'studio.study-readiness.receipt.v1 studio.publish-review-intake.receipt.v1');
  t.is(readinessReceiptId, `study-readiness-receipt:${hashOf(readinessBody)}`);
  t.is(intakeReceiptId, `publish-review-intake-receipt:${hashOf(intakeBody)}`);
  const [, entered] = objects;
  t.is(refs.intake.receiptContentId, entered?.contentId ?? '');
  t.is(
    refs.intake.artifactId,
    `artifact:${hashOf({ runId, intakeId: intake.intakeId, kind: 'publish-review-intake-receipt', contentId: entered?.contentId })}`,
  );
  t.is(
    refs.readiness.artifactId,
    `artifact:${hashOf({
      runId,
      readinessId: readiness.readinessId,
      kind: 'study-readiness-receipt',
      contentId: refs.readiness.receiptContentId,
    })}`,
  );
});

test('readiness is recorded before the intake that names it, and belongs to no task', (t) => {
  const { events } = admitStudy(run, study, supported);
  t.deepEqual(
    events.map(({ type, producer }) => [type, producer.kind]),
    [
      ['artifact.recorded', 'artifact_store'],
      ['publish.review.intake_started', 'publish_review_intake_host'],
      ['artifact.recorded', 'artifact_store'],
      ['publish.review.intake_completed', 'publish_review_intake_host'],
    ],
  );
  t.like(events[0]?.data, { artifact: { kind: 'study-readiness-receipt', producerTaskId: null } });
  t.like(events[2]?.data, { artifact: { kind: 'publish-review-intake-receipt', producerTaskId: null } });
});

test('every change of a readiness receipt is caught, with a new id too', (t) => {
  const decision = decisionAbout(['ko', 'unknown']);
  const { readiness } = admitted(decision);
  const derived = readinessReceipt.of(run, { study, decision });
  const place = (changed: typeof readiness) => faultPlace(() => readinessReceipt.audit(changed, derived));
  t.deepEqual(unseenChangesOf(readiness, 'receiptId', studyReadinessReceipt, place), []);
});

test('every change of an intake receipt is caught, with a new id too', (t) => {
  const { readiness, intake } = admitted(withReasons([unknown, truncated]));
  const derived = intakeReceipt.of(run, readiness);
  const place = (changed: typeof intake) => faultPlace(() => intakeReceipt.audit(changed, derived));
  t.deepEqual(unseenChangesOf(intake, 'receiptId', publishReviewIntakeReceipt, place), []);
});
