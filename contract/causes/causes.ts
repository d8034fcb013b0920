import { z } from 'zod';
import { count, languageTag, positive } from '../base/grammar.ts';
import { recognizerEngines } from '../recognition.ts';
import { screenTextEngine } from '../screentext.ts';
import { engineFailureCause } from './engine-cause.ts';
import { type FailureCode, ingestFailures, studyFailures } from './failures.ts';
import { planRemarks, sidesDisagree } from './plan-remarks.ts';
import { type ReasonCode, reasonTexts } from './reasons.ts';

/**
 * A cause tells programs why something is as it is: a code of a closed set, with numbers and tags as its params. `wording.ts`
 * beside this file has the words for each reader. Every answer with causes has a closed set of its own.
 */
const causeOf = <const Code extends string, Params extends z.ZodRawShape>(code: Code, params: Params) =>
  z.strictObject({ code: z.literal(code), params: z.strictObject(params) });

/** A tag as the container of a film states it. */
const statedTag = z.string().min(1);

/** A reason code that says all by itself. */
export const plainCause = z.strictObject({
  code: z.enum(Object.keys(reasonTexts) as [ReasonCode, ...ReasonCode[]]),
  params: z.strictObject({}),
});

const work = z.strictObject({ of: z.enum(['file', 'video', 'study']) });

const failureOf = (codes: readonly FailureCode[]) =>
  z.strictObject({ code: z.enum([...new Set(codes)] as [FailureCode, ...FailureCode[]]), params: work });

/** The causes of a study that ended without its result. */
export const studyCause = failureOf(studyFailures);

/** Why a step of a study has no result: its engine failed, or the study ended in the middle of it. */
export const stepCause = z.discriminatedUnion('code', [engineFailureCause, studyCause]);

/** Obstacles to captions that a plan and a study can have. */
const captionCauses = [
  causeOf('no_caption_executor', {}),
  /** `of`: a request for a study, or a study that exists. */
  causeOf('source_language_not_declared', { of: z.enum(['request', 'study']) }),
  /** `mostMs` is the highest limit that a host can have. */
  causeOf('range_too_long', { lengthMs: positive, limitMs: positive, mostMs: positive }),
  /** `of`: subtitle tracks, speech of a request, or the transcript of a study. `found` are the languages of the tracks. */
  causeOf('no_translator', {
    of: z.enum(['subtitles', 'speech', 'transcript']),
    from: languageTag,
    to: languageTag,
    found: z.array(statedTag),
  }),
  causeOf('recognition_not_asked', {}),
] as const;

const codecs = z.array(z.string().min(1)).min(1);

/** Why a film or a study with subtitles has no text of them. Codecs are named as ffmpeg names them. */
const textCauses = [
  causeOf('subtitles_are_pictures', { codecs }),
  causeOf('subtitle_format_not_read', { codecs }),
  /** Closed captions in the video stream: CEA-608 or 708. */
  causeOf('captions_in_the_picture', {}),
  /** A track in one script does not serve for another one. */
  causeOf('subtitles_in_other_script', { asked: languageTag, found: statedTag }),
] as const;

/** The text of the track is in another language or script than its tag; null if the language of the text is unknown. */
const otherText = causeOf('subtitles_of_other_language', { asked: languageTag, found: languageTag.nullable() });

/** Obstacles to captions by one method. */
const methodCauses = [
  /** The lines of this method are in the language that is spoken, or in that of the one track. */
  causeOf('method_does_not_translate', { from: languageTag, to: languageTag }),
  causeOf('no_line_with_both_texts', { languages: z.array(languageTag).min(1) }),
] as const;

/** Obstacles to captions that only a plan has. */
const planCauses = [
  causeOf('no_text_tracks', {}),
  /** The languages that the captions of the host need, and those of the tracks. */
  causeOf('no_text_track_in_language', { wanted: z.array(languageTag).min(1), found: z.array(statedTag) }),
  causeOf('no_recognizer', {}),
] as const;

/** Obstacles to captions that only a caption plan has. */
const captionPlanCauses = [
  /** The lines, or the bytes of UTF-8 of one side of all lines, that a host makes captions of. */
  causeOf('captions_over_limit', {
    of: z.enum(['lines', 'source_text', 'target_text']),
    found: positive,
    limit: positive,
  }),
  /** A text that no record of captions takes: too long, or with control characters. `startMs` is that of its line. */
  causeOf('text_not_writable', { side: z.enum(['source', 'target']), startMs: count }),
  /** So many lines lack a text, and the method publishes all of its lines or none. */
  causeOf('lines_withhold_captions', { lines: positive }),
] as const;

/** Reasons why captions of a study would have no line. */
const lineCauses = [
  causeOf('no_lines_of_this_run', {}),
  causeOf('no_text_track', { languages: z.array(languageTag).min(1) }),
  causeOf('no_cue_in_range', { languages: z.array(languageTag).min(1) }),
  causeOf('not_recognised', {}),
  /** `cause`: why, if the step failed. */
  causeOf('nothing_recognised', { reason: plainCause.shape.code, cause: stepCause.optional() }),
  /** `lines`: how many were recognized, and withheld by the gates. */
  causeOf('no_line_passed', { lines: count }),
  causeOf('no_supported_line', {}),
] as const;

/** Reasons why a part of a study is not there. */
const partCauses = [
  causeOf('study_running', {}),
  causeOf('study_ended', {}),
  causeOf('nothing_claimed', {}),
  causeOf('approval_to_come', {}),
  causeOf('approval_missing', {}),
  /** Beside an approval that is valid: its reviewer named no caption plan. */
  causeOf('approved_without_plan', {}),
  /** Beside captions that are there: a study or rules of an older version made them, and may have had a fault that is mended. */
  causeOf('captions_of_older_rules', { rules: positive, present: positive }),
  causeOf('captions_to_come', {}),
  causeOf('captions_missing', {}),
  causeOf('attempts_failed', { attempts: positive }),
  causeOf('no_translation_passed', {}),
  causeOf('no_text_to_caption', {}),
  causeOf('no_explainer', {}),
  /** The suggested fix: the subtitle tracks of the film would give captions. */
  causeOf('subtitles_give_captions', {}),
] as const;

/** The parts of the host for measuring, recognizing, writing and fetching. */
export const engineKind = z.enum([
  'detectors',
  'recognizer',
  'screen_text',
  'captions',
  'caption_translation',
  'explanations',
  'video_hosts',
]);

const engineCauses = [
  /** A part of the host that it was started without. */
  causeOf('engine_off', { engine: engineKind.exclude(['detectors']) }),
  /** `languages` are those of the text on the screen, in codes of the engine. */
  causeOf('engine_missing', {
    engine: z.enum(['pocketsphinx', 'whisper-cli', 'tesseract']),
    languages: z.array(z.string()),
  }),
  causeOf('model_file_missing', {}),
  causeOf('model_missing', {}),
  causeOf('no_model_server', {}),
] as const;

/** Why an engine of the host or of this machine is not in use. */
export const engineCause = z.discriminatedUnion('code', engineCauses);

/** The causes of an ingest without a source. The code of its failure is one of them if the host knows no other. */
export const ingestCause = failureOf(ingestFailures);

/** The causes of evidence that is not there: a reason, a track without text, or a step without a result. */
export const evidenceCause = z.discriminatedUnion('code', [
  plainCause,
  ...textCauses.slice(0, 3),
  engineFailureCause,
  studyCause,
]);

/** The causes of a part of an overview. */
export const partCause = z.discriminatedUnion('code', [
  plainCause,
  engineFailureCause,
  ...captionCauses,
  ...textCauses,
  otherText,
  ...methodCauses,
  sidesDisagree,
  ...lineCauses,
  ...partCauses,
]);

/** Further warnings before a study. */
const warningCauses = [
  /** `basis` is the origin of the languages that were found: a detector, or the container. */
  causeOf('declared_language_differs', {
    declared: z.array(languageTag).min(1),
    found: z.array(statedTag).min(1),
    basis: z.enum(['detected', 'container']),
  }),
  /** Names of ffmpeg. Without a codec the container is the reason. */
  causeOf('codec_may_not_play', { codecs: z.array(z.string()), container: z.array(z.string()) }),
  /** `longer`: the file holds more than its container states, and all of it is used. Absent: it holds less. */
  causeOf('media_incomplete', { longer: z.strictObject({ statedMs: positive, heldMs: positive }).optional() }),
  causeOf('speech_will_be_recognised', {
    engine: z.enum(recognizerEngines),
    msPerSecond: count,
    atMostMs: count,
    studies: positive,
  }),
  causeOf('screen_text_will_be_read', {
    engine: screenTextEngine,
    languages: z.array(z.string()).min(1),
    pictures: count,
  }),
] as const;

/** A track that a copy of a film with captions lacks, by ffmpeg's names of codecs. `others` are the containers that hold it. */
const muxParams = { track: count, codec: z.string().min(1), container: z.string(), others: z.array(z.string()) };

/** Why a film cannot be written with its captions into a container, and what of it would be missing. */
const muxCauses = [
  causeOf('codec_not_in_container', muxParams),
  causeOf('subtitles_not_in_container', muxParams),
] as const;

/** Why no captions can be made of a study, whatever a reviewer approves. */
export const plannedCause = z.discriminatedUnion('code', [
  plainCause.extend({ code: z.enum(['no_audio_track', 'language_not_recognised']) }),
  ...captionCauses,
  ...textCauses,
  ...planCauses,
]);

/** The causes of warnings before a study. */
export const warningCause = z.discriminatedUnion('code', [
  plainCause.extend({ code: z.enum(['no_audio_track', 'no_video_track', 'language_not_recognised']) }),
  ...captionCauses,
  ...textCauses,
  ...planCauses,
  ...warningCauses,
]);

/** Every cause there is. */
export const cause = z.discriminatedUnion('code', [
  failureOf([...ingestFailures, ...studyFailures]),
  ...engineCauses,
  engineFailureCause,
  plainCause,
  ...captionCauses,
  ...textCauses,
  otherText,
  ...methodCauses,
  ...planCauses,
  ...warningCauses,
  ...lineCauses,
  ...partCauses,
  ...captionPlanCauses,
  ...muxCauses,
  ...planRemarks,
]);

export type Cause = z.infer<typeof cause>;
export type CauseCode = Cause['code'];
export type CauseWith<Code extends CauseCode> = Code extends ReasonCode
  ? { readonly code: Code; readonly params: Record<string, never> }
  : Extract<Cause, { readonly code: Code }>;
export type PlannedCause = z.infer<typeof plannedCause>;
export type WarningCause = z.infer<typeof warningCause>;
export type PlainCause = z.infer<typeof plainCause>;
export type FailureCause = { readonly code: FailureCode; readonly params: z.infer<typeof work> };
export type StepCause = z.infer<typeof stepCause>;
export type EvidenceCause = z.infer<typeof evidenceCause>;
export type EngineCause = z.infer<typeof engineCause>;
export type PartCause = z.infer<typeof partCause>;
export type LinesCause =
  | z.infer<
      (typeof lineCauses)[number] | (typeof methodCauses)[number] | (typeof textCauses)[number] | typeof otherText
    >
  | CauseWith<'no_translator' | 'recognition_not_asked' | 'sides_disagree'>;

/** A cause why subtitles that are there give no text. */
export type TextCause = z.infer<(typeof textCauses)[number] | typeof otherText>;

const textCauseCodes: readonly string[] = [...textCauses, otherText].map(({ shape }) => shape.code.value);

/** True if a cause says why subtitles that are there give no text. */
export const isTextCause = (cause: Cause): cause is TextCause => textCauseCodes.includes(cause.code);

/** The codes of causes why captions of a study have no line. */
export const lineCauseCodes: readonly CauseCode[] = [
  ...[...lineCauses, ...methodCauses, ...textCauses, otherText].map(({ shape }) => shape.code.value),
  'no_translator',
  'recognition_not_asked',
  'sides_disagree',
];
