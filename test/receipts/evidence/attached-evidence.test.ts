import test from 'ava';
import type { EvidenceArtifact } from '../../../contract/evidence/evidence.ts';
import { EvidenceChainError } from '../../../receipts/core/evidence-chain-error.ts';
import { checkEvidence, type EvidenceOrigin } from '../../../receipts/evidence/check-evidence.ts';
import { sealWithSubtitles } from '../../../receipts/sources/attach-subtitles.ts';
import { attachedClip, attachedTrack } from '../sources/attached-clip.ts';
import { storedStudy } from './stored-study.ts';

const { chain, files } = attachedClip();
const track = attachedTrack(4);
const { source } = sealWithSubtitles(chain, [track], files);
const { run } = storedStudy({ version: 1, windows: 4 });
const tool = { name: 'ffmpeg', version: '5.1', digest: `sha256:${'5'.repeat(64)}` };
const origin: EvidenceOrigin = { run, source, operation: { tools: [tool], parameters: {} }, kind: 'subtitle_track' };
const { sourceContentId, range } = run.record.analysisRequest;

const over = (trackIndex: number, cited: { subtitleContentId?: string }): EvidenceArtifact => ({
  schema: 'studio.detected-evidence.v1',
  kind: 'subtitle_track',
  input: { sourceContentId, range, trackIndex, derivedAudio: null, ...cited },
  tool,
  parameters: {},
  facts: [],
});

test('evidence over an attached file names the text of the receipt, and evidence over a track of the media names none', (t) => {
  const refusal = { instanceOf: EvidenceChainError, message: /fails at: input/ };
  const cited = { subtitleContentId: track.text.content_id };
  t.notThrows(() => checkEvidence(over(4, cited), origin));
  t.notThrows(() => checkEvidence(over(2, {}), origin));
  t.throws(() => checkEvidence(over(4, {}), origin), refusal);
  t.throws(() => checkEvidence(over(4, { subtitleContentId: track.content_id }), origin), refusal);
  t.throws(() => checkEvidence(over(2, cited), origin), refusal);
});
