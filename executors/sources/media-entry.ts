import { open } from 'node:fs/promises';

const FLV = 'FLV\u0001';

/** Options in front of an input by which ffmpeg enters it at a whole second, and drops what it decodes before. */
export const enteredAt = (seek: number): readonly string[] => ['-accurate_seek', '-ss', String(seek)];

/**
 * The same for one media file. An FLV is read from its start without a seek: where its tracks begin a little late ffmpeg finds no
 * key frame that early, and has dropped the first seconds by then. Its times are the same.
 */
export async function entryOf(file: string, seek: number): Promise<readonly string[]> {
  return seek === 0 && (await isFlv(file)) ? [] : enteredAt(seek);
}

async function isFlv(file: string): Promise<boolean> {
  // What cannot be opened is no FLV: ffmpeg says why.
  const handle = await open(file).catch(() => null);
  if (handle === null) return false;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FLV.length), 0, FLV.length, 0);
    return buffer.toString('latin1', 0, bytesRead) === FLV;
  } finally {
    await handle.close();
  }
}
