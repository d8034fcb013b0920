import test from 'ava';
import { type EventType, journalEvent } from '../../../contract/journal/journal-event.ts';
import { draftEvent } from '../../../receipts/core/event-draft.ts';

const cause = { correlationId: `runtime-start:${'0'.repeat(64)}`, causationId: null };
const moved = { taskId: 'task:1', agentId: 'agent:1', status: 'working', reason: null } as const;

const producers: Record<EventType, string> = {
  'artifact.recorded': 'artifact_store',
  'task.created': 'scheduler',
  'task.launch_claimed': 'launcher',
  'agent.registered': 'registry',
  'task.transitioned': 'scheduler',
  'executor.started': 'launcher',
  'executor.finished': 'launcher',
  'runtime.interrupted': 'recovery_host',
  'semantic.evidence_started': 'semantic_evidence_host',
  'semantic.evidence_completed': 'semantic_evidence_host',
  'semantic.evidence_failed': 'semantic_evidence_host',
  'screen.text_started': 'screen_text_host',
  'screen.text_completed': 'screen_text_host',
  'screen.text_failed': 'screen_text_host',
  'media.operation_started': 'media_host',
  'media.operation_completed': 'media_host',
  'media.operation_failed': 'media_host',
  'evidence.read_started': 'evidence_host',
  'evidence.read_completed': 'evidence_host',
  'evidence.read_failed': 'evidence_host',
  'analysis.evidence.assessment_started': 'assessment_host',
  'analysis.evidence.assessment_completed': 'assessment_host',
  'analysis.evidence.assessment_failed': 'assessment_host',
  'analysis.evidence.decision_started': 'decision_host',
  'analysis.evidence.decision_completed': 'decision_host',
  'analysis.evidence.decision_failed': 'decision_host',
  'publish.review.intake_started': 'publish_review_intake_host',
  'publish.review.intake_completed': 'publish_review_intake_host',
  'publish.review.intake_failed': 'publish_review_intake_host',
  'publish.review.decision_started': 'publish_review_host',
  'publish.review.decision_completed': 'publish_review_host',
  'publish.review.decision_failed': 'publish_review_host',
  'publish.review.revocation_started': 'publish_review_host',
  'publish.review.revocation_completed': 'publish_review_host',
  'publish.review.revocation_failed': 'publish_review_host',
  'caption.production_started': 'caption_production_host',
  'caption.production_completed': 'caption_production_host',
  'caption.production_failed': 'caption_production_host',
  'caption.quality_control_decided': 'caption_quality_control_host',
  'language.explanation_started': 'language_explanation_host',
  'language.explanation_completed': 'language_explanation_host',
  'language.explanation_failed': 'language_explanation_host',
};

test('the type of an event fixes the kind of its producer', (t) => {
  const found = journalEvent.options.map(({ shape }) => [shape.type.value, shape.producer.shape.kind.value]);
  t.deepEqual(Object.fromEntries(found), producers);
});

test('a draft carries its producer, cause, type and data', (t) => {
  t.deepEqual(draftEvent('task.transitioned', moved, cause), {
    producer: { kind: 'scheduler', id: 'studio.local-runtime-host' },
    causationId: null,
    correlationId: cause.correlationId,
    type: 'task.transitioned',
    data: moved,
  });
});

test('data that its type does not allow never becomes a draft', (t) => {
  const wrong: unknown[] = [
    { ...moved, extra: 1 },
    { ...moved, taskId: '' },
    { ...moved, status: 'failed' },
    { ...moved, reason: { code: 'executor_failed', message: 'why' } },
    { ...moved, status: 'failed', reason: { code: 'executor_failed', message: '' } },
    { ...moved, status: 'withheld' },
  ];
  for (const data of wrong)
    t.throws(() => draftEvent('task.transitioned', data as typeof moved, cause), { name: 'ZodError' });
});

test('a type outside the closed set is no event', (t) => {
  t.throws(() => draftEvent('spawn.requested' as EventType, {} as never, cause), { instanceOf: TypeError });
});

test('a journal event is closed: envelope, producer and data', (t) => {
  const runId = 'runtime:67c0caae-4b1e-4fc1-8e02-d1fcff06df7f';
  const event = {
    schema: 'studio.runtime.event.v1',
    runId,
    seq: 1,
    eventId: `event:${runId}:1`,
    recordedAt: '2026-01-02T03:04:05.671Z',
    ...draftEvent('task.transitioned', moved, cause),
  };
  t.true(journalEvent.safeParse(event).success);
  const broken: object[] = [
    { ...event, seq: 0 },
    { ...event, recordedAt: '2026-01-02T03:04:05Z' },
    { ...event, note: null },
    { ...event, producer: { kind: 'registry', id: 'studio.local-runtime-host' } },
    { ...event, type: 'task.created' },
    { ...event, type: 'spawn.requested' },
    { ...event, causationId: undefined },
  ];
  for (const each of broken) t.false(journalEvent.safeParse(each).success);
});
