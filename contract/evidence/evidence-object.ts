import { z } from 'zod';
import { contentId, count, positive } from '../base/grammar.ts';

/** Largest object that a fact may name, in bytes: the waveform of four hours takes a fifth. */
export const maximumEvidenceObjectBytes = 16 * 1024 * 1024;

const named = { contentId, bytes: positive.max(maximumEvidenceObjectBytes) };

/**
 * A picture that stands for `[startMs, endMs)` of one shot, taken at `atMs`: a JPEG of `width` × `height` square pixels, which
 * `GET …/evidence/objects/:contentId` answers.
 */
export const keyframeFact = z.strictObject({
  kind: z.literal('keyframe'),
  index: count,
  startMs: count,
  endMs: count,
  atMs: count,
  width: positive,
  height: positive,
  ...named,
});
export type KeyframeFact = z.infer<typeof keyframeFact>;

/**
 * The sound of `[startMs, endMs)` for drawing: the lowest and the highest sample of every `windowMs`, in an object with the
 * format of audiowaveform (version 1, 16 bits): five little-endian integers of 32 bits (version, flags, sample rate, samples a
 * window, windows), then two of 16 bits for each window.
 */
export const waveformFact = z.strictObject({
  kind: z.literal('waveform'),
  startMs: count,
  endMs: count,
  windowMs: positive,
  windows: positive,
  ...named,
});
export type WaveformFact = z.infer<typeof waveformFact>;

export const evidenceObjectFact = z.discriminatedUnion('kind', [keyframeFact, waveformFact]);
export type EvidenceObjectFact = z.infer<typeof evidenceObjectFact>;

/** The media type of the object that a fact of each kind names. */
export const evidenceObjectTypes: Readonly<Record<EvidenceObjectFact['kind'], string>> = {
  keyframe: 'image/jpeg',
  waveform: 'application/octet-stream',
};
