import { readFileSync } from 'node:fs';
import test from 'ava';
import { z } from 'zod';
import { artifact } from '../../../contract/base/artifact.ts';
import { type EventType, journalEvent } from '../../../contract/journal.ts';
import { hashOf } from '../../../formats/canonical-json.ts';
import { deletionReceiptOf } from '../../../receipts/deletion.ts';
import { EvidenceChainError } from '../../../receipts/evidence-chain.ts';
import {
  artifactIdOf,
  operationIdOf,
  operationKeyOf,
  outputArtifact,
  preflightEvidenceArtifact,
  sourceArtifact,
  storageKeyOf,
} from '../../../receipts/identities.ts';
import { draftEvent } from '../../../receipts/journal.ts';
import { reopenJson, storedJson } from '../../../receipts/stored-records.ts';
import { coverageOf } from '../../../receipts/study/record.ts';
import { failureOf } from '../reopening/fault-place.ts';
import { koreanClip } from '../sources/korean-clip.ts';

const runId = 'runtime:67c0caae-4b1e-4fc1-8e02-d1fcff06df7f';
const contentId = `sha256:ab${'c'.repeat(62)}`;

test('an object lies under the first two digits of its hash', (t) => {
  t.is(storageKeyOf(contentId), `objects/sha256/ab/ab${'c'.repeat(62)}`);
});

test('a source artifact is raw private media with its tracks and no producer', (t) => {
  const media = artifact.parse(sourceArtifact(runId, koreanClip));
  t.is(media.mediaClass, 'raw');
  t.is(media.publication, 'private');
  t.is(media.durationMs, 51680);
  t.is(media.tracks.length, 2);
  t.deepEqual(media.sourceArtifactIds, []);
  t.is(media.producerTaskId, null);
});

test('preflight evidence rests on the source artifact of the same run', (t) => {
  const media = sourceArtifact(runId, koreanClip);
  for (const pinned of koreanClip.pinnedEvidence) {
    const evidence = artifact.parse(preflightEvidenceArtifact(runId, koreanClip, pinned));
    t.is(evidence.kind, pinned.kind);
    t.is(evidence.mediaClass, 'non_media');
    t.deepEqual(evidence.sourceArtifactIds, [media.id]);
    t.is(evidence.content.bytes, pinned.bytes);
  }
});

test('an output is identified by run, producer, kind and content', (t) => {
  const outputs = [
    { kind: 'operation_output', operationId: 'operation:media-detect:1' },
    { kind: 'study_record', studyId: 'study:1' },
    { kind: 'study_readiness', readinessId: 'study-readiness:1' },
    { kind: 'publish_review_intake', intakeId: 'publish-review-intake:1' },
  ] as const;
  for (const origin of outputs) {
    const { kind: _, ...key } = origin;
    const made = artifact.parse(
      outputArtifact({
        runId,
        kind: 'some-receipt',
        origin,
        contentId,
        bytes: 7,
        sourceArtifactIds: [],
        producer: { taskId: 'task:1', agentId: 'agent:1' },
      }),
    );
    t.is(made.id, `artifact:${hashOf({ runId, kind: 'some-receipt', contentId, ...key })}`);
    t.is(made.id, artifactIdOf({ runId, kind: made.kind, contentId, origin: made.origin }));
    t.is(made.producerTaskId, 'task:1');
    t.is(made.producerAgentId, 'agent:1');
  }
});

test('an output without a producer names none', (t) => {
  const made = outputArtifact({
    runId,
    kind: 'study-record',
    origin: { kind: 'study_record', studyId: 'study:1' },
    contentId,
    bytes: 7,
    sourceArtifactIds: [`artifact:${'0'.repeat(64)}`],
    producer: null,
  });
  t.is(made.producerTaskId, null);
  t.deepEqual(made.sourceArtifactIds, [`artifact:${'0'.repeat(64)}`]);
});

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
  'publish.review.plan_recorded': 'publish_review_host',
  'caption.production_started': 'caption_production_host',
  'caption.production_completed': 'caption_production_host',
  'caption.production_failed': 'caption_production_host',
  'caption.quality_control_decided': 'caption_quality_control_host',
  'caption.correction_recorded': 'caption_correction_host',
  'caption.correction_checked': 'caption_correction_host',
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

test('an event has a type of the closed set', (t) => {
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

interface Vector {
  readonly name: string;
  readonly input: never;
  readonly expected: string;
}

const { vectors } = JSON.parse(
  readFileSync(new URL('../../../fixtures/vectors/identities.json', import.meta.url), 'utf8'),
) as { vectors: readonly Vector[] };

function golden(name: string): Vector {
  const vector = vectors.find((each) => each.name === name);
  if (vector === undefined) throw new Error(`no vector '${name}'`);
  return vector;
}

test('an operation has the golden key, and a read the golden id', (t) => {
  const detection = golden('operationKey');
  t.is(operationKeyOf(detection.input), detection.expected);
  const read = golden('operationId of a read');
  t.is(operationIdOf(read.input), read.expected);
});

test('a stretch of a range of which nothing was read has the golden id', (t) => {
  const { input, expected } = golden('coverageId');
  const { runId, ...range } = input as { runId: string; startMs: number; endMs: number };
  const [stretch] = coverageOf(runId, range, { reads: [], assessments: [] });
  t.is(stretch?.coverageId, expected);
});

test('the receipt of a deletion has the golden id, with odd signs in it', (t) => {
  const { input, expected } = golden('deletion receiptId');
  t.is(deletionReceiptOf(input).receiptId, expected);
});

const schema = z.strictObject({
  facts: z.array(z.strictObject({ startMs: z.number() })),
  decision: z.union([z.strictObject({ code: z.string(), share: z.number() }), z.strictObject({ reason: z.string() })]),
});
const whole = { facts: [{ startMs: 0 }], decision: { reason: 'quiet' } };
const opened = (record: unknown) => reopenJson({ link: 'read', schema, maximumBytes: 10_000 }, storedJson(record));

const placeOf = (record: unknown) => failureOf(EvidenceChainError, () => opened(record))?.place ?? null;

test('a field that a record must not have is named as the place', (t) => {
  t.deepEqual(opened(whole), whole);
  t.is(placeOf({ ...whole, note: 'x' }), 'note');
  t.is(placeOf({ ...whole, facts: [{ startMs: 0, endMs: 1 }] }), 'facts.0.endMs');
});

test('the name of such a field is left out if it could act on a terminal', (t) => {
  t.is(placeOf({ ...whole, '\u001b[31m': 'x' }), 'a field that no such record has');
});

test('a value of several forms is named by the form that it comes nearest to', (t) => {
  t.is(placeOf({ ...whole, decision: { code: 'ko', share: '1' } }), 'decision.share');
});

test('an invalid record is named as a whole', (t) => {
  t.is(placeOf([]), '(whole)');
});
