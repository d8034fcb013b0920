import type { Range } from '../../contract/base/grammar.ts';
import type { CaptionClassification, CaptionTranslator } from '../../contract/captions/caption-line.ts';
import type { CaptionAllowance } from '../../contract/captions/caption-production.ts';
import type { Cause, CauseWith, LinesCause, PlannedCause } from '../../contract/causes/causes.ts';
import { causeText, wireText } from '../../contract/causes/wording.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { readSubtitleCodecs } from '../../contract/sources/subtitle-codecs.ts';
import type { RuntimeRequest } from '../../contract/study/plan.ts';
import type { Steps } from '../../formats/steps.ts';
import { areOneLanguage, baseLanguage } from '../../rules/languages.ts';
import { mayServe } from '../../rules/track-choice.ts';
import { type DraftLine, isTranslating, neededAllowance } from './allowance.ts';
import type { CaptionJob } from './artifact.ts';
import { type CaptionedStudy, captionInputOf, captionLengthObstacleOf, gapOver } from './captioned-study.ts';
import { captionExecutors, hasSubtitleLines, haveBothTexts, pairAbsence, translatableText } from './executors.ts';
import { unreadCause } from './unread-subtitles.ts';

/** Why a host without a caption executor makes no captions. */
export const captionsOff: CauseWith<'no_caption_executor'> = { code: 'no_caption_executor', params: {} };

/** The same for an error, which has the remedy of its code. */
export const captionsAreOff = causeText(captionsOff, 'terminal').what;

/** How lines of captions are made. */
export interface CaptionMeans {
  readonly classification: CaptionClassification;
  /** True if the subtitle tracks of a study come first, where they give a line with both texts. */
  readonly subtitlesFirst?: boolean;
}

/** The translator of a host: the same for all languages, or one for each pair. Null for a pair without one. */
export type TranslatorIdentity =
  | CaptionTranslator
  | ((languages: { readonly sourceLanguage: string; readonly targetLanguage: string }) => CaptionTranslator | null);

/** The translator of a host for the languages of a study. */
export const translatorFor = (
  identity: TranslatorIdentity | undefined,
  study: CaptionedStudy,
): CaptionTranslator | undefined =>
  typeof identity === 'function' ? (identity(captionInputOf(study)) ?? undefined) : identity;

/** The means for making captions: those of a host, or those that a request names. */
export interface CaptionAbility extends CaptionMeans {
  /** How long captions may be. */
  readonly allowance: CaptionAllowance;
  /** Absent on a host that translates no captions. */
  readonly translator?: TranslatorIdentity | undefined;
  /** The identities that it had in earlier versions of the program, with the same server and model. */
  readonly earlierTranslators?: readonly CaptionTranslator[] | undefined;
  /** True if a request names them: of subtitle tracks, some line must have both texts then, or be translated. */
  readonly isOfRequest?: boolean;
}

/** An attempt that a host can make, and why it would give no line; null where it gives some. */
interface CaptionProspect {
  readonly job: CaptionJob;
  readonly absence: LinesCause | null;
}

/**
 * The possible captions of an approved study on a host. A production goes by this, and so does every answer that predicts its
 * result. A line of a transcript counts only if the study supports it: captions of withheld lines alone would use up an approval
 * for nothing. In steps: the lines of hours are cut for it.
 */
export function* captionProspectBySteps(
  study: CaptionedStudy,
  attempt: number,
  {
    classification: usual,
    subtitlesFirst = false,
    allowance: allowed,
    translator: identity,
    isOfRequest = false,
  }: CaptionAbility,
): Steps<CaptionProspect> {
  const translator = translatorFor(identity, study);
  const isWithoutPair = typeof identity === 'function' && translator === undefined;
  const chosen = subtitlesFirst && (yield* hasSubtitleLines(study)) ? 'grouped_subtitle_tracks' : usual;
  const lost =
    isWithoutPair && isTranslating({ classification: chosen }) ? yield* translatableText(study, chosen) : null;
  const classification = isWithoutPair ? untranslated(chosen) : chosen;
  const drafts = yield* captionExecutors[classification].draft(study);
  const allowance = neededAllowance(captionInputOf(study).range, drafts, allowed);
  const job: CaptionJob = { study, attempt, classification, allowance, translator };
  if (lost !== null) {
    const { sourceLanguage: from, targetLanguage: to } = captionInputOf(study);
    const of = chosen === 'subtitle_tracks_translated' ? 'subtitles' : 'transcript';
    return { job, absence: { code: 'no_translator', params: { of, from, to, found: [] } } };
  }
  return { job, absence: yield* absenceOf(study, classification, drafts, isOfRequest) };
}

/** The same captions without a translation. */
function untranslated(classification: CaptionClassification): CaptionClassification {
  if (classification === 'subtitle_tracks_translated') return 'grouped_subtitle_tracks';
  return classification === 'recognised_transcript_translated' ? 'recognised_transcript' : classification;
}

function* absenceOf(
  study: CaptionedStudy,
  classification: CaptionClassification,
  drafts: readonly DraftLine[],
  isOfRequest: boolean,
): Steps<LinesCause | null> {
  const executor = captionExecutors[classification];
  if (drafts.some(({ transcriptLines }) => transcriptLines === undefined)) {
    if (!isOfRequest || haveBothTexts(drafts)) return null;
    return (yield* translatableText(study, classification)) === null ? yield* pairAbsence(study) : null;
  }
  for (const draft of drafts) {
    yield;
    if (gapOver(study, draft) === null) return null;
  }
  const cause = executor.absence(study);
  return isOfRequest ? byMethod(cause) : cause;
}

/** A cause against one method: a translator helps none that does not translate. */
export function byMethod<Of extends Cause>(
  cause: Of,
): Exclude<Of, CauseWith<'no_translator'>> | CauseWith<'method_does_not_translate'> {
  if (cause.code !== 'no_translator') return cause as Exclude<Of, CauseWith<'no_translator'>>;
  const { from, to } = cause.params;
  return { code: 'method_does_not_translate', params: { from, to } };
}

/** A planned study: its request, the tracks of its source, and what becomes of its speech. */
export interface PlannedCaptions {
  readonly range: Range;
  readonly requested: RuntimeRequest['requestedSourceLanguage'];
  readonly targetLanguage: string;
  readonly source: Pick<RegisteredSource, 'tracks' | 'trackLanguages'>;
  /** True if closed captions were found in the pictures; absent if the host did not look. */
  readonly hasCaptionsInPicture?: boolean;
  /** Why the host would not recognize its speech; null if it would. */
  readonly unrecognized: 'no_recognizer' | 'recognition_not_asked' | 'language_not_recognised' | null;
}

/** The part of a planned study that does not depend on the host. */
export type PlannedFilm = Omit<PlannedCaptions, 'unrecognized'>;

export const plannedFilmOf = (
  source: PlannedFilm['source'],
  { range, requestedSourceLanguage: requested, targetLanguage }: RuntimeRequest,
): PlannedFilm => ({ range, requested, targetLanguage, source });

/** Why no captions can come of a study, as a warning says it. */
export interface PlannedObstacle {
  readonly cause: PlannedCause;
  readonly text: string;
}

const obstacleOf = (cause: PlannedObstacle['cause']): PlannedObstacle => ({ cause, text: wireText(cause) });

interface SubtitleTrack {
  readonly codec: string;
  /** The language that the container states; null if it states none. */
  readonly tag: string | null;
}

/** The subtitle tracks of a source: those with text that is read, and the others. */
function subtitleTracksOf({ tracks, trackLanguages }: PlannedCaptions['source']) {
  const all = tracks
    .filter(({ kind }) => kind === 'subtitle')
    .map(({ index, codec }): SubtitleTrack => {
      const stated = trackLanguages.find((each) => each.index === index)?.language ?? null;
      return { codec, tag: stated === null || baseLanguage(stated) === null ? null : stated };
    });
  const isRead = ({ codec }: SubtitleTrack): boolean => readSubtitleCodecs.includes(codec);
  return { texts: all.filter(isRead), unread: all.filter((track) => !isRead(track)) };
}

const tagsOf = (tracks: readonly SubtitleTrack[]): string[] => tracks.flatMap(({ tag }) => tag ?? []);

/** True if the tag of one of these tracks states a language, in its script. */
const have = (tracks: readonly SubtitleTrack[], asked: string): boolean =>
  tagsOf(tracks).some((tag) => mayServe(tag, asked));

/** True if the tags of text tracks name both languages of a planned study, so that nothing has to be recognized or translated. */
export function hasTrackPair({ source, requested, targetLanguage }: PlannedFilm): boolean {
  const { texts } = subtitleTracksOf(source);
  return requested.mode === 'declared' && [...requested.languages, targetLanguage].every((tag) => have(texts, tag));
}

/** True if the tag of a text track names the target language of a planned study. */
export const hasTargetTrack = ({ source, targetLanguage }: PlannedFilm): boolean =>
  have(subtitleTracksOf(source).texts, targetLanguage);

const distinct = (words: readonly string[]): string[] => [...new Set(words)];

/**
 * Text tracks in neither language are of no use, and one language alone is of use only to a host that translates. A track without
 * a tag is identified only by the study.
 */
function textTrackObstacle(
  { source, requested, targetLanguage, hasCaptionsInPicture = false }: PlannedCaptions,
  translates: boolean,
): PlannedObstacle | null {
  const { texts, unread } = subtitleTracksOf(source);
  const inPicture = hasCaptionsInPicture ? ({ code: 'captions_in_the_picture', params: {} } as const) : null;
  const unreadIn = (tracks: readonly SubtitleTrack[]) => unreadCause(tracks.map(({ codec }) => codec)) ?? inPicture;
  if (texts.length === 0) return obstacleOf(unreadIn(unread) ?? { code: 'no_text_tracks', params: {} });
  const tagged = tagsOf(texts);
  if (requested.mode !== 'declared' || tagged.length < texts.length) return null;
  const has = (tag: string): boolean => have(texts, tag);
  const [from = targetLanguage] = requested.languages;
  if (has(from) && (translates || has(targetLanguage))) return null;
  const wanted = translates ? [from] : distinct([from, targetLanguage]);
  for (const asked of wanted.filter((tag) => !has(tag))) {
    const other = tagged.find((tag) => areOneLanguage(tag, asked));
    if (other !== undefined) {
      return obstacleOf({ code: 'subtitles_in_other_script', params: { asked, found: other } });
    }
    const cause = unreadIn(unread.filter(({ tag }) => tag === null || mayServe(tag, asked)));
    if (cause !== null) return obstacleOf(cause);
  }
  const found = distinct(tagged);
  if (has(from)) {
    return obstacleOf({ code: 'no_translator', params: { of: 'subtitles', from, to: targetLanguage, found } });
  }
  return obstacleOf({ code: 'no_text_track_in_language', params: { wanted, found } });
}

/** True if the text tracks of a film give no captions, as far as their tags tell, not even with a translator. */
export const lacksText = (film: PlannedFilm): boolean =>
  textTrackObstacle({ ...film, unrecognized: null }, true) !== null;

/** Only recognized speech gives captions, and in its own language. */
function recognitionObstacle(
  { source, requested, targetLanguage, unrecognized }: PlannedCaptions,
  translates: boolean,
): PlannedObstacle | null {
  if (unrecognized !== null) return obstacleOf({ code: unrecognized, params: {} });
  if (source.tracks.every(({ kind }) => kind !== 'audio')) {
    return {
      cause: { code: 'no_audio_track', params: {} },
      text: 'the captions of this host are made of recognized speech, and the source has no audio track',
    };
  }
  const [language] = requested.languages;
  if (translates || language === undefined || areOneLanguage(language, targetLanguage)) return null;
  return obstacleOf({ code: 'no_translator', params: { of: 'speech', from: language, to: targetLanguage, found: [] } });
}

const byExecutor: Readonly<
  Record<CaptionAbility['classification'], (planned: PlannedCaptions) => PlannedObstacle | null>
> = {
  recorded_real_pipeline_fixture: () => obstacleOf(captionsOff),
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
  const tooLong = captionLengthObstacleOf(planned.range, allowance.maxDurationMs);
  const found: readonly (PlannedObstacle | null)[] = [
    planned.requested.mode === 'declared'
      ? null
      : obstacleOf({ code: 'source_language_not_declared', params: { of: 'request' } }),
    tooLong === null ? null : obstacleOf(tooLong),
    subtitlesFirst && textTrackObstacle(planned, false) === null ? null : obstacle,
  ];
  return found.filter((each) => each !== null);
}
