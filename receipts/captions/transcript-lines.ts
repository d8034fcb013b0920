import type { CaptionTranslation } from '../../contract/captions/caption-translation.ts';
import type { LinesCause } from '../../contract/causes/causes.ts';
import type { EvidenceArtifact, TranscriptLineFact } from '../../contract/evidence/evidence.ts';
import type { Steps } from '../../formats/steps.ts';
import { statedNumber } from '../../kinds/kind.ts';
import { areOneLanguage } from '../../rules/languages.ts';
import { unrecognizedIn } from '../../rules/recognition.ts';
import {
  breakCosts,
  cueShapeOf,
  rowsOf,
  segmentedCues,
  timedUnits,
  untimedUnits,
  withCapitals,
} from '../../rules/segmentation.ts';
import type { SourceLine } from '../../rules/translation/gates.ts';
import { presentGatesOf, type TranslationWork, type Verdict, verdictsOf } from '../../rules/translation/plan.ts';
import { stepCauseOf } from '../evidence/granted-operation.ts';
import type { VerifiedFindings } from '../stages/run-stages.ts';
import type { DraftLine, DraftText } from './allowance.ts';
import { type CaptionedStudy, captionInputOf, derivedInSteps } from './captioned-study.ts';

/** The version of the transcript gates that came together with a version of caption rules or of translation gates. */
export const transcriptGatesOf = { captionRules3: 2, captionRules4: 4, presentTranslationGates: 4 } as const;

/** True if a transcript was judged before such a version came. */
export const isOfOlderTranscriptGates = (transcript: EvidenceArtifact, first: number): boolean =>
  (statedNumber(transcript, 'gates') ?? 0) < first;

/** The transcript of a study as captions use it. */
interface StudiedTranscript {
  readonly artifactId: string;
  readonly contentId: string;
  /** The recognizer. */
  readonly engine: string;
  readonly lines: readonly TranscriptLineFact[];
  /** The places among its regions of those that were not recognized. */
  readonly unrecognized: readonly number[];
}

/** The transcript of a study; null if nothing was recognized. */
export function transcriptOf({ recognition }: Pick<VerifiedFindings, 'recognition'>): StudiedTranscript | null {
  if (recognition === null || recognition.artifact === null || recognition.receipt === null) return null;
  const { artifact, found, receipt } = recognition;
  return {
    artifactId: artifact.id,
    contentId: artifact.content.contentId,
    engine: receipt.producer.engine,
    lines: (found?.facts ?? []).flatMap((fact) => (fact.kind === 'transcript_line' ? [fact] : [])),
    unrecognized: found === null ? [] : unrecognizedIn(found).map(({ index }) => index),
  };
}

/** True if the two sides of captions are one language: the recognized text is its own translation then. */
export function isOneLanguage(study: CaptionedStudy): boolean {
  const { sourceLanguage, targetLanguage } = captionInputOf(study);
  return areOneLanguage(sourceLanguage, targetLanguage);
}

/** A line of captions that was cut from a transcript, before a model translates it. */
interface RecognizedLine extends Pick<DraftLine, 'id' | 'startMs' | 'endMs'> {
  readonly text: string;
  readonly transcriptLines: readonly number[];
}

/** Tells how many of some indexes are below a bound. */
function countBefore(indexes: readonly number[]): (bound: number) => number {
  const inOrder = indexes.toSorted((one, other) => one - other);
  return (bound) => {
    let [low, high] = [0, inOrder.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((inOrder[middle] ?? bound) < bound) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/**
 * The lines of captions from the transcript of a study, if it has one. They use only lines that passed every gate. They never span a
 * withheld one, or speech that was not recognized. A cue must not join words that had others in between.
 */
export const recognizedLines = derivedInSteps(function* (study): Steps<readonly RecognizedLine[]> {
  const { lines = [], unrecognized = [] } = transcriptOf(study.findings) ?? {};
  const unrecognizedBefore = countBefore(unrecognized);
  const regionOf = (lineIndex: number): number => lines[lineIndex]?.regionIndex ?? 0;
  const withheldBefore = countBefore(lines.filter(({ outcome }) => outcome === 'withheld').map(({ index }) => index));
  const { range, sourceLanguage } = captionInputOf(study);
  const units: ReturnType<typeof timedUnits>[] = [];
  for (const line of lines) {
    if (line.outcome !== 'passed') continue;
    units.push(timedUnits(line));
    yield;
  }
  const cues = yield* segmentedCues(withCapitals(units.flat(), sourceLanguage), {
    range,
    language: sourceLanguage,
    isWall: (before, after) =>
      withheldBefore(before.lineIndex + 1) < withheldBefore(after.lineIndex) ||
      unrecognizedBefore(regionOf(before.lineIndex)) < unrecognizedBefore(regionOf(after.lineIndex)),
  });
  return cues.map(({ startMs, endMs, text, lineIndexes }, at) => ({
    id: `recognised-line-${String(at + 1).padStart(3, '0')}`,
    startMs,
    endMs,
    text,
    transcriptLines: lineIndexes,
  }));
});

/** The reason why the recognized speech of a study has no line of captions. */
export function recognizedAbsence(study: CaptionedStudy, translates: boolean): LinesCause {
  const { recognition } = study.findings;
  const transcript = transcriptOf(study.findings);
  if (recognition === null) {
    const isNotAsked = study.run.record.recognition === null;
    return { code: isNotAsked ? 'recognition_not_asked' : 'not_recognised', params: {} };
  }
  if (transcript === null) {
    const cause = stepCauseOf(recognition);
    const reason = recognition.delivered.reasonCode ?? 'recognition_failed';
    return { code: 'nothing_recognised', params: { reason, ...(cause === null ? {} : { cause }) } };
  }
  if (transcript.lines.every(({ outcome }) => outcome === 'withheld')) {
    return { code: 'no_line_passed', params: { lines: transcript.lines.length } };
  }
  if (isOneLanguage(study) || translates) return { code: 'no_supported_line', params: {} };
  const { sourceLanguage: from, targetLanguage: to } = captionInputOf(study);
  return { code: 'no_translator', params: { of: 'transcript', from, to, found: [] } };
}

/** The stored text of a study that has to be translated. */
export interface TextToTranslate {
  readonly artifactId: string;
  readonly contentId: string;
  /** Each as one row of text. */
  readonly lines: readonly SourceLine[];
}

export const asOneRow = (text: string): string => text.replaceAll('\n', ' ');

/** The recognized lines of a study for a model; null if nothing was recognized, or the target is the same language. */
export function* transcriptToTranslate(study: CaptionedStudy): Steps<TextToTranslate | null> {
  const transcript = transcriptOf(study.findings);
  if (transcript === null || isOneLanguage(study)) return null;
  const { artifactId, contentId } = transcript;
  const lines = (yield* recognizedLines(study)).map(({ id, text }) => ({ id, text: asOneRow(text) }));
  return { artifactId, contentId, lines };
}

/** The questions to a model about a study's lines. */
export const translationWorkOf = (
  study: CaptionedStudy,
  { lines }: TextToTranslate,
  { asks, identifiedAlone, gates }: Pick<TranslationWork, 'asks' | 'identifiedAlone' | 'gates'>,
): TranslationWork => {
  const { sourceLanguage, targetLanguage } = captionInputOf(study);
  return { lines, sourceLanguage, targetLanguage, asks, identifiedAlone, gates };
};

/** The translations of a study's lines by their ids, each with its text in rows, or the reason why it has none. */
export function* translatedSides(
  study: CaptionedStudy,
  text: TextToTranslate | null,
  translation: CaptionTranslation | undefined,
): Steps<(lineId: string) => DraftText> {
  const { targetLanguage } = captionInputOf(study);
  const gates = translation === undefined ? null : presentGatesOf(translation);
  const verdicts =
    text === null || translation === undefined || gates === null
      ? new Map<string, Verdict>()
      : yield* verdictsOf(translationWorkOf(study, text, { ...translation, gates }));
  return (lineId) => sideOf(verdicts.get(lineId), targetLanguage);
}

/** A text in rows as the guidelines for its language want them, where two rows suffice. */
const inRows = (text: string, language: string): string =>
  rowsOf(untimedUnits(text), cueShapeOf(language), breakCosts(language));

function sideOf(verdict: Verdict | undefined, language: string): DraftText {
  if (verdict === undefined) return { state: 'withheld', reasonCode: 'translator_unavailable' };
  if ('reason' in verdict) {
    const { reason, unknownWords } = verdict;
    return { state: 'withheld', reasonCode: reason, ...(unknownWords && { unknownWords }) };
  }
  return { state: 'available', text: inRows(verdict.text, language) };
}

/** The recognized lines of a study, each with its translation or the reason why it has none. */
export function* translatedLines(
  study: CaptionedStudy,
  translation: CaptionTranslation | undefined,
): Steps<DraftLine[]> {
  if (transcriptOf(study.findings) === null) return [];
  const targetOf = yield* translatedSides(study, yield* transcriptToTranslate(study), translation);
  const lines: DraftLine[] = [];
  for (const { text, ...line } of yield* recognizedLines(study)) {
    lines.push({ ...line, source: { state: 'available', text }, target: targetOf(line.id) });
    yield;
  }
  return lines;
}
