import test from 'ava';
import type { Detection } from '../../../contract/evidence/evidence.ts';
import { journalEvent } from '../../../contract/journal/journal-event.ts';
import { contentIdOf, contentIdOfBytes, hashOf } from '../../../receipts/core/canonical-json.ts';
import type { StudyRun } from '../../../receipts/core/study-run.ts';
import { encodeDetections } from '../../../receipts/evidence/detected-evidence.ts';
import {
  type MediaOperation,
  mediaRequestOf,
  operationCompleted,
  operationFailed,
  operationStarted,
} from '../../../receipts/evidence/media-operation.ts';
import { acceptStudy } from '../../../receipts/start/runtime-start.ts';
import { planStudy } from '../../../receipts/start/study-plan.ts';
import { executionFinished, stopStudy, taskCompleted } from '../../../receipts/study/study-closing.ts';
import { openStudy } from '../../../receipts/study/study-opening.ts';
import type { EventDraft } from '../../../storage/ledger/ledger.ts';
import { acceptedAt, clipRequest, clipStudyIds, koreanClip } from '../sources/korean-clip.ts';

const { record } = acceptStudy(planStudy(koreanClip, clipRequest), koreanClip, acceptedAt);
const run: StudyRun = { record, ids: clipStudyIds() };
const opening = () => openStudy({ ...run, source: koreanClip, maxWallMs: 600000, startedAt: acceptedAt });
const vad = { name: 'silero-vad', version: '5', digest: `sha256:${'d'.repeat(64)}` };
const detect: MediaOperation = {
  capability: 'media.detect',
  tools: [vad],
  parameters: { threshold: 0.5 },
  limits: { maxWallMs: 60000 },
};
const derivedAudio = { sampleRate: 16000, samples: 640000, contentId: `sha256:${'e'.repeat(64)}` } as const;
const detections: Detection[] = [
  {
    kind: 'speech_activity',
    state: 'available',
    artifact: {
      schema: 'studio.detected-evidence.v1',
      kind: 'speech_activity',
      input: {
        sourceContentId: koreanClip.session.source.contentId,
        range: clipRequest.range,
        trackIndex: 1,
        derivedAudio,
      },
      tool: vad,
      parameters: { threshold: 0.5 },
      facts: [{ kind: 'speech_window', index: 0, startSample: 0, endSample: 160, startMs: 1000, endMs: 1010 }],
    },
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
      runId: record.runtimeId,
      seq: index + 1,
      eventId: `event:${record.runtimeId}:${index + 1}`,
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
  const { taskId, agentId, claimId, executionId, grantIds } = run.ids;
  for (const event of journalled(opening().events)) {
    t.is(event.correlationId, record.commandId);
    if (event.type === 'task.created') {
      t.is(event.data.task.id, taskId);
      t.deepEqual(new Set(event.data.task.grants.map(({ grantId }) => grantId)), new Set(Object.values(grantIds)));
      t.is(event.data.task.inputs[0]?.artifactId, record.sourceArtifactId);
    }
    if (event.type === 'task.launch_claimed')
      t.like(event.data.claim, {
        id: claimId,
        taskId,
        agentId,
        executionId,
        requestId: record.analysisRequest.requestId,
      });
    if (event.type === 'agent.registered') t.like(event.data.agent, { id: agentId, taskId });
    if (event.type === 'executor.started') t.like(event.data, { executionId, launchClaimId: claimId });
  }
});

test('the source artifact of an opening is the one that the start promised', (t) => {
  t.is(opening().sourceArtifact.id, record.sourceArtifactId);
  t.is(opening().pinnedEvidence.length, 2);
});

test('the same run opens with the same events again', (t) => {
  t.deepEqual(opening(), opening());
});

test('an operation key follows from work alone and an operation id from the key', (t) => {
  const request = mediaRequestOf(run, detect);
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
  t.is(mediaRequestOf({ ...run, record: other.record }, detect).operationKey, request.operationKey);
});

test('another tool, parameter, capability or range is other work', (t) => {
  const shorter = planStudy(koreanClip, { ...clipRequest, range: { startMs: 1000, endMs: 40000 } });
  const keys = [
    mediaRequestOf(run, detect),
    mediaRequestOf(run, { ...detect, tools: [{ ...vad, version: '6' }] }),
    mediaRequestOf(run, { ...detect, parameters: { threshold: 0.6 } }),
    mediaRequestOf(run, { ...detect, capability: 'media.subtitles' }),
    mediaRequestOf({ ...run, record: acceptStudy(shorter, koreanClip, acceptedAt).record }, detect),
  ].map(({ operationKey }) => operationKey);
  t.is(new Set(keys).size, keys.length);
  t.is(mediaRequestOf(run, { ...detect, limits: { maxWallMs: 1 } }).operationKey, keys[0] ?? '');
});

test('detections are stored canonically and named by what was stored', (t) => {
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
  const completed = operationCompleted(run, detect, result, false);
  const events = journalled([operationStarted(run, detect), ...completed.events]);
  t.deepEqual(typesOf(events), ['media.operation_started', 'artifact.recorded', 'media.operation_completed']);
  const [speech, shots] = completed.receipt.evidence;
  const [evidence] = completed.artifacts;
  t.is(evidence?.kind, 'detected-speech-activity');
  t.deepEqual(evidence?.sourceArtifactIds, [record.sourceArtifactId]);
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
  const fresh = operationCompleted(run, detect, result, false);
  const reused = operationCompleted(run, detect, result, true);
  t.deepEqual(reused.artifacts, fresh.artifacts);
  t.true(reused.receipt.reused);
  t.not(reused.receipt.receiptId, fresh.receipt.receiptId);
});

test('a failed operation names its reason', (t) => {
  const [event] = journalled([operationFailed(run, detect, { code: 'executor_failed', message: 'tool_exit: 1' })]);
  t.like(event, { type: 'media.operation_failed', data: { operationId: mediaRequestOf(run, detect).operationId } });
});

test('a finished execution is receipted and the completed task is the last word', (t) => {
  const output = {
    studyId: `study:${'0'.repeat(64)}`,
    artifactId: `artifact:${'1'.repeat(64)}`,
    contentId: `sha256:${'2'.repeat(64)}`,
  };
  const operationIds = [mediaRequestOf(run, detect).operationId];
  const finished = executionFinished(run, { ...span, operationIds }, output);
  t.deepEqual(typesOf(journalled([finished.event, taskCompleted(run)])), ['executor.finished', 'task.transitioned']);
  const { schema: _, receiptId, ...body } = finished.receipt;
  t.is(receiptId, `span:${hashOf(body)}`);
  t.is(finished.receiptContentId, contentIdOf(finished.receipt));
  t.deepEqual(finished.receipt.output, output);
});

test('a failed study closes its execution and its task with the reason', (t) => {
  const events = journalled(stopStudy(run, { lifecycle: 'failed', reason, span }));
  t.deepEqual(typesOf(events), ['executor.finished', 'task.transitioned']);
  t.like(events.at(-1), { data: { status: 'failed', reason } });
});

test('an interrupted study says first what was interrupted', (t) => {
  const events = journalled(stopStudy(run, { lifecycle: 'interrupted', reason, span: { ...span, resumes: 3 } }));
  t.deepEqual(typesOf(events), ['runtime.interrupted', 'executor.finished', 'task.transitioned']);
  t.like(events[0], { data: { taskIds: [run.ids.taskId], executionIds: [run.ids.executionId], reason } });
  t.like(events[1], { data: { receipt: { outcome: 'interrupted', output: null, resumes: 3 } } });
});
