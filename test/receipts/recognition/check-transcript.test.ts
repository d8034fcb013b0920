import test from 'ava';
import type { EvidenceArtifact } from '../../../contract/evidence/evidence.ts';
import { firstTranscriptGates, type TranscriptGates, transcriptGates } from '../../../contract/evidence/transcript.ts';
import { EvidenceChainError } from '../../../receipts/core/evidence-chain-error.ts';
import { checkTranscript } from '../../../receipts/recognition/check-transcript.ts';
import { speechRegions } from '../../../receipts/recognition/speech-regions.ts';
import { gatedLines } from '../../../receipts/recognition/transcript-gates.ts';
import { allSpeech, line, silencesAt, speechAt } from './transcripts.ts';

const lengthMs = 10_000;
const basis = { speech: speechAt([[0, lengthMs]], lengthMs), silences: silencesAt([], lengthMs), languages: ['en'] };
const spoken = line({ text: 'Thanks for watching! See you in the next video.' });

/** A transcript of one line, judged by these gates. */
function transcriptOf(gates: TranscriptGates): EvidenceArtifact {
  const regions = speechRegions({ startMs: 0, endMs: lengthMs }, basis.speech, basis.silences).map((region, index) => ({
    ...{ kind: 'recognised_region' as const, index, ...region },
    ...{ language: null, heard: { samples: 160_000, contentId: `sha256:${'2'.repeat(64)}` } },
  }));
  const lines = gatedLines([spoken], { ...allSpeech, gates });
  return { ...basis.speech, kind: 'transcript', parameters: { gates }, facts: [...regions, ...lines] };
}

test('a transcript is judged again by the gates that it states: the first ones let two invented phrases pass', (t) => {
  for (const gates of [firstTranscriptGates, transcriptGates] as const) {
    t.notThrows(() => checkTranscript(transcriptOf(gates), basis), `gates ${gates}`);
  }
  const dressedUp = { ...transcriptOf(firstTranscriptGates), parameters: { gates: transcriptGates } };
  t.throws(() => checkTranscript(dressedUp, basis), { instanceOf: EvidenceChainError });
});
