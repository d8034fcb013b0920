import { cutText, type Range } from '../../contract/base/grammar.ts';
import type { CaptionSide } from '../../contract/captions/caption-line.ts';
import { captionWords } from '../../contract/captions/caption-line.ts';
import type { CaptionMethod } from '../../contract/captions/caption-method.ts';
import {
  type Alignment,
  type AskedPlan,
  type CaptionPlan,
  longestDoubtfulWords,
  longestPlanList,
} from '../../contract/captions/caption-plan.ts';
import type { Cause } from '../../contract/causes/causes.ts';
import type { PlanRemark } from '../../contract/causes/plan-remarks.ts';
import type { Steps } from '../../formats/steps.ts';
import { alignedBySteps } from '../../rules/alignment.ts';
import { acceptsInPart } from '../../rules/caption-quality.ts';
import { dialogueChangesOf, dialogueOf } from '../../rules/dialogue.ts';
import { DOUBT, isDoubtful, lowestConfidenceOf } from '../../rules/doubtful-words.ts';
import { areOneLanguage } from '../../rules/languages.ts';
import { sidesAgree, type TrackPairing } from '../../rules/pairing.ts';
import { speechOf } from '../../rules/recognition.ts';
import { ruleSets } from '../../rules/rule-sets.ts';
import { linesWithoutSpeech, SPEECH_GAPS, speechWithoutLines } from '../../rules/speech-gaps.ts';
import { otherStretchesIn } from '../../rules/spoken-language.ts';
import { remarksOfChoice } from '../../rules/track-choice.ts';
import { askedLanguageIn, declaredLanguages } from '../../rules/transcript-gates.ts';
import { voicedLines } from '../../rules/voiced-lines.ts';
import { captionLimitsOf, type DraftLine } from './allowance.ts';
import { type CaptionJob, captionExecutorOf } from './artifact.ts';
import {
  type CaptionedStudy,
  type ChosenTracks,
  captionInputOf,
  captionLengthObstacleOf,
  derivedInSteps,
  gapOver,
} from './captioned-study.ts';
import { draftBaseBySteps } from './corrected-lines.ts';
import {
  captionExecutors,
  groupedTracks,
  pairAbsence,
  pairedTracks,
  type StudiedTrack,
  studiedTracks,
  tracksOf,
  translatableText,
} from './executors.ts';
import { captionMeans } from './methods.ts';
import { type CaptionAbility, captionProspectBySteps, captionsOff } from './prospect.ts';
import { isOneLanguage, recognizedLines, transcriptOf } from './transcript-lines.ts';

const captionSides = ['source', 'target'] as const;

/** A request for a plan that its study does not allow; the message says why, for the person who asked. */
export class PlanFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PlanFault';
  }
}

/** The name of the way in which a host makes captions without a method; null if it makes none. */
export function methodOfAbility({ classification, subtitlesFirst = false }: CaptionAbility): CaptionMethod | null {
  const found = Object.entries(captionMeans).find(
    ([, means]) =>
      means.classification === classification && subtitlesFirst === ('subtitlesFirst' in means && means.subtitlesFirst),
  );
  return (found?.[0] as CaptionMethod | undefined) ?? null;
}

/**
 * The sides that chosen tracks are for: each track is that of the side in its language, else of the first side without one. In
 * captions of one language a single track is both sides. Throws `PlanFault` for another index than those of its text tracks.
 */
export function chosenTracks(study: CaptionedStudy, indexes: readonly number[]): ChosenTracks | undefined {
  if (indexes.length === 0) return undefined;
  const tracks = studiedTracks(study.findings);
  const { sourceLanguage, targetLanguage } = captionInputOf(study);
  const languages = { source: sourceLanguage, target: targetLanguage };
  const chosen: Record<CaptionSide, number | null> = { source: null, target: null };
  const left: number[] = [];
  for (const index of indexes) {
    const track = tracks.find(({ trackIndex }) => trackIndex === index);
    if (track === undefined) throw new PlanFault(noSuchTrack(index, tracks));
    const own = captionSides.find(
      (side) => chosen[side] === null && track.language !== null && areOneLanguage(track.language, languages[side]),
    );
    if (own === undefined) left.push(index);
    else chosen[own] = index;
  }
  for (const index of left) {
    const free = captionSides.find((side) => chosen[side] === null);
    if (free !== undefined) chosen[free] = index;
  }
  const [only] = indexes;
  return isOneLanguage(study) && indexes.length === 1 && only !== undefined ? { source: only, target: only } : chosen;
}

function noSuchTrack(index: number, tracks: readonly StudiedTrack[]): string {
  const known = tracks.map(({ trackIndex }) => trackIndex).join(', ');
  return known === ''
    ? `this study has no text tracks, and so no track ${index}`
    : `the text tracks of this study are ${known}, and ${index} is another one`;
}

type PlanSide = CaptionPlan['sides'][CaptionSide];

/** The origin of the lines of a side. */
function sideOf(job: CaptionJob, side: CaptionSide, isTranslated: boolean): PlanSide {
  const { study, classification, translator } = job;
  const none: PlanSide = { origin: 'none', engine: null, choice: null, withSound: null };
  if (classification === 'recorded_real_pipeline_fixture') return none;
  if (classification === 'deterministic_current_run_test_seam') return { ...none, origin: 'test_seam' };
  const translated = (choice: PlanSide['choice']): PlanSide => ({
    ...none,
    origin: 'translator',
    engine: translator?.model ?? null,
    choice,
  });
  if (classification === 'recognised_transcript' || classification === 'recognised_transcript_translated') {
    if (side === 'target' && !isOneLanguage(study)) return isTranslated ? translated(null) : none;
    const transcript = transcriptOf(study.findings);
    return transcript === null ? none : { ...none, origin: 'recognizer', engine: transcript.engine };
  }
  const choice = tracksOf(study).choices[side];
  if (choice.chosen !== null) return { ...none, origin: choice.chosen.origin, choice };
  return side === 'target' && isTranslated ? translated(choice) : { ...none, choice };
}

/** The lines of dialogue of a track that a voice says, in order of time. */
const dialogueLines = ({ cues }: StudiedTrack): readonly Range[] => dialogueOf(voicedLines(cues)).lines;

/** How the track of each side lies against the speech; null for a side without a track, and if speech was not measured. */
const alignmentsOf = derivedInSteps(function* (study): Steps<Readonly<Record<CaptionSide, Alignment | null>>> {
  const { source, target } = tracksOf(study);
  const { endMs } = captionInputOf(study).range;
  const speech = speechIn(study);
  const withSpeech = function* (track: StudiedTrack | null): Steps<Alignment | null> {
    return track === null || speech === null ? null : yield* alignedBySteps(speech, dialogueLines(track), endMs);
  };
  const ofSource = yield* withSpeech(source);
  const isOneTrack = source?.trackIndex === target?.trackIndex;
  return { source: ofSource, target: isOneTrack ? ofSource : yield* withSpeech(target) };
});

/** How the two sides of a job lie against each other; null for sides that are not two tracks. */
function* pairingOf({ study, classification }: CaptionJob): Steps<Pick<TrackPairing, 'alignment' | 'agreement'>> {
  const { source, target } = tracksOf(study);
  const areTwo = source !== null && target !== null && source.trackIndex !== target.trackIndex;
  if (!areTwo) return { alignment: null, agreement: null };
  return yield* (classification === 'embedded_subtitle_tracks' ? pairedTracks : groupedTracks)(study);
}

/** The remark on an alignment; null for cues in time, and if nothing was compared. */
function remarkOnAlignment(
  side: CaptionSide,
  against: 'sound' | 'other_side',
  alignment: Alignment | null,
): PlanRemark | null {
  switch (alignment?.verdict) {
    case 'shifted':
      // The offset moves the cues to the reference: the cues come so much earlier.
      return { code: 'side_shifted', params: { side, against, offsetMs: -alignment.offsetMs } };
    case 'drifts': {
      const { numerator, denominator, offsetMs } = alignment;
      return { code: 'side_drifts', params: { side, against, numerator, denominator, offsetMs } };
    }
    case 'other_cut':
      return { code: 'side_in_parts', params: { side, against, parts: alignment.pieces.length } };
    case 'unknown':
      return { code: 'timing_unknown', params: { side, against, reason: alignment.reason } };
    default:
      return null;
  }
}

/** The remark on the part of the cues that is unknown while the others are not. */
function remarkOnPart(side: CaptionSide, alignment: Alignment | null): PlanRemark | null {
  if (alignment === null || alignment.verdict === 'unknown') return null;
  for (const stretch of alignment.stretches ?? []) {
    if (stretch.verdict !== 'unknown') continue;
    return { code: 'timing_unknown', params: { side, against: 'sound', reason: stretch.reason } };
  }
  return null;
}

/** The comparisons that a plan rests on. Recognized speech has its times from the sound; two sides are compared if they agree. */
function comparedOf(sides: CaptionPlan['sides'], agreement: CaptionPlan['agreement']): CaptionPlan['compared'] {
  const withOtherSide = agreement !== null && sidesAgree({ agreement });
  const withSound = captionSides.some((side) => {
    const { origin, withSound: alignment } = sides[side];
    return origin === 'recognizer' || (alignment !== null && alignment.verdict !== 'unknown');
  });
  if (withSound) return withOtherSide ? 'both' : 'with_sound';
  return withOtherSide ? 'with_other_side' : 'none';
}

// So that a record has room for lists of any texts.
const longestShown = 200;

/** A text as lists of a plan have it: a long one is cut. Null for one that no line can hold. */
function shownWords(text: string | null): string | null {
  const words = captionWords.nullable().safeParse(text).data ?? null;
  return words === null || words.length <= longestShown ? words : `${cutText(words, longestShown)}…`;
}

/** The lines of a job, and those that the program leaves out. */
interface PlannedLines {
  readonly written: readonly DraftLine[];
  readonly leftOut: CaptionPlan['leftOut'];
  /** How many of those are drafts; the others are lines of the transcript. */
  readonly incomplete: number;
  /** The first text that no record takes. */
  readonly unwritable: { readonly side: CaptionSide; readonly startMs: number } | null;
}

const spokenLines: ReadonlySet<CaptionJob['classification']> = new Set([
  'recognised_transcript',
  'recognised_transcript_translated',
]);

const textIn = ({ source, target }: DraftLine): string | null =>
  source.state === 'available' ? source.text : target.state === 'available' ? target.text : null;

/** Sorts the lines of a job. `translated` are the ids of those whose text in the target language a model writes later. */
function* plannedLines({ study, classification }: CaptionJob, translated: ReadonlySet<string>): Steps<PlannedLines> {
  const written: DraftLine[] = [];
  const leftOut: CaptionPlan['leftOut'] = [];
  let unwritable: PlannedLines['unwritable'] = null;
  for (const draft of yield* captionExecutors[classification].draft(study)) {
    yield;
    const { id: lineId, startMs, endMs, source, target } = draft;
    const gap = gapOver(study, draft);
    const missing =
      source.state !== 'available' ? source : target.state !== 'available' && !translated.has(lineId) ? target : null;
    for (const side of captionSides) {
      const text = draft[side];
      if (text.state === 'available' && gap === null && !captionWords.safeParse(text.text).success) {
        unwritable ??= { side, startMs };
      }
    }
    const reasonCode = gap ?? (missing === null ? null : missing.reasonCode);
    if (reasonCode === null) written.push(draft);
    else leftOut.push({ startMs, endMs, lineId, text: shownWords(textIn(draft)), reasonCode });
  }
  const incomplete = leftOut.length;
  for (const { outcome, index, startMs, endMs, text, reasonCodes } of spokenLines.has(classification)
    ? (transcriptOf(study.findings)?.lines ?? [])
    : []) {
    const [reasonCode] = reasonCodes;
    if (outcome === 'passed' || reasonCode === undefined) continue;
    const lineId = `transcript-line-${String(index + 1).padStart(3, '0')}`;
    leftOut.push({ startMs, endMs, lineId, text: shownWords(text), reasonCode });
  }
  leftOut.sort((one, other) => one.startMs - other.startMs || one.endMs - other.endMs);
  return { written, leftOut, incomplete, unwritable };
}

const milli = (share: number): number => Math.round(1000 * share);

/** The written lines whose words their recognizer doubts most. Undefined for lines that were not recognized, and if it doubts none. */
function* doubtfulIn(
  { study, classification }: CaptionJob,
  written: readonly DraftLine[],
): Steps<CaptionPlan['doubtful']> {
  if (!spokenLines.has(classification)) return undefined;
  const transcript = transcriptOf(study.findings)?.lines ?? [];
  const isWritten = new Set(written.map(({ id }) => id));
  const cues = yield* recognizedLines(study);
  const found: NonNullable<CaptionPlan['doubtful']>['first'] = [];
  for (const [at, { id: lineId, startMs, endMs, text, transcriptLines }] of cues.entries()) {
    yield;
    if (!isWritten.has(lineId)) continue;
    // A recognized line may be in several cues, each with the words that begin before the next one.
    const untilMs = cues[at + 1]?.startMs ?? Number.POSITIVE_INFINITY;
    const fromMs = at === 0 ? 0 : startMs;
    const words = transcriptLines
      .flatMap((index) => transcript[index]?.words ?? [])
      .filter((word) => isDoubtful(word) && fromMs <= word.startMs && word.startMs < untilMs);
    const lowest = lowestConfidenceOf(words);
    const shown = shownWords(text);
    if (lowest === null || shown === null) continue;
    const named = words.slice(0, longestDoubtfulWords).map((word) => shownWords(word.text) ?? '');
    found.push({ startMs, endMs, lineId, text: shown, lowestMilli: milli(lowest), words: named });
  }
  if (found.length === 0) return undefined;
  const first = found
    .toSorted((one, other) => one.lowestMilli - other.lowestMilli || one.startMs - other.startMs)
    .slice(0, DOUBT.most);
  return { belowMilli: milli(DOUBT.below), lines: found.length, first };
}

/** The windows in which a study detected speech; null if it did not measure speech. */
export function speechIn({ findings }: Pick<CaptionedStudy, 'findings'>): Range[] | null {
  const detected = findings.operations.flatMap(({ evidence }) => evidence);
  const artifact = detected.find(({ delivered }) => delivered.kind === 'speech_activity')?.artifact ?? null;
  return artifact === null ? null : speechOf(artifact);
}

/** The texts that are shown over the dialogue of a side. */
const apartOf = (side: CaptionSide, { cues }: StudiedTrack): CaptionPlan['apart'] =>
  dialogueOf(cues).apart.flatMap(({ startMs, endMs, text }) => {
    const words = shownWords(text?.trim() ?? null);
    return words === null || words === '' ? [] : [{ startMs, endMs, text: words, side }];
  });

/** The remarks on the cues of a side. */
function remarksOfTrack(side: CaptionSide, { cues, assumedEnds, unkept }: StudiedTrack, texts: number): PlanRemark[] {
  const { trimmed, joined, isRolling } = dialogueChangesOf(cues);
  const found: (PlanRemark | null)[] = [
    trimmed === 0 ? null : { code: 'cues_trimmed', params: { side, cues: trimmed } },
    joined === 0 ? null : { code: 'cues_joined', params: { side, cues: joined } },
    texts === 0 ? null : { code: 'texts_apart', params: { side, texts } },
    isRolling ? { code: 'captions_rolled', params: { side } } : null,
    assumedEnds === 0 ? null : { code: 'ends_assumed', params: { side, cues: assumedEnds } },
    ...unkept.map((each): PlanRemark => ({ code: 'looks_not_kept', params: { side, ...each } })),
  ];
  return found.filter((remark) => remark !== null);
}

/** The remarks on the counts of a plan. */
function remarksOfCounts({ gaps, leftOut, withoutSpeech }: CaptionPlan['counts'], isMeasured: boolean): PlanRemark[] {
  const found: (PlanRemark | null)[] = [
    gaps === 0 ? null : { code: 'passages_without_line', params: { passages: gaps } },
    leftOut === 0 ? null : { code: 'lines_left_out', params: { lines: leftOut } },
    withoutSpeech === 0 ? null : { code: 'lines_without_speech', params: { lines: withoutSpeech } },
    isMeasured ? null : { code: 'speech_not_measured', params: {} },
  ];
  return found.filter((remark) => remark !== null);
}

/** The stretches that were recognized in the asked language and are in another one. None for lines that were not recognized. */
function remarksOfSpeech({ study, classification }: CaptionJob): PlanRemark[] {
  const transcript = study.findings.recognition?.found ?? null;
  if (!spokenLines.has(classification) || transcript === null) return [];
  const regions = transcript.facts.flatMap((fact) => (fact.kind === 'recognised_region' ? [fact] : []));
  if (regions.every(({ spoken }) => spoken === undefined)) return [];
  const asked = askedLanguageIn(transcript, declaredLanguages(study.run.record.analysisRequest));
  return otherStretchesIn(regions, asked).map((params) => ({ code: 'spoken_in_other_language', params }));
}

/** How the captions of a host are limited, and the lines and bytes that a job has of each limit. */
function overLimits(job: CaptionJob, drafts: readonly DraftLine[]): Cause[] {
  const { maxLines, maxSourceBytes, maxTargetBytes } = captionLimitsOf(job);
  const bytesOf = (side: CaptionSide): number =>
    drafts.reduce((sum, { [side]: text }) => sum + (text.state === 'available' ? Buffer.byteLength(text.text) : 0), 0);
  const limits = [
    { of: 'lines', found: drafts.length, limit: maxLines },
    { of: 'source_text', found: bytesOf('source'), limit: maxSourceBytes },
    { of: 'target_text', found: bytesOf('target'), limit: maxTargetBytes },
  ] as const;
  return limits.flatMap((params) =>
    params.found > params.limit ? [{ code: 'captions_over_limit', params } as const] : [],
  );
}

/**
 * The captions that a study will have by one way, before a person approves them. It follows from the findings of the study, from the way
 * and from the choices of a request. In steps: the lines of hours are cut for it. Throws `PlanFault` for a track that the study does not have, and
 * `RangeError` for a study whose source language was not declared.
 */
export function* captionPlanBySteps(
  approved: CaptionedStudy,
  ability: CaptionAbility,
  asked: AskedPlan,
): Steps<CaptionPlan> {
  const study: CaptionedStudy = { ...approved, tracks: chosenTracks(approved, asked.tracks) };
  const { job, absence } = yield* captionProspectBySteps(study, 0, ability);
  const { classification, translator } = job;
  const toTranslate = translator === undefined ? null : yield* translatableText(study, classification);
  const lines = yield* plannedLines(job, new Set(toTranslate?.lines.map(({ id }) => id)));
  const { contentId } = yield* draftBaseBySteps(job);
  const drafts = yield* captionExecutors[classification].draft(study);
  const usesTracks = captionSides.some((side) => sideOf(job, side, false).choice?.chosen != null);
  const withSound = usesTracks ? yield* alignmentsOf(study) : { source: null, target: null };
  const { alignment: withOtherSide, agreement } = usesTracks
    ? yield* pairingOf(job)
    : { alignment: null, agreement: null };
  const planSide = (side: CaptionSide): PlanSide => {
    const planned = sideOf(job, side, toTranslate !== null);
    return planned.choice?.chosen == null ? planned : { ...planned, withSound: withSound[side] };
  };
  const sides = { source: planSide('source'), target: planSide('target') };
  const tracks = tracksOf(study);
  const isOneTrack = tracks.source?.trackIndex === tracks.target?.trackIndex;
  const ofTracks = captionSides.flatMap((side) => {
    const isTaken = sides[side].choice?.chosen != null && !(side === 'target' && isOneTrack);
    return !isTaken || tracks[side] === null ? [] : [{ side, track: tracks[side] }];
  });
  const apart: CaptionPlan['apart'] = [];
  const remarks: PlanRemark[] = [];
  for (const side of captionSides) {
    const { choice } = sides[side];
    const isSame = side === 'target' && choice !== null && choice.asked === sides.source.choice?.asked;
    if (choice !== null && !isSame) remarks.push(...remarksOfChoice(side, choice));
  }
  for (const { side, track } of ofTracks) {
    yield;
    const texts = apartOf(side, track);
    apart.push(...texts);
    remarks.push(...remarksOfTrack(side, track, texts.length));
    const remark = remarkOnAlignment(side, 'sound', sides[side].withSound);
    if (remark !== null) remarks.push(remark);
    const inPart = remarkOnPart(side, sides[side].withSound);
    if (inPart !== null) remarks.push(inPart);
  }
  const speech = speechIn(study);
  const isSeam = classification === 'deterministic_current_run_test_seam';
  const gaps = speech === null || isSeam ? [] : speechWithoutLines(speech, lines.written);
  const withoutSpeech = speech === null || isSeam ? [] : linesWithoutSpeech(speech, lines.written);
  const doubtful = yield* doubtfulIn(job, lines.written);
  yield;
  const counts = {
    gaps: gaps.length,
    leftOut: lines.leftOut.length,
    apart: apart.length,
    withoutSpeech: withoutSpeech.length,
  };
  const isOff = classification === 'recorded_real_pipeline_fixture';
  // Sides that agree as they are need no proof of an offset.
  const isKept = withOtherSide?.verdict === 'unknown' && sidesAgree({ agreement });
  const between = isKept ? null : remarkOnAlignment('target', 'other_side', withOtherSide);
  if (between !== null) remarks.push(between);
  const obstacles = isOff ? [captionsOff] : yield* obstaclesOf(job, ability, { absence, lines, drafts });
  return {
    schema: 'studio.caption-plan.v1',
    runId: study.run.record.runtimeId,
    asked,
    method: methodOfAbility(ability),
    executor: captionExecutorOf(job),
    rules: {
      captions: ruleSets.captions.version,
      alignment: ruleSets.alignment.version,
      trackChoice: ruleSets.trackChoice.version,
      gaps: { ...SPEECH_GAPS },
    },
    sides,
    compared: comparedOf(sides, agreement),
    withOtherSide,
    agreement,
    lines: { count: lines.written.length, contentId },
    translation:
      toTranslate === null || translator === undefined
        ? null
        : { lines: toTranslate.lines.length, model: translator.model, gates: ruleSets.translationGates.version },
    counts,
    gaps: gaps.slice(0, longestPlanList),
    leftOut: lines.leftOut.slice(0, longestPlanList),
    apart: apart.slice(0, longestPlanList),
    withoutSpeech: withoutSpeech
      .slice(0, longestPlanList)
      .map(({ startMs, endMs, id }) => ({ startMs, endMs, lineId: id })),
    ...(doubtful !== undefined && { doubtful }),
    remarks: isOff ? [] : [...remarks, ...remarksOfSpeech(job), ...remarksOfCounts(counts, speech !== null)],
    obstacles,
  };
}

interface Planned {
  readonly absence: Cause | null;
  readonly lines: PlannedLines;
  readonly drafts: readonly DraftLine[];
}

/** Why no captions can be made by a plan. */
function* obstaclesOf(
  job: CaptionJob,
  { allowance }: CaptionAbility,
  { absence, lines, drafts }: Planned,
): Steps<Cause[]> {
  const { study, classification } = job;
  const tooLong = captionLengthObstacleOf(captionInputOf(study).range, allowance.maxDurationMs);
  const { written, incomplete, unwritable } = lines;
  const isWithheld = incomplete > 0 && written.length > 0 && !acceptsInPart({ classification });
  const found: (Cause | null)[] = [
    tooLong,
    absence ?? (written.length === 0 ? yield* pairAbsence(study) : null),
    isWithheld ? { code: 'lines_withhold_captions', params: { lines: incomplete } } : null,
    unwritable === null ? null : { code: 'text_not_writable', params: unwritable },
    ...overLimits(job, drafts),
  ];
  return found.filter((cause) => cause !== null);
}
