import { z } from 'zod';
import { count, languageTag, positive } from '../base/grammar.ts';
import { incompleteMedia } from './incomplete-media.ts';

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
  /** A still picture that comes with the media; it is no moving picture. */
  isCoverArt: z.boolean(),
  /** The container flags it as the audio track to begin with, and the first one not; absent otherwise. */
  isDefault: z.literal(true).optional(),
});

/** What a media file really holds, as a probe hands it to a seal. */
export const probeResult = z.strictObject({
  /**
   * From the first sample to the end of the last one, at least 1. The container's own word, rounded, where it has one that
   * holds; else measured.
   */
  durationMs: positive,
  durationSeconds: z.number().positive(),
  /** The container's short names: `mov`, `mp4`, ... */
  containerNames: z.array(z.string().min(1)).readonly(),
  containerLongName: z.string(),
  /** Bits per second over the whole file. */
  bitRate: positive.nullable(),
  /** What the container's clock shows at the first sample, in ms; it may lie before zero. Absent: zero. */
  startOffsetMs: z.number().int().optional(),
  /** Absent: the file holds what it states. */
  incomplete: incompleteMedia.optional(),
  tracks: z.array(probedTrack).min(1).readonly(),
});

export type ProbedTrack = z.infer<typeof probedTrack>;
export type ProbeResult = z.infer<typeof probeResult>;
