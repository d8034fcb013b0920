import { type FileHandle, open } from 'node:fs/promises';
import { MEDIA_INPUT_OPTIONS, mediaInput, mediaUrl } from './media-input.ts';

// The head of a file of FLAC (RFC 9639, section 8): its marker, and the block of stream information, which has 34 bytes.
const HEAD = Buffer.from('fLaC\u0000\u0000\u0000\u0022', 'latin1');
const MARKER_BYTES = 4;
const BLOCK_HEAD_BYTES = 4;
const MOST_BLOCKS = 128;
const CHUNK_BYTES = 1024 * 1024;

/** How many parts are read as one. ffmpeg opens all of them at once, and a process has a limit of files. */
const MOST_PARTS = 128;

/** A stretch of a file, in bytes, half-open. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** The place of the first frame behind the head of a file; null if its blocks do not lead to one. */
async function framesBehind(handle: FileHandle, head: number): Promise<number | null> {
  let at = head + MARKER_BYTES;
  for (let block = 0; block < MOST_BLOCKS; block += 1) {
    const [flags, ...length] = await readAt(handle, at, BLOCK_HEAD_BYTES);
    const [high = 0, middle = 0, low = 0] = length;
    if (flags === undefined || length.length < 3) return null;
    at += BLOCK_HEAD_BYTES + high * 0x10000 + middle * 0x100 + low;
    if ((flags & 0x80) === 0) continue;
    // The sign of a frame: 14 bits, a reserved one, and one for blocks of different lengths.
    const [first, second = 0] = await readAt(handle, at, 2);
    return first === 0xff && (second & 0xfe) === 0xf8 ? at : null;
  }
  return null;
}

/** The places of heads in a file that begins with one, with the first frame behind each. */
async function headsIn(handle: FileHandle): Promise<{ readonly head: number; readonly frames: number }[]> {
  const heads: { readonly head: number; readonly frames: number }[] = [];
  const overlap = HEAD.length - 1;
  for (let at = 0; ; at += CHUNK_BYTES) {
    const chunk = await readAt(handle, at, CHUNK_BYTES + overlap);
    for (let found = chunk.indexOf(HEAD); found !== -1; found = chunk.indexOf(HEAD, found + 1)) {
      const head = at + found;
      // A block of a head, such as a picture, may have the bytes of another one.
      if (head < (heads.at(-1)?.frames ?? 0)) continue;
      const frames = await framesBehind(handle, head);
      if (frames !== null) heads.push({ head, frames });
    }
    if (chunk.length < CHUNK_BYTES || (at === 0 && heads[0]?.head !== 0)) return heads;
  }
}

/** The files of FLAC of which a file consists; empty for a single one. */
async function partsOf(file: string): Promise<readonly Stretch[]> {
  const handle = await open(file).catch(() => null);
  // ffmpeg says why.
  if (handle === null) return [];
  try {
    const heads = await headsIn(handle);
    if (heads.length < 2 || heads.length > MOST_PARTS) return [];
    const { size } = await handle.stat();
    return heads.map(({ head }, at) => ({ from: head, to: heads[at + 1]?.head ?? size }));
  } finally {
    await handle.close();
  }
}

/** A part of a file as an address of ffmpeg. */
const partUrl = (file: string, { from, to }: Stretch): string => `subfile,,start,${from},end,${to},,:${mediaUrl(file)}`;

/**
 * The input of a file whose samples are counted, with the sound of one track chosen. Each part of joined FLAC is an input of its own.
 * ffmpeg reads such a file as one. It takes a further head for a part of the frame in front of it, and loses up to three blocks. It
 * also drops blocks that are larger than those of the first part. Other files are read as they are.
 */
export async function countedInput(file: string, trackIndex: number): Promise<readonly string[]> {
  const parts = await partsOf(file);
  if (parts.length === 0) return [...mediaInput(file), '-map', `0:${trackIndex}`];
  const [, , ...options] = MEDIA_INPUT_OPTIONS;
  const inputs = parts.map((part) => ['-protocol_whitelist', 'file,subfile', ...options, '-i', partUrl(file, part)]);
  const sounds = parts.map((_, at) => `[${at}:a:0]`).join('');
  return [...inputs.flat(), '-filter_complex', `${sounds}concat=n=${parts.length}:v=0:a=1[joined]`, '-map', '[joined]'];
}
