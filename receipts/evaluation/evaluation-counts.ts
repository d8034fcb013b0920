import {
  cutTolerancesFrames,
  type EvaluationScores,
  type LabelledTrack,
  type PackItem,
  speechCollarsMs,
} from '../../contract/evaluation.ts';
import type { EvaluationFindings, FoundTrack } from './evaluation-findings.ts';
import { type CaptionGateCounts, captionGateScoreOf } from './score-caption-gate.ts';
import { type CutCounts, cutCounts, cutScoreOf } from './score-cuts.ts';
import { type KeyframeCounts, keyframeCounts, keyframeScoreOf } from './score-keyframes.ts';
import { type LanguageAnswer, type LanguageCounts, languageCounts, languageScoreOf } from './score-languages.ts';
import { type PairingCounts, pairingCounts, pairingScoreOf } from './score-pairing.ts';
import { type ScreenTextCounts, screenTextCounts, screenTextScoreOf } from './score-screen-texts.ts';
import { type FaultCounts, faultCounts, faultScoresOf } from './score-sound-faults.ts';
import { type SpeechCounts, speechCounts, speechScoreOf } from './score-speech.ts';
import { pairCues, type SubtitleCounts, subtitleCounts, subtitleScoreOf } from './score-subtitles.ts';
import { type TranscriptCounts, transcriptCounts, transcriptScoreOf } from './score-transcript.ts';
import { type TransitionCounts, transitionCounts, transitionScoreOf } from './score-transitions.ts';
import { type TranslationCounts, translationScoreOf } from './score-translations.ts';
import { pooledUtterances, type UtteranceCounts, utteranceCounts, utteranceScoreOf } from './score-utterances.ts';

/** Everything that is counted of an item or of a whole pack; speech and cuts once for each collar and tolerance. */
export interface EvaluationCounts {
  readonly speech: readonly SpeechCounts[] | null;
  readonly cuts: readonly CutCounts[] | null;
  readonly subtitles: SubtitleCounts | null;
  readonly trackLanguages: LanguageCounts | null;
  readonly cueLanguages: LanguageCounts | null;
  readonly captionGate: CaptionGateCounts | null;
  readonly transitions?: TransitionCounts | null | undefined;
  /** Once for each kind of fault. */
  readonly soundFaults?: readonly FaultCounts[] | null | undefined;
  readonly keyframes?: KeyframeCounts | null | undefined;
  readonly transcript?: TranscriptCounts | null | undefined;
  readonly translations?: TranslationCounts | null | undefined;
  readonly pairing?: PairingCounts | null | undefined;
  readonly screenTexts?: ScreenTextCounts | null | undefined;
  /** Once for each condition. */
  readonly utterances?: readonly UtteranceCounts[] | null | undefined;
}

const trackAnswers = ({ language: label }: LabelledTrack, { language }: FoundTrack): LanguageAnswer[] =>
  label === null ? [] : [{ label, isRead: true, code: language.code }];

function cueAnswers({ cues: labelled }: LabelledTrack, { cues: found, language }: FoundTrack): LanguageAnswer[] {
  const places = new Map(pairCues(labelled, found).map((pair) => [pair.labelled, pair.found]));
  return labelled.flatMap(({ language: label }, index) => {
    const place = places.get(index);
    if (label === null) return [];
    return [
      { label, isRead: place !== undefined, code: place === undefined ? null : (language.cueCodes[place] ?? null) },
    ];
  });
}

const orNull = <Value>(values: readonly Value[], count: (values: readonly Value[]) => LanguageCounts) =>
  values.length === 0 ? null : count(values);

/** Holds what a study found in the range of an item against the item's labels. */
export function countsOf({ range, labels }: PackItem, found: EvaluationFindings): EvaluationCounts {
  const { speech, cuts, subtitles } = labels;
  const tracks = (subtitles ?? []).flatMap((labelled, index) => {
    const read = found.tracks?.[index];
    return read === undefined ? [] : [{ labelled, read }];
  });
  const answersBy = (answers: typeof cueAnswers) => tracks.flatMap(({ labelled, read }) => answers(labelled, read));
  return {
    speech: speech && speechCollarsMs.map((collarMs) => speechCounts(speech, found.speech ?? [], range, collarMs)),
    cuts: cuts && cutTolerancesFrames.map((frames) => cutCounts(cuts, found.cutsMs ?? [], frames)),
    subtitles: pooledSubtitles(tracks.map(({ labelled, read }) => subtitleCounts(labelled.cues, read.cues))),
    trackLanguages: orNull(answersBy(trackAnswers), languageCounts),
    cueLanguages: orNull(answersBy(cueAnswers), languageCounts),
    captionGate: found.captionGate,
    transitions: labels.transitions ? transitionCounts(labels.transitions, found.transitions ?? []) : null,
    soundFaults: labels.soundFaults ? faultCounts(labels.soundFaults, found.soundFaults ?? []) : null,
    keyframes: labels.keyframes ? keyframeCounts(labels.keyframes.shots, found.keyframesMs ?? []) : null,
    transcript: labels.transcript ? transcriptCounts(labels.transcript, found.transcript ?? [], range) : null,
    translations: found.translations,
    pairing: labels.pairing ? pairingCounts(labels.pairing, found.pairs ?? []) : null,
    screenTexts: labels.screenTexts ? screenTextCounts(labels.screenTexts, found.screenTexts ?? []) : null,
    utterances: labels.utterances ? [utteranceCounts(labels.utterances, found.speech ?? [], range)] : null,
  };
}

/** Adds up counts field by field; null for none. */
function sumOf<Key extends string>(list: readonly Readonly<Record<Key, number>>[]): Record<Key, number> | null {
  const [first] = list;
  if (first === undefined) return null;
  const sums = (Object.keys(first) as Key[]).map((key) => [key, list.reduce((sum, counts) => sum + counts[key], 0)]);
  return Object.fromEntries(sums) as Record<Key, number>;
}

function pooledSubtitles(list: readonly SubtitleCounts[]): SubtitleCounts | null {
  const sum = sumOf(list);
  return sum && { ...sum, largestErrorMs: Math.max(...list.map(({ largestErrorMs }) => largestErrorMs)) };
}

/** The counts of right lines, and those of each defect. */
function pooledTranslations(items: readonly (TranslationCounts | null | undefined)[]): TranslationCounts | null {
  const clean = sumOf(present(items).map(({ lines, withheld }) => ({ lines, withheld })));
  const defects = sumsOf(present(items).map(({ defects: counts }) => counts));
  return clean && { ...clean, defects: defects ?? [] };
}

const present = <Value>(values: readonly (Value | null | undefined)[]): Value[] =>
  values.flatMap((value) => (value == null ? [] : [value]));

/** Adds up lists of counts place by place; null for none. */
function sumsOf<Key extends string>(
  lists: readonly (readonly Readonly<Record<Key, number>>[] | null | undefined)[],
): Record<Key, number>[] | null {
  const [first, ...rest] = present(lists);
  if (first === undefined) return null;
  return first.map((counts, index) => sumOf([counts, ...rest.flatMap((list) => list[index] ?? [])]) ?? counts);
}

/** The counts of a whole pack: durations and numbers added up over its items, so that a long item weighs more. */
export const pooledCounts = (items: readonly EvaluationCounts[]): EvaluationCounts => ({
  speech: sumsOf(items.map(({ speech }) => speech)),
  cuts: sumsOf(items.map(({ cuts }) => cuts)),
  subtitles: pooledSubtitles(present(items.map(({ subtitles }) => subtitles))),
  trackLanguages: sumOf(present(items.map(({ trackLanguages }) => trackLanguages))),
  cueLanguages: sumOf(present(items.map(({ cueLanguages }) => cueLanguages))),
  captionGate: sumOf(present(items.map(({ captionGate }) => captionGate))),
  transitions: sumOf(present(items.map(({ transitions }) => transitions))),
  soundFaults: sumsOf(items.map(({ soundFaults }) => soundFaults)),
  keyframes: sumOf(present(items.map(({ keyframes }) => keyframes))),
  transcript: sumOf(present(items.map(({ transcript }) => transcript))),
  translations: pooledTranslations(items.map(({ translations }) => translations)),
  pairing: sumOf(present(items.map(({ pairing }) => pairing))),
  screenTexts: sumOf(present(items.map(({ screenTexts }) => screenTexts))),
  utterances: pooledUtterances(items.map(({ utterances }) => utterances)),
});

/** The counts with the ratios that follow from them. */
export const scoresOf = ({
  speech,
  cuts,
  subtitles,
  trackLanguages,
  cueLanguages,
  captionGate,
  ...later
}: EvaluationCounts): EvaluationScores => ({
  speech: speech?.map((counts, index) => speechScoreOf(speechCollarsMs[index] ?? 0, counts)) ?? null,
  cuts: cuts?.map((counts, index) => cutScoreOf(cutTolerancesFrames[index] ?? 0, counts)) ?? null,
  subtitles: subtitles && subtitleScoreOf(subtitles),
  trackLanguages: trackLanguages && languageScoreOf(trackLanguages),
  cueLanguages: cueLanguages && languageScoreOf(cueLanguages),
  captionGate: captionGate && captionGateScoreOf(captionGate),
  ...(later.transitions == null ? {} : { transitions: transitionScoreOf(later.transitions) }),
  ...(later.soundFaults == null ? {} : { soundFaults: faultScoresOf(later.soundFaults) }),
  ...(later.keyframes == null ? {} : { keyframes: keyframeScoreOf(later.keyframes) }),
  ...(later.transcript == null ? {} : { transcript: transcriptScoreOf(later.transcript) }),
  ...(later.translations == null ? {} : { translations: translationScoreOf(later.translations) }),
  ...(later.pairing == null ? {} : { pairing: pairingScoreOf(later.pairing) }),
  ...(later.screenTexts == null ? {} : { screenTexts: screenTextScoreOf(later.screenTexts) }),
  ...(later.utterances == null ? {} : { utterances: later.utterances.map(utteranceScoreOf) }),
});
