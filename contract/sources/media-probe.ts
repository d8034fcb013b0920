import { z } from 'zod';
import { toolIdentity } from '../base/artifact.ts';
import { contentId, count, languageTag, positive, sha256Hex } from '../base/grammar.ts';
import { parameters } from '../evidence/evidence.ts';

/** The path of a sealed file below its source's folder: relative, with forward slashes. */
export const sealedPath = z.string().min(1).max(1024);

export const contentHash = z.strictObject({ algorithm: z.literal('sha256'), digest: sha256Hex });

/** The bytes of a sealed file as its records name them. */
export const sealedContent = z.strictObject({ id: contentId, hash: contentHash, bytes: positive });

/** Seconds with at most three decimals, before or after zero. */
export const signedSeconds = z
  .number()
  .refine((value) => Math.round(value * 1000) / 1000 === value, 'must not be finer than a millisecond');

/** Seconds with at most three decimals. */
export const seconds = signedSeconds.nonnegative();

/** The tools that ran and the models that they ran on; models are part of the record's lineage. */
export const evidenceRun = z.strictObject({ tools: z.array(toolIdentity), models: z.array(toolIdentity) });

export type SealedContent = z.infer<typeof sealedContent>;

/** How a file falls short of what it states: cut at its end, damaged on the way, or whole under a false length. */
const incompleteCause = z.enum(['ends_early', 'corrupt_packets', 'length_misstated']);

/**
 * The note on media that is not what its container states, in milliseconds. Only `measuredMs` counts: it is the duration of
 * the source, and nothing is claimed beyond it. `statedMs` is null where the container states no length.
 */
export const incompleteMedia = z.strictObject({
  cause: incompleteCause,
  statedMs: positive.nullable(),
  measuredMs: positive,
});

/** The same note in the seconds of sealed records; absent from the records of whole media. */
export const sealedIncompleteMedia = z.strictObject({
  cause: incompleteCause,
  stated: seconds.positive().nullable(),
  measured: seconds.positive(),
});

export type IncompleteMedia = z.infer<typeof incompleteMedia>;
export type SealedIncompleteMedia = z.infer<typeof sealedIncompleteMedia>;

const track = {
  index: count,
  codec: z.string().min(1),
  duration: seconds.optional(),
  /** The language of the track in the container; nothing is concluded from it. */
  language: languageTag.optional(),
};

const bothOrNone = (first: string, second: string) => (value: Readonly<Record<string, unknown>>) =>
  (value[first] === undefined) === (value[second] === undefined);

/** A stream of the container; `other` is data, an attachment or cover art. */
const probeTrack = z.discriminatedUnion('type', [
  z
    .strictObject({ ...track, type: z.literal('video'), width: positive.optional(), height: positive.optional() })
    .refine(bothOrNone('width', 'height'), 'width and height come together'),
  z
    .strictObject({
      ...track,
      type: z.literal('audio'),
      sample_rate: positive.optional(),
      channels: positive.optional(),
      /** The container flags it as default, and the first audio track not; absent otherwise. */
      default: z.literal(true).optional(),
    })
    .refine(bothOrNone('sample_rate', 'channels'), 'sample_rate and channels come together'),
  z.strictObject({ ...track, type: z.enum(['subtitle', 'other']) }),
]);

/** The measured container of a sealed file. Existing clients know the producer by this very text. */
export const mediaProbe = z
  .strictObject({
    schema: z.literal('studio.media-probe.v1'),
    producer: z.literal('scripts/probe-media.mjs'),
    run: z.strictObject({ tools: z.array(toolIdentity).min(1) }),
    media: z.strictObject({ path: sealedPath }),
    input: z.strictObject({ content_id: contentId, hash: contentHash, bytes: positive }),
    duration: seconds.positive(),
    /** The time of the container's clock at the first sample, where every time of the source is 0. Absent: zero. */
    start_offset: signedSeconds.optional(),
    incomplete_media: sealedIncompleteMedia.optional(),
    container: z.array(z.string().min(1)).min(1),
    container_long_name: z.string(),
    bit_rate: positive.nullable(),
    tracks: z
      .array(probeTrack)
      .min(1)
      .refine(
        (tracks) => tracks.every(({ index }, at) => at === 0 || index > (tracks[at - 1]?.index ?? -1)),
        'in the order of their indexes',
      ),
  })
  .refine(
    ({ duration, incomplete_media: note }) => note === undefined || note.measured === duration,
    'the duration of incomplete media is the measured one',
  );

export type MediaProbe = z.infer<typeof mediaProbe>;
export type MediaProbeTrack = z.infer<typeof probeTrack>;

/** One stream of a container, as measured; optional sizes are absent where the stream states none. */
export const probedTrack = z.strictObject({
  /** The stream index in the container: the `n` of ffmpeg's `0:n`. */
  index: count,
  type: z.enum(['video', 'audio', 'subtitle', 'data', 'attachment']),
  codec: z.string().min(1),
  durationMs: positive.nullable(),
  width: positive.optional(),
  height: positive.optional(),
  sampleRate: positive.optional(),
  channels: positive.optional(),
  language: languageTag.nullable(),
  /** A still picture that comes with the media; not a video track. */
  isCoverArt: z.boolean(),
  /** The container flags it as the audio track to begin with, and the first one not; absent otherwise. */
  isDefault: z.literal(true).optional(),
});

/** The true content of a media file, as a probe hands it to a seal. */
export const probeResult = z.strictObject({
  /**
   * From the first sample to the end of the last one, at least 1. The container's own statement, rounded, if it has one that
   * holds; else measured.
   */
  durationMs: positive,
  durationSeconds: z.number().positive(),
  /** The container's short names: `mov`, `mp4`, ... */
  containerNames: z.array(z.string().min(1)).readonly(),
  containerLongName: z.string(),
  /** Bits per second over the whole file. */
  bitRate: positive.nullable(),
  /** The time of the container's clock at the first sample, in ms; it may lie before zero. Absent: zero. */
  startOffsetMs: z.number().int().optional(),
  /** Absent: the file holds what it states. */
  incomplete: incompleteMedia.optional(),
  tracks: z.array(probedTrack).min(1).readonly(),
});

export type ProbedTrack = z.infer<typeof probedTrack>;
export type ProbeResult = z.infer<typeof probeResult>;

/** A half-open run of 16 kHz samples from the start of the source. */
export const sampleWindow = z
  .strictObject({ index: count, start_sample: count, end_sample: positive })
  .refine((window) => window.start_sample < window.end_sample, 'a window must not be empty');

/** Where speech is, measured over a whole source; both lists together cover it once. */
export const speechActivity = z.strictObject({
  schema: z.literal('studio.speech-activity.v1'),
  producer: z.string().min(1),
  run: evidenceRun,
  input: z.strictObject({
    source_content_id: contentId,
    track_index: count,
    audio_content_id: contentId,
    audio_samples: positive,
  }),
  normalization: z.strictObject({
    sample_rate: z.literal(16000),
    channels: z.literal(1),
    encoding: z.literal('s16le'),
  }),
  configuration: parameters,
  frames: z.strictObject({ samples_per_frame: positive, count: positive }),
  speech_windows: z.array(sampleWindow),
  non_speech_windows: z.array(sampleWindow),
});

export type SampleWindow = z.infer<typeof sampleWindow>;
export type SpeechActivity = z.infer<typeof speechActivity>;
