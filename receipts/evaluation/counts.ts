import type { Range } from '../../contract/base/grammar.ts';
import {
  cutTolerancesFrames,
  EvaluationFault,
  type EvaluationScores,
  type LabeledTrack,
  labeledFaultKinds,
  type PackItem,
  speechCollarsMs,
} from '../../contract/evaluation.ts';
import type {
  CueFact,
  DetectedKind,
  EvidenceArtifact,
  FurtherFact,
  FurtherKind,
  TrackLanguageFact,
} from '../../contract/evidence/evidence.ts';
import {
  type CutCounts,
  cutCounts,
  cutScoreOf,
  type FaultCounts,
  type FoundFault,
  type FoundText,
  faultCounts,
  faultScoresOf,
  type KeyframeCounts,
  keyframeCounts,
  keyframeScoreOf,
  type ScreenTextCounts,
  type SpeechCounts,
  screenTextCounts,
  screenTextScoreOf,
  speechCounts,
  speechScoreOf,
  type TransitionCounts,
  transitionCounts,
  transitionScoreOf,
} from '../../rules/evaluation/detection.ts';
import {
  type FoundLine,
  type LanguageAnswer,
  type LanguageCounts,
  languageCounts,
  languageScoreOf,
  pairCues,
  pooledUtterances,
  type SubtitleCounts,
  subtitleCounts,
  subtitleScoreOf,
  type TranscriptCounts,
  transcriptCounts,
  transcriptScoreOf,
  type UtteranceCounts,
  utteranceCounts,
  utteranceScoreOf,
} from '../../rules/evaluation/text.ts';
import { transcriptOf } from '../captions/transcript-lines.ts';
import type { VerifiedRuntime } from '../fold.ts';
import type { VerifiedEvidence, VerifiedOperation } from '../stages/detect.ts';
import {
  type CaptionGateCounts,
  captionGateCounts,
  captionGateScoreOf,
  type PairingCounts,
  pairingCounts,
  pairingScoreOf,
  type ShownPair,
  shownPairs,
  type TranslationCounts,
  translationScoreOf,
} from './captions.ts';

/** One text track as a study read it; `language` is that of the track and of each of its cues, in their order. */
interface FoundTrack {
  readonly trackIndex: number;
  readonly cues: readonly CueFact[];
  readonly language: TrackLanguageFact;
}

/** The findings of a study for the labels of an item; null if it has none. */
interface EvaluationFindings {
  readonly speech: readonly Range[] | null;
  readonly cutsMs: readonly number[] | null;
  /** In the order of the labeled tracks. */
  readonly tracks: readonly FoundTrack[] | null;
  readonly captionGate: CaptionGateCounts | null;
  readonly transitions: readonly Range[] | null;
  readonly soundFaults: readonly FoundFault[] | null;
  /** The times of the kept pictures. */
  readonly keyframesMs: readonly number[] | null;
  readonly transcript: readonly FoundLine[] | null;
  readonly translations: TranslationCounts | null;
  readonly pairs: readonly ShownPair[] | null;
  readonly screenTexts: readonly FoundText[] | null;
}

/** The passes over the media that a study made. */
export const operationsOf = ({ execution }: VerifiedRuntime): readonly VerifiedOperation[] =>
  execution?.study.findings.operations ?? [];

/** The artifacts of a kind, at least one. A kind that the media does not have cannot have been labeled. */
function artifactsOf(kind: DetectedKind, place: string, evidence: readonly VerifiedEvidence[]): EvidenceArtifact[] {
  const ofKind = evidence.filter(({ delivered }) => delivered.kind === kind);
  const artifacts = ofKind.flatMap(({ artifact }) => (artifact === null ? [] : [artifact]));
  if (artifacts.length > 0) return artifacts;
  const reason = ofKind[0]?.delivered.reasonCode ?? 'not detected';
  throw new EvaluationFault('labels_outside_media', `${place}: ${reason}`);
}

function findTrack(place: string, trackIndex: number, evidence: readonly VerifiedEvidence[]): FoundTrack {
  const ofTrack = (kind: DetectedKind) => {
    const found = artifactsOf(kind, place, evidence).find(({ input }) => input.trackIndex === trackIndex);
    if (found === undefined) throw new EvaluationFault('labels_outside_media', `${place}: no such text track`);
    return found.facts;
  };
  const cues = ofTrack('subtitle_track').flatMap((fact) => (fact.kind === 'subtitle_cue' ? [fact] : []));
  const [language] = ofTrack('text_language').flatMap((fact) => (fact.kind === 'track_language' ? [fact] : []));
  if (language === undefined) throw new EvaluationFault('labels_outside_media', `${place}: no such text track`);
  return { trackIndex, cues, language };
}

/** The facts of a further kind. A kind that the media does not have cannot have been labeled. */
function furtherFactsOf(kind: FurtherKind, place: string, runtime: VerifiedRuntime): FurtherFact[] {
  const found = operationsOf(runtime).flatMap(({ further }) =>
    further.filter(({ artifact }) => artifact.kind === kind),
  );
  if (found.length === 0) throw new EvaluationFault('labels_outside_media', `${place}: not detected`);
  return found.flatMap(({ artifact }) => artifact.facts);
}

const isLabeledFault = (fact: FurtherFact): fact is FurtherFact & FoundFault =>
  labeledFaultKinds.some((kind) => kind === fact.kind);

/** The lines of the transcript; none was made of a range without speech. */
function linesOf({ execution }: VerifiedRuntime): readonly FoundLine[] {
  const findings = execution?.study.findings;
  return findings === undefined ? [] : (transcriptOf(findings)?.lines ?? []);
}

/** The texts that were read on the screen. A study whose reader failed has none to be scored. */
function textsOnScreen({ itemId }: PackItem, { execution }: VerifiedRuntime): readonly FoundText[] {
  const found = execution?.study.findings.screenText?.found ?? null;
  if (found === null) throw new EvaluationFault('labels_outside_media', `${itemId}: labels.screenTexts: not read`);
  return found.facts.flatMap((fact) => (fact.kind === 'screen_text' ? [fact] : []));
}

/** The further findings that an item labels. */
function furtherFindings(item: PackItem, runtime: VerifiedRuntime) {
  const { itemId, labels } = item;
  const factsOf = (kind: FurtherKind, label: string) => furtherFactsOf(kind, `${itemId}: labels.${label}`, runtime);
  const { transitions, soundFaults, keyframes, transcript } = labels;
  return {
    transitions: transitions ? factsOf('transitions', 'transitions').filter(({ kind }) => kind === 'transition') : null,
    soundFaults: soundFaults ? factsOf('audio_faults', 'soundFaults').filter(isLabeledFault) : null,
    keyframesMs: keyframes
      ? factsOf('keyframes', 'keyframes').flatMap((fact) => (fact.kind === 'keyframe' ? [fact.atMs] : []))
      : null,
    transcript: transcript ? linesOf(runtime) : null,
    pairs: shownPairs(item, runtime),
    screenTexts: labels.screenTexts ? textsOnScreen(item, runtime) : null,
  };
}

/**
 * Takes what an item labels out of the reopened evidence of its study, beside what the gates of translations did. Throws `EvaluationFault` `labels_outside_media`
 * for labels of what the media does not have.
 */
export function findingsOf(
  item: PackItem,
  runtime: VerifiedRuntime,
  translations: TranslationCounts | null,
): EvaluationFindings {
  const { itemId, labels } = item;
  const evidence = operationsOf(runtime).flatMap((operation) => operation.evidence);
  const factsOf = (kind: DetectedKind, label: string) =>
    artifactsOf(kind, `${itemId}: labels.${label}`, evidence).flatMap(({ facts }) => facts);
  const spoken = labels.speech === null ? labels.utterances && 'utterances' : 'speech';
  const speech = spoken ? factsOf('speech_activity', spoken) : null;
  const cuts = labels.cuts === null ? null : factsOf('shot_changes', 'cuts');
  const tracks = labels.subtitles?.map(({ trackIndex }, index) =>
    findTrack(`${itemId}: labels.subtitles.${index}.trackIndex`, trackIndex, evidence),
  );
  return {
    speech: speech?.flatMap((fact) => (fact.kind === 'speech_window' ? [fact] : [])) ?? null,
    cutsMs: cuts?.flatMap((fact) => (fact.kind === 'shot_change' ? [fact.atMs] : [])) ?? null,
    tracks: tracks ?? null,
    captionGate: captionGateCounts(item, runtime),
    ...furtherFindings(item, runtime),
    translations,
  };
}

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

const trackAnswers = ({ language: label }: LabeledTrack, { language }: FoundTrack): LanguageAnswer[] =>
  label === null ? [] : [{ label, isRead: true, code: language.code }];

function cueAnswers({ cues: labelled }: LabeledTrack, { cues: found, language }: FoundTrack): LanguageAnswer[] {
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
