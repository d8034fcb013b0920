import test from 'ava';
import type { EvidenceArtifact } from '../../../contract/evidence/evidence.ts';
import { firstTranscriptGates, type TranscriptGates, transcriptGates } from '../../../contract/evidence/transcript.ts';
import { EvidenceChainError } from '../../../receipts/core/evidence-chain-error.ts';
import { checkTranscript } from '../../../receipts/recognition/check-transcript.ts';
import { speechRegions } from '../../../receipts/recognition/speech-regions.ts';
import { gatedLines, type RecognisedLine } from '../../../receipts/recognition/transcript-gates.ts';
import { allSpeech, line, silencesAt, speechAt } from './transcripts.ts';

const lengthMs = 10_000;
const basis = { speech: speechAt([[0, lengthMs]], lengthMs), silences: silencesAt([], lengthMs), languages: ['en'] };
const spoken = line({ text: 'Thanks for watching! See you in the next video.' });

/** A transcript of these lines, judged by these gates. */
function transcriptOf(
  gates: TranscriptGates,
  recognised: readonly RecognisedLine[] = [spoken],
  parameters: EvidenceArtifact['parameters'] = {},
  samples = 160_000,
): EvidenceArtifact {
  const regions = speechRegions({ startMs: 0, endMs: lengthMs }, basis.speech, basis.silences).map((region, index) => ({
    ...{ kind: 'recognised_region' as const, index, ...region },
    ...{ language: null, heard: { samples, contentId: `sha256:${'2'.repeat(64)}` } },
  }));
  const lines = gatedLines(recognised, { ...allSpeech, gates });
  return { ...basis.speech, kind: 'transcript', parameters: { gates, ...parameters }, facts: [...regions, ...lines] };
}

test('a transcript is judged again by the gates that it states: the first ones let two invented phrases pass', (t) => {
  for (const gates of [firstTranscriptGates, transcriptGates] as const) {
    t.notThrows(() => checkTranscript(transcriptOf(gates), basis), `gates ${gates}`);
  }
  const dressedUp = { ...transcriptOf(firstTranscriptGates), parameters: { gates: transcriptGates } };
  t.throws(() => checkTranscript(dressedUp, basis), { instanceOf: EvidenceChainError });
});

const said = line({ text: 'the meeting will begin in about ten minutes' });
const next = line({ text: 'nobody has told me of that', index: 1, startMs: 5000, endMs: 9000 });
const sure = [{ text: 'the', startMs: 1000, endMs: 1200, confidence: 0.1 }];
const twice = { secondRun: 'same_recogniser_wider_region' };

const forgeries: Readonly<Record<string, readonly [EvidenceArtifact, string]>> = {
  'lines that overlap': [transcriptOf(transcriptGates, [said, { ...next, startMs: 4999 }]), 'lines[1].startMs'],
  'a line without a confidence that its words have': [
    transcriptOf(transcriptGates, [{ ...said, words: sure }]),
    'lines[0].measures.confidence',
  ],
  'a line that was not heard the second time': [transcriptOf(transcriptGates, [said], twice), 'lines[0].second'],
  'a line that was heard a second time in one run': [
    transcriptOf(transcriptGates, [{ ...said, second: said.text }]),
    'lines[0].second',
  ],
  'more sound than the region has': [transcriptOf(transcriptGates, [said], {}, 160_001), 'regions[0].heard.samples'],
};

for (const [title, [transcript, place]] of Object.entries(forgeries)) {
  test(`a transcript does not hold that states ${title}`, (t) => {
    t.like(
      t.throws(() => checkTranscript(transcript, basis)),
      { place },
    );
  });
}

test('a transcript holds of lines that adjoin, were heard twice, or are known to be invented', (t) => {
  t.notThrows(() => checkTranscript(transcriptOf(transcriptGates, [said, next]), basis));
  const again = [
    { ...said, second: said.text },
    { ...spoken, index: 1, startMs: 5000, endMs: 9000 },
  ];
  t.notThrows(() => checkTranscript(transcriptOf(transcriptGates, again, twice), basis));
});
