import test from 'ava';
import type { Detection } from '../../../contract/evidence/evidence.ts';
import { detectionsOver, identityOver } from '../../../executors/evidence/incomplete-evidence.ts';

const note = { cause: 'corrupt_packets', statedMs: null, measuredMs: 9000 } as const;
const identity = { tools: [], parameters: { 'silence.minimumMs': 300, audioTrackIndex: 1 } };
const tool = { name: 'ffmpeg', version: '1', digest: `sha256:${'0'.repeat(64)}` };
const sourceContentId = `sha256:${'1'.repeat(64)}`;

const detections: readonly Detection[] = [
  {
    kind: 'silence',
    state: 'available',
    artifact: {
      ...{ schema: 'studio.detected-evidence.v1', kind: 'silence', tool, parameters: { minimumMs: 300 }, facts: [] },
      input: { sourceContentId, range: { startMs: 0, endMs: 1000 }, trackIndex: 1, derivedAudio: null },
    },
  },
  { kind: 'shot_changes', state: 'unavailable', reasonCode: 'no_video_track' },
];

test('evidence over incomplete media says so, as its operation does', (t) => {
  t.deepEqual(identityOver(note, ['silence'], identity).parameters, {
    ...identity.parameters,
    ...{ 'silence.incompleteMedia': 'corrupt_packets', 'silence.statedMs': null, 'silence.measuredMs': 9000 },
  });
  const [silence, shots] = detectionsOver(note, detections);
  t.deepEqual(silence?.state === 'available' && silence.artifact.parameters, {
    ...{ minimumMs: 300, incompleteMedia: 'corrupt_packets', statedMs: null, measuredMs: 9000 },
  });
  t.deepEqual(shots, detections[1]);
});

test('evidence over whole media stays as it is, and so does the key of its operation', (t) => {
  t.deepEqual(identityOver(undefined, ['silence'], identity), identity);
  t.deepEqual(detectionsOver(undefined, detections), [...detections]);
});
