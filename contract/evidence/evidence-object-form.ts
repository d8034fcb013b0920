/** The header of an audiowaveform object: five integers of 32 bits. */
export const waveformHeaderBytes = 20;

const START_OF_IMAGE = 0xffd8;
const START_OF_FRAME = 0xffc0;

/** Width and height of a baseline JPEG, as its frame header states them; null where there is none. */
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
