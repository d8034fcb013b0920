import { z } from 'zod';
import { toolIdentity } from '../base/artifact.ts';
import { contentId, count, givenLine, languageTag, positive, range, wellFormedText } from '../base/grammar.ts';
import { engineFailureCause } from '../causes/engine-cause.ts';
import { keyframeFact, waveformFact } from './evidence-object.ts';

/** Most characters of a line: no one says so much in one region. */
export const maximumLineCharacters = 4096;

const span = { startMs: count, endMs: count };

/** The words of a recognizer, as one line: no control characters, and of spaces single ones between words alone. */
export const recognisedText = wellFormedText
  .min(1)
  .max(maximumLineCharacters)
  .refine((text) => text === text.replace(/\s+/gu, ' ').trim(), 'must be one line without spaces around it')
  .refine((text) => !/\p{Cc}/u.test(text), 'must not have control characters');

const text = recognisedText;

const share = z.number().min(0).max(1).nullable();

/**
 * The reason why a recognized line is withheld, in the order in which a line lists its reasons. `no_speech_evidence`: detected
 * speech does not carry it, or it is not words alone. `repetition`: a loop. `low_confidence`: the recognizer itself doubts it, or
 * is known to invent it. `compression`: a text too regular for speech. `language_mismatch`: not in the language that the study
 * declared. `boundary_only`: it lies at the edge of the region's sound. `disagreement`: a second run recognized something else.
 */
export const gateReasons = [
  'no_speech_evidence',
  'repetition',
  'low_confidence',
  'compression',
  'language_mismatch',
  'boundary_only',
  'disagreement',
] as const;

export const gateReason = z.enum(gateReasons);
export type GateReason = z.infer<typeof gateReason>;

/**
 * The language that a recognizer hears in a piece of sound, whatever language it is told. It is the first one by its base code, with its
 * probability among all languages of the model. `asked` is the probability of the language that it is told, with those that sound like
 * it. Both are null if the recognizer does not state them. `startMs` and `endMs` are those of the piece.
 */
export const spokenLanguageFact = z.strictObject({ language: languageTag, probability: share, asked: share, ...span });
export type SpokenLanguage = z.infer<typeof spokenLanguageFact>;

/**
 * One region of detected speech with the padding around it, as the input of a recognizer at 16 kHz in mono. It was recognized alone, or
 * with its neighbors in a window. `heard` names the samples of either; they are not kept. `language` is the language that the
 * recognizer stated, in its own words. A region with a `cause` was not recognized: its recognizer failed, or was not called after it had
 * failed at others. It has no samples and no line.
 */
export const recognisedRegionFact = z.strictObject({
  kind: z.literal('recognised_region'),
  index: count,
  ...span,
  /** The stretch that was recognized together with its neighbors; absent for a region alone, and in all of versions before 1.1. */
  window: range.optional(),
  heard: z.strictObject({ samples: count, contentId }),
  language: z.string().min(1).max(64).nullable(),
  /** The language of the piece that this region was recognized in; absent if the recognizer was not asked, and in earlier versions. */
  spoken: spokenLanguageFact.optional(),
  /** Absent in a region that was recognized, and in all of versions before 1.1. */
  cause: engineFailureCause.optional(),
});

/** A word on the source's own time line; `confidence` is null if the recognizer gives none. */
export const transcriptWord = z.strictObject({ text, ...span, confidence: share });

/**
 * The measures of a recognizer for its own line; null if it gives none. `confidence` is the mean of its words, 0 to 1;
 * `averageLogProbability` and `compressionRatio` are those of Whisper and its relatives. `noSpeechProbability` is recorded and
 * judges nothing: whisper.cpp reads it from the wrong place.
 */
export const lineMeasures = z.strictObject({
  confidence: share,
  averageLogProbability: z.number().nullable(),
  compressionRatio: z.number().nullable(),
  noSpeechProbability: share,
});

/**
 * A line that was recognized in one region: recognized, not necessarily spoken. The gates decide from the line, its region and
 * the study's own speech activity if it is shown. A line that they withhold keeps its text here and appears nowhere else.
 * `identified` is the language of the text by script or n-grams; `second` is the text of a second run in its time.
 */
export const transcriptLineFact = z.strictObject({
  kind: z.literal('transcript_line'),
  index: count,
  ...span,
  regionIndex: count,
  speaker: z.literal('unknown'),
  text,
  words: z.array(transcriptWord),
  measures: lineMeasures,
  identified: languageTag.nullable(),
  second: z.string().max(maximumLineCharacters).nullable(),
  outcome: z.enum(['passed', 'withheld']),
  reasonCodes: z.array(gateReason),
});

export type RecognisedRegionFact = z.infer<typeof recognisedRegionFact>;
export type TranscriptWord = z.infer<typeof transcriptWord>;
export type TranscriptLineFact = z.infer<typeof transcriptLineFact>;

/** The kinds that a study detects itself, in the order of the journal; `transcript` only with a recognizer. */
export const detectedKinds = [
  'speech_activity',
  'silence',
  'loudness',
  'shot_changes',
  'subtitle_track',
  'text_language',
  'transcript',
] as const;

export const detectedKind = z.enum(detectedKinds);
export type DetectedKind = z.infer<typeof detectedKind>;

/**
 * The reason why a kind of evidence is `unavailable`: nothing to measure, or no engine to measure it. The reasons that begin with
 * `subtitle_` are of one track, which the evidence names: its format is unsupported, or it exceeds a limit. The last two are of a
 * transcript: the recognizer does not serve the declared language, or it failed.
 */
export const unavailableReason = z.enum([
  'no_audio_track',
  'no_video_track',
  'no_text_subtitle_track',
  'no_audio_in_range',
  'no_frames_in_range',
  'subtitle_format_unsupported',
  'subtitle_limit_exceeded',
  'language_not_recognised',
  'recognition_failed',
]);
export type UnavailableReason = z.infer<typeof unavailableReason>;

/**
 * A run of 16 kHz samples on the source's own time line; startMs = floor(sample/16), endMs = ceil(sample/16). The windows
 * of one artifact cover its range once; each kind is counted from 0.
 */
export const speechFact = z.strictObject({
  kind: z.enum(['speech_window', 'non_speech_window']),
  index: count,
  startSample: count,
  endSample: count,
  ...span,
});

export const silenceFact = z.strictObject({ kind: z.literal('silence'), index: count, ...span });

/** EBU R128 over the whole range, in hundredths (LUFS, LU, dBTP); null where the program is too quiet to measure. */
export const loudnessFact = z.strictObject({
  kind: z.literal('loudness'),
  ...span,
  integratedCentiLufs: z.number().int().nullable(),
  rangeCentiLu: z.number().int().nullable(),
  truePeakCentiDbtp: z.number().int().nullable(),
});

/** The grade of a cut or a transition that the measurement can hardly tell from other changes; the others have none. */
export const changeGrade = z.literal('uncertain').optional();

/** A hard cut: the first frame of the new shot, and the detector's score in thousandths. */
export const shotFact = z.strictObject({
  kind: z.literal('shot_change'),
  index: count,
  atMs: count,
  scoreMilli: count,
  grade: changeGrade,
});

/**
 * Where and how a cue is shown, as far as its track says. `layer` and `style` are those of an ASS event. `alignment` is the place
 * of the text as on a number pad: 2 is below in the middle, 8 above. `x` and `y` are in the units of the script; of a text that
 * moves, where it begins.
 */
export const cuePlacement = z.strictObject({
  layer: count.optional(),
  style: wellFormedText.min(1).max(100).optional(),
  alignment: z.number().int().min(1).max(9).optional(),
  x: z.number().int().optional(),
  y: z.number().int().optional(),
});
export type CuePlacement = z.infer<typeof cuePlacement>;

/**
 * Properties of cues that no caption has: a color, the name of a speaker apart from the text, an exact place or size, vertical text.
 * The parameter of this name counts the cues. It is absent without any, and in evidence of earlier versions.
 */
export const unkeptLooks = {
  color: 'cuesWithColor',
  speaker: 'cuesWithSpeaker',
  place: 'cuesWithOwnPlace',
  vertical: 'cuesVertical',
} as const;
export type UnkeptLook = keyof typeof unkeptLooks;
export const unkeptLook = z.enum(['color', 'speaker', 'place', 'vertical'] satisfies UnkeptLook[]);

/**
 * A cue of a text track. `end` is `assumed` if its track states no duration for it. It is shown until the next cue then, for
 * at most seven seconds. `placement` is absent if the track does not state it, and in evidence of earlier versions.
 */
export const cueFact = z.strictObject({
  kind: z.literal('subtitle_cue'),
  index: count,
  ...span,
  text: wellFormedText.min(1),
  end: z.enum(['assumed']).optional(),
  /** The same text with its italics, bold and underline as `<i>`, `<b>` and `<u>`; absent without any. */
  styled: wellFormedText.min(1).optional(),
  placement: cuePlacement.optional(),
});

/** The reason why the text of a cue is unknown: its bytes do not decode in the encoding of its format, or it is malformed. */
export const unreadableCueReason = z.enum(['undecodable', 'malformed', 'too_long']);
export type UnreadableCueReason = z.infer<typeof unreadableCueReason>;

/** A cue that is shown, with words that could not be read. Both kinds of cue are counted from 0. */
export const unreadableCueFact = z.strictObject({
  kind: z.literal('unreadable_cue'),
  index: count,
  ...span,
  reasonCode: unreadableCueReason,
  end: z.enum(['assumed']).optional(),
});

/** Identified from the joined text of one subtitle track; `code` is null when the identifier abstained. */
export const trackLanguageFact = z.strictObject({
  kind: z.literal('track_language'),
  trackIndex: count,
  taggedLanguage: languageTag.nullable(),
  code: languageTag.nullable(),
  method: z.enum(['script', 'ngram', 'none']),
  cueCodes: z.array(languageTag.nullable()),
});

export const detectedFact = z.discriminatedUnion('kind', [
  speechFact,
  silenceFact,
  loudnessFact,
  shotFact,
  cueFact,
  unreadableCueFact,
  trackLanguageFact,
  recognisedRegionFact,
  transcriptLineFact,
]);
export type SpeechFact = z.infer<typeof speechFact>;
export type SilenceFact = z.infer<typeof silenceFact>;
export type LoudnessFact = z.infer<typeof loudnessFact>;
export type ShotFact = z.infer<typeof shotFact>;
export type CueFact = z.infer<typeof cueFact>;
export type UnreadableCueFact = z.infer<typeof unreadableCueFact>;
export type TrackLanguageFact = z.infer<typeof trackLanguageFact>;
export type DetectedFact = z.infer<typeof detectedFact>;

/** Largest stored evidence artifact, in bytes: ten minutes of the densest speech take less than a quarter. */
export const maximumEvidenceBytes = 16 * 1024 * 1024;

export const parameters = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** The decoded samples that a detector measured; they are not kept, their digest is. */
export const derivedAudio = z.strictObject({ sampleRate: z.literal(16000), samples: count, contentId });
export type DerivedAudio = z.infer<typeof derivedAudio>;

/**
 * The findings of one detector in one range, stored once per operation key and shared by every study with the same operation.
 * Times are on the source's own time line and clipped to `range`. `derivedAudio` names the decoded samples that were measured;
 * the samples themselves are not kept.
 */
export const evidenceArtifact = z.strictObject({
  schema: z.literal('studio.detected-evidence.v1'),
  kind: detectedKind,
  input: z.strictObject({
    sourceContentId: contentId,
    range,
    trackIndex: count.nullable(),
    /** The attached subtitle file that the track is, as UTF-8; absent for tracks of the media. */
    subtitleContentId: contentId.optional(),
    derivedAudio: derivedAudio.nullable(),
  }),
  tool: toolIdentity,
  parameters,
  facts: z.array(detectedFact),
});
export type EvidenceArtifact = z.infer<typeof evidenceArtifact>;

/** One kind of evidence as a detection delivers it: an artifact to store, or the reason why there is none. */
export type Detection =
  | { readonly kind: DetectedKind; readonly state: 'available'; readonly artifact: EvidenceArtifact }
  | {
      readonly kind: DetectedKind;
      readonly state: 'unavailable';
      readonly reasonCode: UnavailableReason;
      /** The one track that the reason is about; absent if it is about the media. */
      readonly trackIndex?: number;
    };

/** Most characters of one line of text on the screen. */
export const maximumScreenTextCharacters = 512;

/** A place or a share in thousandths. */
const milli = count.max(1000);

/**
 * Why text on the screen is withheld, in the order in which a fact lists its reasons. `low_confidence`: the engine itself doubts
 * it. `too_short`: fewer letters and digits than a pattern gives by chance. `seen_once`: it was read in one picture alone, and not
 * clearly. `clutter`: the pictures that it was read in are full of shapes that the engine takes for letters. `disagreement`: the
 * engine read its place by itself otherwise. `unread_language`: it is in a language that the engine was not given.
 */
export const screenTextReasons = [
  'low_confidence',
  'too_short',
  'seen_once',
  'clutter',
  'disagreement',
  'unread_language',
] as const;
export const screenTextReason = z.enum(screenTextReasons);
export type ScreenTextReason = z.infer<typeof screenTextReason>;

/** The result of reading the line by itself, cut out of its picture: the same letters and digits, or others. */
export const secondLook = z.enum(['agrees', 'disagrees']);

/** The place of a text, in thousandths of the width and of the height of the picture as it is shown. */
export const screenBox = z.strictObject({ leftMilli: milli, topMilli: milli, rightMilli: milli, bottomMilli: milli });
export type ScreenBox = z.infer<typeof screenBox>;

/**
 * One line of text on the screen, from the first picture that shows it to the last. It may have been visible up to a second
 * longer on both sides. `readings` are the pictures in which it was read; those that did not change in between are not read
 * again. `confidenceMilli` is the mean of the engine's own confidence in those readings that agree with the text. `clearMilli` is
 * the confident share of the text in the clearest of these pictures. `secondLook` is absent from records of earlier versions, and
 * from texts of which the engine is not sure. `language` is that of the text by script or n-grams. A text that is withheld is
 * kept here and appears nowhere else.
 */
export const screenTextFact = z.strictObject({
  kind: z.literal('screen_text'),
  index: count,
  startMs: count,
  endMs: count,
  text: givenLine(maximumScreenTextCharacters),
  box: screenBox,
  confidenceMilli: milli,
  clearMilli: milli,
  secondLook: secondLook.optional(),
  readings: positive,
  language: languageTag.nullable(),
  outcome: z.enum(['passed', 'withheld']),
  reasonCodes: z.array(screenTextReason),
});
export type ScreenTextFact = z.infer<typeof screenTextFact>;

const counted = { index: count, startMs: count, endMs: count };

/** The order of the fields of pictures. */
export const fieldOrder = z.enum(['progressive', 'top_first', 'bottom_first', 'telecined', 'mixed', 'unknown']);

/**
 * The order of moments in the pictures of a stretch. `progressive` has one each; `top_first` and `bottom_first` have two each,
 * one in every second line. `telecined` has one each of a film, of which some are repeated. `mixed` has several of these;
 * `unknown` means that too few pictures show it. The shares are those of its pictures, and add up to a thousand without
 * `repeatedMilli`: pictures that repeat a field of the one before.
 */
export const fieldOrderFact = z.strictObject({
  kind: z.literal('field_order'),
  ...counted,
  order: fieldOrder,
  pictures: count,
  progressiveMilli: milli,
  topFirstMilli: milli,
  bottomFirstMilli: milli,
  undeterminedMilli: milli,
  repeatedMilli: milli,
});

/**
 * Black bars beside the picture: the area within them is `width` × `height` pixels from `left` and `top` on. It is part of
 * `pictureWidth` × `pictureHeight`, rotated as players show it. `agreeingMilli` is the share of the inspected pictures that show
 * exactly these bars.
 */
export const letterboxFact = z.strictObject({
  kind: z.literal('letterbox'),
  ...counted,
  left: count,
  top: count,
  width: positive,
  height: positive,
  pictureWidth: positive,
  pictureHeight: positive,
  agreeingMilli: milli,
});

export type FieldOrderFact = z.infer<typeof fieldOrderFact>;
export type LetterboxFact = z.infer<typeof letterboxFact>;

/** The channels that faults are measured in: surrounds are folded into their side, mono is the center. */
export const measuredChannel = z.enum(['left', 'right', 'centre']);
export type MeasuredChannel = z.infer<typeof measuredChannel>;

/**
 * Consecutive samples of one channel at full scale, or at the flat top of a clipped wave. `runs` of them lie between the ends; the
 * longest has so many samples.
 */
export const clippingFact = z.strictObject({
  kind: z.literal('clipping'),
  ...counted,
  channel: measuredChannel,
  runs: positive,
  longestSamples: positive,
});

/** One side is silent while the other is not. */
export const silentChannelFact = z.strictObject({
  kind: z.literal('silent_channel'),
  ...counted,
  channel: z.enum(['left', 'right']),
});

/** Left and right are each other's inverse, so that a mix loses them; `correlationMilli` is their highest correlation, in thousandths. */
export const phaseInversionFact = z.strictObject({
  kind: z.literal('phase_inversion'),
  ...counted,
  correlationMilli: z.number().int().min(-1000).max(0),
});

/** Every channel is silent at once, or nearly so behind a lossy codec, in the middle of sound, for a moment. */
export const dropoutFact = z.strictObject({ kind: z.literal('dropout'), ...counted });

/** The highest true peak of the range, in hundredths of dBTP, and the tenth of a second that it lies in. */
export const truePeakFact = z.strictObject({
  kind: z.literal('true_peak'),
  ...counted,
  truePeakCentiDbtp: z.number().int(),
});

const soundFaultFacts = [clippingFact, silentChannelFact, phaseInversionFact, dropoutFact, truePeakFact] as const;

export type ClippingFact = z.infer<typeof clippingFact>;
export type SilentChannelFact = z.infer<typeof silentChannelFact>;
export type PhaseInversionFact = z.infer<typeof phaseInversionFact>;
export type DropoutFact = z.infer<typeof dropoutFact>;
export type TruePeakFact = z.infer<typeof truePeakFact>;
export type SoundFaultFact = ClippingFact | SilentChannelFact | PhaseInversionFact | DropoutFact | TruePeakFact;

/**
 * The further kinds that a pass has measured since it measures any beside those of `detectedKinds`: an operation that states one of
 * them states all. Clients of earlier versions know a closed list of kinds: receipts of passes do not name further kinds, and
 * `GET …/evidence` answers them only when asked.
 */
export const firstFurtherKinds = [
  'transitions',
  'black_frames',
  'frozen_frames',
  'keyframes',
  'waveform',
  'audio_faults',
  'interlacing',
  'letterbox',
] as const;

/** The same, and what is read by an operation of its own where a host was started for it. */
export const furtherKinds = [...firstFurtherKinds, 'screen_text'] as const;

/** The name of a further kind of evidence. Those that a host has, with their facts, are the answer of `GET /v1/evidence-kinds`. */
export const furtherKind = z.union([
  z.enum(furtherKinds),
  z
    .string()
    .max(64)
    .regex(/^[a-z]+(?:_[a-z]+)*$/),
]);
export type FurtherKind = z.infer<typeof furtherKind>;

/**
 * One shot changes into the next between its ends; `form` is its kind. `unexplainedMilli` is the share of the change between
 * both ends that the form does not explain. A fade may begin or end on an even picture.
 */
export const transitionFact = z.strictObject({
  kind: z.literal('transition'),
  ...counted,
  form: z.enum(['dissolve', 'fade', 'wipe']),
  unexplainedMilli: milli,
  grade: changeGrade,
});

/** Other light for a moment, after which the picture before is there again. */
export const flashFact = z.strictObject({ kind: z.literal('flash'), ...counted });

/** Flashes that follow each other within half a second. */
export const strobeFact = z.strictObject({ kind: z.literal('strobe'), ...counted, flashes: count.min(3) });

/** Pictures that are black; `blackMilli` is the least share of black pixels among them. */
export const blackFact = z.strictObject({ kind: z.literal('black'), ...counted, blackMilli: milli });

/** Pictures that do not change; `changeMilli` is the largest distance from the first of them, in thousandths of full scale. */
export const frozenFact = z.strictObject({ kind: z.literal('frozen'), ...counted, changeMilli: milli });

/**
 * A fact of a kind that has come since: it is named after its kind, as `mean_light.level` is. Its fields are numbers, texts and
 * truths; `startMs` and `endMs` are its place.
 */
export const measuredFact = z
  .object({
    kind: z.templateLiteral([z.string().regex(/^[a-z]+(?:_[a-z]+)*$/), '.', z.string().regex(/^[a-z]+(?:_[a-z]+)*$/)]),
    ...counted,
  })
  .catchall(z.union([z.number(), z.string(), z.boolean(), z.null()]));
export type MeasuredFact = z.infer<typeof measuredFact>;

/** The facts of the kinds that this contract names. */
export const namedFurtherFact = z.discriminatedUnion('kind', [
  transitionFact,
  flashFact,
  strobeFact,
  blackFact,
  frozenFact,
  keyframeFact,
  waveformFact,
  ...soundFaultFacts,
  fieldOrderFact,
  letterboxFact,
  screenTextFact,
]);

export const furtherFact = z.union([namedFurtherFact, measuredFact]);
export type TransitionFact = z.infer<typeof transitionFact>;
export type FlashFact = z.infer<typeof flashFact>;
export type StrobeFact = z.infer<typeof strobeFact>;
export type BlackFact = z.infer<typeof blackFact>;
export type FrozenFact = z.infer<typeof frozenFact>;
export type FurtherFact = z.infer<typeof furtherFact>;

/** The findings of an operation in one range beside its evidence: stored like evidence, and shared like it. */
export const furtherArtifact = z.strictObject({
  schema: z.literal('studio.further-evidence.v1'),
  kind: furtherKind,
  input: z.strictObject({ sourceContentId: contentId, range, trackIndex: count }),
  tool: toolIdentity,
  parameters,
  facts: z.array(furtherFact),
});
export type FurtherArtifact = z.infer<typeof furtherArtifact>;

/** Further evidence as the result of an operation names it. */
export const furtherResult = z.strictObject({ kind: furtherKind, contentId, bytes: positive });
export type FurtherResult = z.infer<typeof furtherResult>;
