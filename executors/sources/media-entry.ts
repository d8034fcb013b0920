import { open } from 'node:fs/promises';

const FLV = 'FLV\u0001';
const MATROSKA = '\u001aE\u00df\u00a3';
const PROGRAM_STREAM = '\u0000\u0000\u0001\u00ba';
const PACKET_BYTES = 188;
const SYNC_BYTE = 0x47;

/** Options in front of an input by which ffmpeg enters it at a whole second, and drops what it decodes before. */
export const enteredAt = (seek: number): readonly string[] => ['-accurate_seek', '-ss', String(seek)];

/**
 * The same for one media file. Some are read from their start without a seek, which would drop what stands there; their times are
 * the same. Where the tracks of an FLV begin a little late ffmpeg finds no key frame that early, and has dropped the first
 * seconds by then. In Matroska with a picture it loses the first packets of sound.
 */
export async function entryOf(file: string, seek: number): Promise<readonly string[]> {
  if (seek > 0) return enteredAt(seek);
  const first = (await firstBytes(file)).toString('latin1');
  return [FLV, MATROSKA].some((signature) => first.startsWith(signature)) ? [] : enteredAt(seek);
}

/** Whether ffmpeg counts the times of a file from the first sample of the tracks in use: of an MPEG transport or program stream. */
export async function countsFromTracksInUse(file: string): Promise<boolean> {
  const first = await firstBytes(file);
  const isTransport = [0, 1, 2].every((packet) => first[packet * PACKET_BYTES] === SYNC_BYTE);
  return isTransport || first.toString('latin1', 0, PROGRAM_STREAM.length) === PROGRAM_STREAM;
}

/** The first packets of a file; nothing of one that cannot be opened: ffmpeg says why. */
async function firstBytes(file: string): Promise<Buffer> {
  const handle = await open(file).catch(() => null);
  if (handle === null) return Buffer.alloc(0);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(3 * PACKET_BYTES), 0, 3 * PACKET_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
