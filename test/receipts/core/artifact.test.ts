import test from 'ava';
import { artifact } from '../../../contract/base/artifact.ts';
import {
  artifactIdOf,
  outputArtifact,
  preflightEvidenceArtifact,
  sourceArtifact,
  storageKeyOf,
} from '../../../receipts/core/artifact.ts';
import { hashOf } from '../../../receipts/core/canonical-json.ts';
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
