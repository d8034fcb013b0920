import { type FileHandle, open } from 'node:fs/promises';

/**
 * A part of a track, as an edit of ISO base media (ISO/IEC 14496-12, `elst`) places it in the film. The film shows from `atMs` on
 * what the track has from `fromMs` to `toMs` by its own clock. In milliseconds, not rounded.
 */
export interface TrackEdit {
  readonly fromMs: number;
  readonly toMs: number;
  readonly atMs: number;
}

interface Box {
  readonly type: string;
  readonly content: Buffer;
}

// An index of 20 hours takes less.
const MOST_INDEX_BYTES = 64 * 1024 * 1024;

// The boxes at the top of a file: a fragmented film of a day has this many.
const MOST_TOP_BOXES = 100_000;

/** The types of boxes that may begin a file. */
const FIRST_BOXES = new Set(['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot', 'styp']);

/**
 * The edits of every track of an MP4 or QuickTime file, in the order of its tracks, which is that of ffmpeg's streams. A track
 * without edits has none. Empty for another file, and for one whose index cannot be read.
 */
export async function trackEdits(file: string): Promise<readonly (readonly TrackEdit[])[]> {
  const handle = await open(file);
  try {
    const index = await movieIndex(handle);
    if (index === null) return [];
    const boxes = [...boxesIn(index)];
    const movie = boxes.find(({ type }) => type === 'mvhd');
    const perSecond = movie === undefined ? 0 : timeScaleOf(movie.content);
    return boxes.filter(({ type }) => type === 'trak').map(({ content }) => editsIn(content, perSecond));
  } finally {
    await handle.close();
  }
}

/** True if edits do more than to delay a track: if they cut its beginning, or show parts of it. */
export const areCuts = (edits: readonly TrackEdit[]): boolean =>
  edits.length > 1 || edits.some(({ fromMs }) => fromMs > 0);

/** The times at which the edits of a track show a passage of it: in whole milliseconds of the film, half-open, none empty. */
export function shownBy(
  edits: readonly TrackEdit[],
  passage: { readonly startMs: number; readonly endMs: number },
): { readonly startMs: number; readonly endMs: number }[] {
  return edits.flatMap(({ fromMs, toMs, atMs }) => {
    const startMs = Math.round(Math.max(passage.startMs, fromMs) - fromMs + atMs);
    const endMs = Math.round(Math.min(passage.endMs, toMs) - fromMs + atMs);
    return startMs < endMs ? [{ startMs, endMs }] : [];
  });
}

/** The content of the `moov` box; null if there is none. */
async function movieIndex(handle: FileHandle): Promise<Buffer | null> {
  const { size } = await handle.stat();
  let at = 0;
  for (let count = 0; at + 8 <= size && count < MOST_TOP_BOXES; count += 1) {
    const head = await readAt(handle, at, 16);
    const type = head.toString('latin1', 4, 8);
    if (count === 0 && !FIRST_BOXES.has(type)) return null;
    const [headBytes, bytes] = extentOf(head, size - at);
    if (bytes < headBytes) return null;
    if (type === 'moov') return bytes > MOST_INDEX_BYTES ? null : readAt(handle, at + headBytes, bytes - headBytes);
    at += bytes;
  }
  return null;
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** The bytes of the head of a box, and of all of it. `left` are the bytes that follow its start. */
function extentOf(head: Buffer, left: number): readonly [headBytes: number, bytes: number] {
  const stated = head.readUInt32BE(0);
  if (stated === 1 && head.length >= 16) return [16, Number(head.readBigUInt64BE(8))];
  return [8, stated === 0 ? left : stated];
}

function* boxesIn(content: Buffer): Generator<Box> {
  let at = 0;
  while (at + 8 <= content.length) {
    const head = content.subarray(at, at + 16);
    const [headBytes, bytes] = extentOf(head, content.length - at);
    if (bytes < headBytes || at + bytes > content.length) return;
    yield { type: head.toString('latin1', 4, 8), content: content.subarray(at + headBytes, at + bytes) };
    at += bytes;
  }
}

function contentOf(content: Buffer, path: readonly string[]): Buffer | null {
  const [first, ...rest] = path;
  if (first === undefined) return content;
  for (const box of boxesIn(content)) if (box.type === first) return contentOf(box.content, rest);
  return null;
}

/** Ticks a second of a movie or media header; 0 for one that is too short. */
function timeScaleOf(header: Buffer): number {
  const at = header[0] === 1 ? 20 : 12;
  return header.length < at + 4 ? 0 : header.readUInt32BE(at);
}

function editsIn(track: Buffer, moviePerSecond: number): TrackEdit[] {
  const list = contentOf(track, ['edts', 'elst']);
  const header = contentOf(track, ['mdia', 'mdhd']);
  const perSecond = header === null ? 0 : timeScaleOf(header);
  if (list === null || list.length < 8 || perSecond === 0 || moviePerSecond === 0) return [];
  const isLong = list[0] === 1;
  const entryBytes = isLong ? 20 : 12;
  const count = Math.min(list.readUInt32BE(4), Math.floor((list.length - 8) / entryBytes));
  const edits: TrackEdit[] = [];
  let shownMs = 0;
  for (let entry = 0; entry < count; entry += 1) {
    const at = 8 + entry * entryBytes;
    const length = isLong ? Number(list.readBigUInt64BE(at)) : list.readUInt32BE(at);
    const begin = isLong ? Number(list.readBigInt64BE(at + 8)) : list.readInt32BE(at + 4);
    const lengthMs = (1000 * length) / moviePerSecond;
    const fromMs = (1000 * begin) / perSecond;
    // The last edit of a fragmented file has no length: it lasts to the end.
    const toMs = length === 0 && entry === count - 1 ? Number.POSITIVE_INFINITY : fromMs + lengthMs;
    // A beginning before zero is an empty edit: nothing is shown.
    if (begin >= 0) edits.push({ fromMs, toMs, atMs: shownMs });
    shownMs += lengthMs;
  }
  return edits;
}
