import type { EvidenceArtifact } from '../../../contract/evidence/evidence.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import { type GateEvidence, gatedLines, type RecognizedLine } from '../../../rules/transcript-gates.ts';
import { evidenceOf } from '../evidence/evidence-artifacts.ts';

const nothingMeasured = {
  confidence: null,
  averageLogProbability: null,
  compressionRatio: null,
  noSpeechProbability: null,
};

/** A line over the middle of one region of ten seconds, all of it detected speech, which every gate lets pass. */
export const goodLine: RecognizedLine = {
  kind: 'transcript_line',
  index: 0,
  startMs: 1_000,
  endMs: 5_000,
  regionIndex: 0,
  speaker: 'unknown',
  text: 'the meeting will begin in about ten minutes',
  words: [],
  measures: nothingMeasured,
  identified: 'en',
  second: null,
};

/** The lines with their verdicts. */
export const judgedLines = (...args: Parameters<typeof gatedLines>) => resultOfSteps(gatedLines(...args));

export const line = (changes: Partial<RecognizedLine>): RecognizedLine => ({ ...goodLine, ...changes });

export const measured = (changes: Partial<RecognizedLine['measures']>): RecognizedLine =>
  line({ measures: { ...nothingMeasured, ...changes } });

export const allSpeech: GateEvidence = {
  speech: [{ startMs: 0, endMs: 10_000 }],
  regions: [{ startMs: 0, endMs: 10_000, language: null }],
  languages: ['en'],
};

const evidence = (kind: 'speech_activity' | 'silence', facts: readonly object[], endMs: number): EvidenceArtifact =>
  evidenceOf(kind, { input: { ...evidenceOf(kind).input, range: { startMs: 0, endMs } }, facts });

/** Speech evidence with windows at these times; what lies between is left out. */
export const speechAt = (spans: readonly (readonly [number, number])[], endMs: number): EvidenceArtifact =>
  evidence(
    'speech_activity',
    spans.map(([from, to], index) => ({
      kind: 'speech_window',
      index,
      startSample: from * 16,
      endSample: to * 16,
      startMs: from,
      endMs: to,
    })),
    endMs,
  );

export const silencesAt = (spans: readonly (readonly [number, number])[], endMs: number): EvidenceArtifact =>
  evidence(
    'silence',
    spans.map(([startMs, to], index) => ({ kind: 'silence', index, startMs, endMs: to })),
    endMs,
  );
