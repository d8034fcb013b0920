import { errorRemedies } from '../../contract/base/errors.ts';
import type { Range } from '../../contract/base/grammar.ts';
import type { CaptionClassification, CaptionTranslator } from '../../contract/captions/caption-line.ts';
import type { CaptionAllowance } from '../../contract/captions/caption-production.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { RuntimeRequest } from '../../contract/study/plan.ts';
import type { CaptionObstacle } from '../../contract/study/start.ts';
import { resultOfSteps, type Steps } from '../../formats/steps.ts';
import { baseLanguage } from '../../rules/languages.ts';
import { neededAllowance } from './allowance.ts';
import { type CaptionJob, captionExecutorOf } from './artifact.ts';
import { type CaptionedStudy, captionInputOf, coveredLine, hostLengthObstacleOf } from './captioned-study.ts';
import { captionExecutors, hasSubtitleLines } from './executors.ts';
import type { LinesAbsence } from './transcript-lines.ts';

/** The text for a host without a caption executor. */
export const captionsAreOff = 'this host does not make captions';

/** The same, with what changes it: an error says that by itself. */
export const captionsOff = `${captionsAreOff}; ${errorRemedies.caption_current_run_causality_required} for subtitle tracks, or --caption-executor recognized --allow-recognized-captions for recognized speech`;

/** The means of a host for making captions. */
export interface CaptionAbility {
  readonly classification: CaptionClassification;
  /** True if the subtitle tracks of a study come first, where they give a line with both texts. */
  readonly subtitlesFirst?: boolean;
  /** How long captions may be. */
  readonly allowance: CaptionAllowance;
  /** Absent on a host that translates no captions. */
  readonly translator?: CaptionTranslator | undefined;
}

/** An attempt that a host can make, and why it would give no line; null where it gives some. */
interface CaptionProspect {
  readonly job: CaptionJob;
  readonly absence: LinesAbsence | null;
}

/**
 * The possible captions of an approved study on a host. A production goes by this, and so does every answer that predicts its
 * result. A line of a transcript counts only if the study supports it: captions of withheld lines alone would use up an approval
 * for nothing.
 */
export const captionProspectOf = (study: CaptionedStudy, attempt: number, ability: CaptionAbility): CaptionProspect =>
  resultOfSteps(captionProspectBySteps(study, attempt, ability));

/** The same in steps: the lines of hours are cut for it. */
export function* captionProspectBySteps(
  study: CaptionedStudy,
  attempt: number,
  { classification: usual, subtitlesFirst = false, allowance: allowed, translator }: CaptionAbility,
): Steps<CaptionProspect> {
  const classification = subtitlesFirst && (yield* hasSubtitleLines(study)) ? 'grouped_subtitle_tracks' : usual;
  const executor = captionExecutors[classification];
  const drafts = yield* executor.draft(study);
  const allowance = neededAllowance(captionInputOf(study).range, drafts, allowed);
  const job: CaptionJob = { study, attempt, classification, allowance, translator };
  if (drafts.length === 0) return { job, absence: executor.absence(study) };
  if (drafts.some(({ transcriptLines }) => transcriptLines === undefined)) return { job, absence: null };
  const identity = captionExecutorOf(job);
  for (const draft of drafts) {
    yield;
    if (coveredLine(study, '', identity, draft).gap === null) return { job, absence: null };
  }
  return { job, absence: executor.absence(study) };
}

/** A planned study: its request, the tracks of its source, and whether the host would recognize its speech. */
export interface PlannedCaptions {
  readonly range: Range;
  readonly requested: RuntimeRequest['requestedSourceLanguage'];
  readonly targetLanguage: string;
  readonly source: Pick<RegisteredSource, 'tracks' | 'trackLanguages'>;
  readonly recognizes: boolean;
}

/** Why no captions can come of a study, for programs and for people. */
interface PlannedObstacle {
  readonly reason: CaptionObstacle;
  readonly text: string;
}

const speaks = (tag: string, languages: readonly string[]): boolean =>
  languages.some((language) => baseLanguage(language) === baseLanguage(tag));

/**
 * Text tracks in neither language are of no use, and one language alone is of use only to a host that translates. A track without
 * a tag is identified only by the study.
 */
function textTrackObstacle(
  { source, requested, targetLanguage }: PlannedCaptions,
  translates: boolean,
): PlannedObstacle | null {
  const texts = source.tracks.filter(({ kind }) => kind === 'subtitle');
  if (texts.length === 0) {
    return {
      reason: 'no_text_tracks',
      text: 'the captions of this host are made of text tracks, and the source has none',
    };
  }
  const tags = new Map(source.trackLanguages.map(({ index, language }) => [index, language]));
  const found = texts
    .map(({ index }) => tags.get(index))
    .filter((tag) => tag !== undefined && baseLanguage(tag) !== null);
  if (requested.mode !== 'declared' || found.length < texts.length) return null;
  const has = (tag: string): boolean => found.some((each) => each !== undefined && speaks(tag, [each]));
  const [sourceLanguage = targetLanguage] = requested.languages;
  if (has(sourceLanguage) && (translates || has(targetLanguage))) return null;
  const made = 'the captions of this host are made of text tracks in';
  const known = [...new Set(found)].join(', ');
  if (has(sourceLanguage)) {
    const text = `${made} ${sourceLanguage} and ${targetLanguage}, the source has ${known}, and the host does not translate`;
    return { reason: 'no_translator', text };
  }
  const wanted = translates ? sourceLanguage : [...new Set([sourceLanguage, targetLanguage])].join(' and ');
  return { reason: 'no_text_track_in_language', text: `${made} ${wanted}, and the source has ${known}` };
}

/** Only recognized speech gives captions, and in its own language. */
function recognitionObstacle(
  { source, requested, targetLanguage, recognizes }: PlannedCaptions,
  translates: boolean,
): PlannedObstacle | null {
  if (!recognizes) {
    return {
      reason: 'no_recognizer',
      text: 'the captions of this host are made of recognized speech, and it was started without --semantic-recognizer',
    };
  }
  if (source.tracks.every(({ kind }) => kind !== 'audio')) {
    return {
      reason: 'no_audio_track',
      text: 'the captions of this host are made of recognized speech, and the source has no audio track',
    };
  }
  const [language] = requested.languages;
  if (translates || language === undefined || speaks(language, [targetLanguage])) return null;
  return {
    reason: 'no_translator',
    text: `the captions of this host are in the language that is spoken: it does not translate from ${language} to ${targetLanguage}`,
  };
}

const byExecutor: Readonly<
  Record<CaptionAbility['classification'], (planned: PlannedCaptions) => PlannedObstacle | null>
> = {
  recorded_real_pipeline_fixture: () => ({
    reason: 'no_caption_executor',
    text: captionsOff,
  }),
  deterministic_current_run_test_seam: () => null,
  embedded_subtitle_tracks: (planned) => textTrackObstacle(planned, false),
  grouped_subtitle_tracks: (planned) => textTrackObstacle(planned, false),
  subtitle_tracks_translated: (planned) => textTrackObstacle(planned, true),
  recognised_transcript: (planned) => recognitionObstacle(planned, false),
  recognised_transcript_translated: (planned) => recognitionObstacle(planned, true),
};

/** Everything that is known before a study to keep captions from coming of it. */
export function plannedObstaclesOf(
  planned: PlannedCaptions,
  {
    classification,
    subtitlesFirst = false,
    allowance,
  }: Pick<CaptionAbility, 'classification' | 'subtitlesFirst' | 'allowance'>,
): PlannedObstacle[] {
  const obstacle = byExecutor[classification](planned);
  const tooLong = hostLengthObstacleOf(planned.range, allowance.maxDurationMs);
  const found: readonly (PlannedObstacle | null)[] = [
    planned.requested.mode === 'declared'
      ? null
      : { reason: 'source_language_not_declared', text: 'captions need one declared source language' },
    tooLong === null ? null : { reason: 'range_too_long', text: tooLong },
    subtitlesFirst && textTrackObstacle(planned, false) === null ? null : obstacle,
  ];
  return found.filter((obstacle) => obstacle !== null);
}
