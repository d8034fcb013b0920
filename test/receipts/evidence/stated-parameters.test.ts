import test from 'ava';
import type { EvidenceArtifact } from '../../../contract/evidence/evidence.ts';
import { statedParameters } from '../../../receipts/evidence/stated-parameters.ts';

const evidence = (kind: EvidenceArtifact['kind'], parameters: EvidenceArtifact['parameters']): EvidenceArtifact => ({
  schema: 'studio.detected-evidence.v1',
  kind,
  input: {
    sourceContentId: `sha256:${'a'.repeat(64)}`,
    range: { startMs: 0, endMs: 1 },
    trackIndex: 0,
    derivedAudio: null,
  },
  tool: { name: 'ffmpeg', version: '5', digest: `sha256:${'b'.repeat(64)}` },
  parameters,
  facts: [],
});

test('what a pass measured on the way is no parameter that its operation stated', (t) => {
  const measured = { programmeDbfs: -20, floorDbfs: null, thresholdDbfs: -46 };
  t.deepEqual(statedParameters(evidence('silence', { minimumMs: 300, ...measured })), { minimumMs: 300 });
  const apart = { channelsApart: 'left', channelsApartMs: 1024 };
  t.deepEqual(statedParameters(evidence('speech_activity', { padMs: 30, ...apart })), { padMs: 30 });
});

test('of any other kind, and of evidence of earlier versions, every parameter was stated', (t) => {
  t.deepEqual(statedParameters(evidence('loudness', { thresholdDbfs: -1 })), { thresholdDbfs: -1 });
  const fixed = { thresholdDb: -40, minimumMs: 300, channels: 'all' };
  t.deepEqual(statedParameters(evidence('silence', fixed)), fixed);
});
