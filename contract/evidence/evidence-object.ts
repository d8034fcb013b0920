import { z } from 'zod';
import { contentId, count, positive } from '../base/grammar.ts';

/** Largest object that a fact may name, in bytes: the waveform of four hours takes a fifth. */
const maximumEvidenceObjectBytes = 16 * 1024 * 1024;

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
 * The sound of `[startMs, endMs)` for drawing: the lowest and the highest sample of every `windowMs`. The object has the format
 * of audiowaveform (version 1, 16 bits). It begins with five little-endian integers of 32 bits: version, flags, sample rate,
 * samples a window, windows. Two of 16 bits follow for each window.
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

/** The header of an audiowaveform object: five integers of 32 bits. */
const waveformHeaderBytes = 20;

const START_OF_IMAGE = 0xffd8;
const START_OF_FRAME = 0xffc0;

/** Width and height of a baseline JPEG, as its frame header states them; null if it has none. */
export function jpegSizeOf(jpeg: Uint8Array): { readonly width: number; readonly height: number } | null {
  const view = new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength);
  const read = (at: number) => (at + 2 <= view.byteLength ? view.getUint16(at) : 0);
  if (read(0) !== START_OF_IMAGE) return null;
  // Each segment but the first has its marker, then its length without the marker.
  for (let at = 2; at + 9 <= view.byteLength; at += 2 + Math.max(2, read(at + 2))) {
    if (read(at) === START_OF_FRAME && read(at + 5) > 0 && read(at + 7) > 0)
      return { width: read(at + 7), height: read(at + 5) };
  }
  return null;
}

/** The integers of the header of an audiowaveform object; null where its bytes are too few. */
export function waveformHeaderOf(bytes: Uint8Array): readonly number[] | null {
  if (bytes.length < waveformHeaderBytes) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: waveformHeaderBytes / 4 }, (_, place) => view.getUint32(4 * place, true));
}
