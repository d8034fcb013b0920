import type { Range } from '../../contract/base/grammar.ts';
import { EvaluationFault, labelledFaultKinds, type PackItem } from '../../contract/evaluation.ts';
import type {
  CueFact,
  DetectedKind,
  EvidenceArtifact,
  FurtherFact,
  FurtherKind,
  TrackLanguageFact,
} from '../../contract/evidence/evidence.ts';
import { transcriptOf } from '../captions/transcript-lines.ts';
import type { VerifiedEvidence, VerifiedOperation } from '../evidence/detection.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { type CaptionGateCounts, captionGateCounts } from './score-caption-gate.ts';
import { type ShownPair, shownPairs } from './score-pairing.ts';
import type { FoundText } from './score-screen-texts.ts';
import type { FoundFault } from './score-sound-faults.ts';
import type { FoundLine } from './score-transcript.ts';
import type { TranslationCounts } from './score-translations.ts';

/** One text track as a study read it; `language` says of the track and of each of its cues, in their order. */
export interface FoundTrack {
  readonly trackIndex: number;
  readonly cues: readonly CueFact[];
  readonly language: TrackLanguageFact;
}

/** What a study found of the things that an item labels; null where it labels none. */
export interface EvaluationFindings {
  readonly speech: readonly Range[] | null;
  readonly cutsMs: readonly number[] | null;
  /** In the order of the labelled tracks. */
  readonly tracks: readonly FoundTrack[] | null;
  readonly captionGate: CaptionGateCounts | null;
  readonly transitions: readonly Range[] | null;
  readonly soundFaults: readonly FoundFault[] | null;
  /** When the kept pictures were taken. */
  readonly keyframesMs: readonly number[] | null;
  readonly transcript: readonly FoundLine[] | null;
  readonly translations: TranslationCounts | null;
  readonly pairs: readonly ShownPair[] | null;
  readonly screenTexts: readonly FoundText[] | null;
}

/** The passes over the media that a study made. */
export const operationsOf = ({ execution }: VerifiedRuntime): readonly VerifiedOperation[] =>
  execution?.study.findings.operations ?? [];

/** The artifacts of a kind, at least one. A kind that the media does not have cannot have been labelled. */
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

/** The facts of a further kind. A kind that the media does not have cannot have been labelled. */
function furtherFactsOf(kind: FurtherKind, place: string, runtime: VerifiedRuntime): FurtherFact[] {
  const found = operationsOf(runtime).flatMap(({ further }) =>
    further.filter(({ artifact }) => artifact.kind === kind),
  );
  if (found.length === 0) throw new EvaluationFault('labels_outside_media', `${place}: not detected`);
  return found.flatMap(({ artifact }) => artifact.facts);
}

const isLabelledFault = (fact: FurtherFact): fact is FurtherFact & FoundFault =>
  labelledFaultKinds.some((kind) => kind === fact.kind);

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
    soundFaults: soundFaults ? factsOf('audio_faults', 'soundFaults').filter(isLabelledFault) : null,
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
