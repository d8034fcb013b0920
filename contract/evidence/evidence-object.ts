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

export const evidenceObjectFact = z.discriminatedUnion('kind', [keyframeFact]);
export type EvidenceObjectFact = z.infer<typeof evidenceObjectFact>;

/** The media type of the object that a fact of each kind names. */
export const evidenceObjectTypes: Readonly<Record<EvidenceObjectFact['kind'], string>> = {
  keyframe: 'image/jpeg',
};
