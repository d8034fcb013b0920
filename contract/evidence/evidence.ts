import { z } from 'zod';
import { contentId, count, languageTag, range } from '../base/grammar.ts';
import { wellFormedText } from '../base/text.ts';
import { toolIdentity } from '../base/tool.ts';
import { recognisedRegionFact, transcriptLineFact } from './transcript.ts';

/** The kinds that a study detects itself, in the order in which they are journalled; `transcript` only with a recogniser. */
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
 * Why a kind of evidence is `unavailable`: nothing to measure, or no one to measure it. The reasons that begin with
 * `subtitle_` are of one track, which the evidence names: its format is not read, or it is more than is read. The last two
 * are of a transcript: the recogniser does not serve the declared language, or it failed.
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

const span = { startMs: count, endMs: count };

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

/** EBU R128 over the whole range, in hundredths (LUFS, LU, dBTP); null where the programme is too quiet to measure. */
export const loudnessFact = z.strictObject({
  kind: z.literal('loudness'),
  ...span,
  integratedCentiLufs: z.number().int().nullable(),
  rangeCentiLu: z.number().int().nullable(),
  truePeakCentiDbtp: z.number().int().nullable(),
});

/** A hard cut: the first frame of the new shot, and the detector's score in thousandths. */
export const shotFact = z.strictObject({
  kind: z.literal('shot_change'),
  index: count,
  atMs: count,
  scoreMilli: count,
});

export const cueFact = z.strictObject({
  kind: z.literal('subtitle_cue'),
  index: count,
  ...span,
  text: wellFormedText.min(1),
});

/** Why the text of a cue is unknown: its bytes are no text in the encoding of its format, or it has not its form. */
export const unreadableCueReason = z.enum(['undecodable', 'malformed', 'too_long']);
export type UnreadableCueReason = z.infer<typeof unreadableCueReason>;

/** A cue that is shown, with words that could not be read. Both kinds of cue are counted from 0. */
export const unreadableCueFact = z.strictObject({
  kind: z.literal('unreadable_cue'),
  index: count,
  ...span,
  reasonCode: unreadableCueReason,
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

/**
 * Parameters that a pass measures on the way, by kind: they stand behind the facts of the evidence, and no operation can state
 * them before it has run. Absent where nothing was measured so, as in evidence of earlier versions.
 */
export const measuredParameters: Readonly<Partial<Record<DetectedKind, readonly string[]>>> = {
  speech_activity: ['channelsApart', 'channelsApartMs'],
  silence: ['programmeDbfs', 'floorDbfs', 'thresholdDbfs'],
};

/** The decoded samples that a detector measured; they are not kept, their digest is. */
export const derivedAudio = z.strictObject({ sampleRate: z.literal(16000), samples: count, contentId });
export type DerivedAudio = z.infer<typeof derivedAudio>;

/**
 * What one detector says of one range, stored once per operation key and shared by every study that asks the same.
 * Times are on the source's own time line and clipped to `range`. `derivedAudio` names the decoded samples that were
 * measured; the samples themselves are not kept.
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
      /** The one track that the reason is of; absent where it is of the media. */
      readonly trackIndex?: number;
    };
