import type { Range } from '../../contract/base/grammar.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import {
  firstTranscriptGates,
  type GateReason,
  gateReasons,
  type TranscriptGates,
  type TranscriptLineFact,
  transcriptGates,
} from '../../contract/evidence/transcript.ts';
import type { AnalysisRequest } from '../../contract/study/analysis-request.ts';
import { baseLanguage } from '../core/base-language.ts';
import { AGREEMENT, agrees } from './agreement.ts';
import { compressionRatioOf } from './compression.ts';
import { INVENTED_SHARE, isKnownInvention } from './invented-phrases.ts';
import { contradictsLanguage, LANGUAGE_GATE } from './line-language.ts';
import { REPETITION_RULE, repeatedLines, repeatsItself } from './repetition.ts';
import { isWordsAlone } from './sound-notes.ts';
import { BOUNDARY_MS, isAtBoundary, isCarriedBySpeech, SPEECH_SUPPORT } from './speech-support.ts';

/**
 * Below these a recogniser doubts its own line. The log-probability and the compression are those at which Whisper itself
 * gives a text up (`logprob_threshold` −1.0, `compression_ratio_threshold` 2.4). The mean confidence of words was set with
 * pocketsphinx on 60 sentences of one synthetic voice, where it withholds one of 48 right lines; it was not tried on sentences
 * kept apart from those.
 */
export const CONFIDENCE_RULE = { words: 0.5, averageLogProbability: -1, compressionRatio: 2.4 } as const;

/** Every threshold of the gates, as a transcript states it among its parameters. */
export const GATE_PARAMETERS: EvidenceArtifact['parameters'] = {
  gates: transcriptGates,
  speechShare: SPEECH_SUPPORT.share,
  mostLettersPerSecond: SPEECH_SUPPORT.lettersPerSecond,
  fewestLettersPerSecond: SPEECH_SUPPORT.fewestLettersPerSecond,
  repeatedWords: REPETITION_RULE.words,
  repeatedPhrases: REPETITION_RULE.phrases,
  repeatedLines: REPETITION_RULE.lines,
  wordConfidence: CONFIDENCE_RULE.words,
  averageLogProbability: CONFIDENCE_RULE.averageLogProbability,
  compressionRatio: CONFIDENCE_RULE.compressionRatio,
  inventedShare: INVENTED_SHARE,
  identifiedLetters: LANGUAGE_GATE.identifiedLetters,
  foreignShare: LANGUAGE_GATE.foreignShare,
  boundaryMs: BOUNDARY_MS,
  agreement: AGREEMENT,
};

/** A line as a recogniser gave it, before it was judged. */
export type RecognisedLine = Omit<TranscriptLineFact, 'outcome' | 'reasonCodes'>;

/** What the lines of a transcript are judged by. */
export interface GateEvidence {
  /** The speech that the study itself detected, joined. */
  readonly speech: readonly Range[];
  /** By the index of the region: where it is, and what the recogniser says that it heard there. */
  readonly regions: readonly (Range & { readonly language: string | null })[];
  /** Base codes of the declared languages; none where none is declared. */
  readonly languages: readonly string[];
  readonly gates: TranscriptGates;
}

/** The base codes of the languages that a study declares its source to be in. */
export function declaredLanguages({ language }: Pick<AnalysisRequest, 'language'>): string[] {
  const { mode, languages } = language.languagePair.requestedSource;
  if (mode !== 'declared' && mode !== 'mixed') return [];
  return languages.flatMap((tag) => baseLanguage(tag) ?? []);
}

function isDoubted({ text, measures, second }: RecognisedLine, gates: TranscriptGates): boolean {
  const { confidence, averageLogProbability } = measures;
  if (confidence !== null && confidence < CONFIDENCE_RULE.words) return true;
  if (averageLogProbability !== null && averageLogProbability < CONFIDENCE_RULE.averageLogProbability) return true;
  // The confidence of a recogniser in what it is known to invent says nothing.
  return isKnownInvention(text, gates) && (second === null || !agrees(text, second));
}

/** Whether a text says what was spoken; the first gates did not ask. */
const isSpoken = (text: string, gates: TranscriptGates): boolean =>
  gates === firstTranscriptGates || isWordsAlone(text);

function reasonsOf(line: RecognisedLine, isRepeated: boolean, evidence: GateEvidence): GateReason[] {
  const { text, measures, identified, second } = line;
  const region = evidence.regions[line.regionIndex];
  const heard = region?.language ?? null;
  const ratio = Math.max(measures.compressionRatio ?? 0, compressionRatioOf(text));
  const closes: Readonly<Record<GateReason, boolean>> = {
    no_speech_evidence: !isCarriedBySpeech(line, evidence.speech) || !isSpoken(text, evidence.gates),
    repetition: isRepeated || repeatsItself(text),
    low_confidence: isDoubted(line, evidence.gates),
    compression: ratio > CONFIDENCE_RULE.compressionRatio,
    language_mismatch: contradictsLanguage(text, evidence.languages, { identified, heard }),
    boundary_only: region === undefined || isAtBoundary(line, region),
    disagreement: second !== null && !agrees(text, second),
  };
  return gateReasons.filter((reason) => closes[reason]);
}

/** Judges the lines of a transcript, in their order: each passes every gate, or is withheld with the reasons of those that it does not. */
export function gatedLines(lines: readonly RecognisedLine[], evidence: GateEvidence): TranscriptLineFact[] {
  const repeated = repeatedLines(lines.map(({ text }) => text));
  return lines.map((line, at) => {
    const reasonCodes = reasonsOf(line, repeated[at] ?? false, evidence);
    return { ...line, outcome: reasonCodes.length === 0 ? 'passed' : 'withheld', reasonCodes };
  });
}
