import type { Range } from '../../contract/base/grammar.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import {
  firstTranscriptGates,
  type RecognisedRegionFact,
  type TranscriptLineFact,
  transcriptGates,
} from '../../contract/evidence/transcript.ts';
import { demandDerived, EvidenceChainError } from '../core/evidence-chain-error.ts';
import { samplesPerMs } from '../evidence/readable-evidence.ts';
import { isKnownInvention } from './invented-phrases.ts';
import { speechOf, speechRegions } from './speech-regions.ts';
import { gatedLines } from './transcript-gates.ts';

/** What a transcript is derived again from: the study's own evidence and its declared languages (base codes). */
export interface TranscriptBasis {
  readonly speech: EvidenceArtifact;
  readonly silences: EvidenceArtifact;
  readonly languages: readonly string[];
}

const isWithin = (inner: Range, outer: Range): boolean =>
  outer.startMs <= inner.startMs && inner.startMs <= inner.endMs && inner.endMs <= outer.endMs;

function checkPlaces(line: TranscriptLineFact, region: RecognisedRegionFact | undefined, place: string): void {
  const inRegion = region !== undefined && isWithin(line, region);
  if (!inRegion) throw new EvidenceChainError('evidence', place);
  const bad = line.words.findIndex((word) => !isWithin(word, line));
  if (bad !== -1) throw new EvidenceChainError('evidence', `${place}.words[${bad}]`);
}

/** A recogniser that is sure of words is sure of their line; a line was heard twice where its transcript was, or never. */
function checkMeasures(line: TranscriptLineFact, runsTwice: boolean, place: string): void {
  const { text, words, measures, second } = line;
  const isUnmeasured = measures.confidence === null && words.some(({ confidence }) => confidence !== null);
  if (isUnmeasured) throw new EvidenceChainError('evidence', `${place}.measures.confidence`);
  const isInvented = isKnownInvention(text, transcriptGates) || isKnownInvention(text, firstTranscriptGates);
  const isPlausible = second === null ? !runsTwice || isInvented : runsTwice;
  if (!isPlausible) throw new EvidenceChainError('evidence', `${place}.second`);
}

/** Lines follow each other: by their regions, and apart within one. */
function checkOrder(line: TranscriptLineFact, before: TranscriptLineFact | undefined, place: string): void {
  if (before === undefined || line.regionIndex > before.regionIndex) return;
  if (line.regionIndex < before.regionIndex) throw new EvidenceChainError('evidence', `${place}.regionIndex`);
  if (line.startMs < before.endMs) throw new EvidenceChainError('evidence', `${place}.startMs`);
}

/** No more was heard of a region than its length. */
function checkHeard({ startMs, endMs, heard }: RecognisedRegionFact, place: string): void {
  if (heard.samples <= (endMs - startMs) * samplesPerMs) return;
  throw new EvidenceChainError('evidence', `${place}.heard.samples`);
}

/**
 * Checks a transcript against what it follows from: its regions are those of the detected speech, its lines and words lie in
 * them, and the gates judge its lines as it says. What was recognised cannot be derived again. Throws `EvidenceChainError`.
 */
export function checkTranscript({ facts, input, parameters }: EvidenceArtifact, basis: TranscriptBasis): void {
  const { range, trackIndex } = input;
  demandDerived('evidence', { input: { trackIndex } }, { input: { trackIndex: basis.speech.input.trackIndex } });
  const regions = facts.flatMap((fact) => (fact.kind === 'recognised_region' ? [fact] : []));
  const lines = facts.flatMap((fact) => (fact.kind === 'transcript_line' ? [fact] : []));
  const spans = regions.map(({ index, startMs, endMs }) => ({ index, startMs, endMs }));
  const derived = speechRegions(range, basis.speech, basis.silences).map((region, index) => ({ index, ...region }));
  demandDerived('evidence', { regions: spans }, { regions: derived });
  for (const [at, region] of regions.entries()) checkHeard(region, `regions[${at}]`);
  for (const [at, line] of lines.entries()) {
    const place = `lines[${at}]`;
    checkPlaces(line, regions[line.regionIndex], place);
    checkOrder(line, lines[at - 1], place);
    checkMeasures(line, parameters.secondRun !== undefined, place);
  }
  const recognised = lines.map(({ outcome, reasonCodes, ...line }, index) => ({ ...line, index }));
  const gates = parameters.gates === firstTranscriptGates ? firstTranscriptGates : transcriptGates;
  const judged = gatedLines(recognised, { speech: speechOf(basis.speech), regions, languages: basis.languages, gates });
  demandDerived('evidence', { lines }, { lines: judged });
}
