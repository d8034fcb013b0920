import type { Readable } from 'node:stream';
import type { Range } from '../../contract/base/grammar.ts';
import type { Launcher, ProcessLimits } from '../process/process.ts';
import { MEMORY_BYTES } from '../process/process.ts';
import type { ResolvedTool } from '../process/tools.ts';
import { MEDIA_GLOBAL_OPTIONS, mediaInput } from '../sources/media-input.ts';

/** The units of a video stream that carry closed captions, as `filter_units` of ffmpeg counts them: SEI, user data, metadata. */
const captionUnits: ReadonlyMap<string, string> = new Map([
  ['h264', '6'],
  ['hevc', '39-40'],
  ['mpeg2video', '178'],
  ['av1', '5'],
]);

/**
 * How much of a range is searched, and how many characters are captions. Captions run through a film from its beginning. Broadcasts also
 * have empty ones in every picture, and the names of programs.
 */
export const PICTURE_CAPTION_RULE = { searchedMs: 600_000, characters: 16 } as const;

// `cc_data` of ATSC A/53 (2013), part 4, section 6.2.3: in H.264, HEVC and AV1 within ITU-T T.35, in MPEG-2 within user data.
const A53 = Buffer.from('GA94\u0003', 'latin1');
// The same on a DVD, as ffmpeg reads it (`mpeg_decode_a53_cc`).
const DVD = Buffer.from([0x43, 0x43, 0x01, 0xf8]);
/** A head, up to 31 triplets of bytes, and the bytes that keep these from looking like a start code. */
const LONGEST_DATA = 192;
const TRIPLET = 3;

type Triplet = readonly [head: number, first: number, second: number];

/** Bytes behind a place, without those that keep them from looking like a start code. */
function unescaped(bytes: Buffer, from: number): number[] {
  const plain: number[] = [];
  let zeros = 0;
  for (const byte of bytes.subarray(from, from + LONGEST_DATA)) {
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    plain.push(byte);
  }
  return plain;
}

const tripletAt = (bytes: readonly number[], at: number): Triplet => [
  bytes[at] ?? 0,
  bytes[at + 1] ?? 0,
  bytes[at + 2] ?? 0,
];

/** The pairs of bytes of A/53: `head` has the type in its lowest bits, and a bit that says if it is valid. */
function a53Triplets(bytes: readonly number[]): Triplet[] {
  const [flags = 0] = bytes;
  if ((flags & 0x40) === 0) return [];
  return Array.from({ length: flags & 0x1f }, (_, at) => tripletAt(bytes, 2 + TRIPLET * at)).filter(
    ([head]) => (head & 0x04) !== 0,
  );
}

/** The pairs of bytes of a DVD, in the form of A/53. */
function dvdTriplets(bytes: readonly number[]): Triplet[] {
  const found: Triplet[] = [];
  for (let at = 1; at + TRIPLET <= bytes.length; at += TRIPLET) {
    const [head, first, second] = tripletAt(bytes, at);
    if ((head & 0xfe) !== 0xfe) break;
    found.push([head === 0xff ? 0xfc : 0xfd, first, second]);
  }
  return found;
}

const isCharacter = (byte: number): boolean => byte >= 0x20 && byte < 0x7f;
const isLetter = (byte: number): boolean => (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);

/**
 * Searches the caption units of a video stream for closed captions: CEA-608 in both fields, and CEA-708. Characters of CEA-608 count
 * if the field has a command that shows captions; without one they are the name of a program. Of CEA-708 letters count.
 */
export class CaptionSearch {
  #rest: Buffer = Buffer.alloc(0);
  readonly #fields = [0, 1].map(() => ({ shows: false, characters: 0 }));
  #letters = 0;

  /** True once the bytes so far hold captions. */
  get isFound(): boolean {
    const { characters: least } = PICTURE_CAPTION_RULE;
    return this.#letters >= least || this.#fields.some(({ shows, characters }) => shows && characters >= least);
  }

  add(chunk: Buffer): void {
    this.#search(Buffer.concat([this.#rest, chunk]), false);
  }

  end(): void {
    this.#search(this.#rest, true);
  }

  #search(bytes: Buffer, isAll: boolean): void {
    let at = 0;
    for (;;) {
      const [a53, dvd] = [bytes.indexOf(A53, at), bytes.indexOf(DVD, at)];
      const isA53 = a53 !== -1 && (dvd === -1 || a53 < dvd);
      const found = isA53 ? a53 : dvd;
      if (found === -1) {
        this.#rest = Buffer.from(bytes.subarray(Math.max(at, bytes.length - A53.length + 1)));
        return;
      }
      if (!isAll && found + A53.length + LONGEST_DATA > bytes.length) {
        this.#rest = Buffer.from(bytes.subarray(found));
        return;
      }
      at = found + (isA53 ? A53.length : DVD.length);
      for (const triplet of (isA53 ? a53Triplets : dvdTriplets)(unescaped(bytes, at))) this.#take(triplet);
    }
  }

  #take([head, ...pair]: Triplet): void {
    const field = this.#fields[head & 0x03];
    if (field === undefined) {
      this.#letters += pair.filter(isLetter).length;
      return;
    }
    // The highest bit is parity.
    const [first, second] = [pair[0] & 0x7f, pair[1] & 0x7f];
    // Resume caption loading, roll-up, paint-on and the like: CEA-608, table 52.
    const isCommand = [0x14, 0x15, 0x1c, 0x1d].includes(first) && second >= 0x20 && second <= 0x2f;
    if (isCommand) field.shows = true;
    else if (isCharacter(first)) field.characters += isCharacter(second) ? 2 : 1;
  }
}

const SEARCHED_BYTES = 1024 ** 3;

const LIMITS: ProcessLimits = {
  wallMs: 180_000,
  cpuSeconds: 120,
  fileSizeBytes: 1024 * 1024,
  stdoutBytes: SEARCHED_BYTES,
  stderrBytes: 4 * 1024 * 1024,
  memoryBytes: MEMORY_BYTES.packets,
};

/** The video stream that is searched. */
export interface SearchedPicture {
  readonly index: number;
  readonly codec: string;
}

/** True if captions of a stream of this codec can be found. */
export const mayHoldCaptions = ({ codec }: SearchedPicture): boolean => captionUnits.has(codec);

/** The searched part of a range, as an option of ffmpeg. */
const upTo = ({ startMs, endMs }: Range): string[] => [
  '-t',
  `${Math.min(endMs - startMs, PICTURE_CAPTION_RULE.searchedMs)}ms`,
];

/** The output of ffmpeg with the units that may hold captions, up to the name of its pipe. Nothing is decoded. */
function unitsOf({ index, codec }: SearchedPicture): string[] {
  const units = `filter_units=pass_types=${captionUnits.get(codec)}`;
  return ['-map', `0:${index}`, '-c', 'copy', '-bsf:v', units, '-f', 'data'];
}

/** Searches units until they hold captions or end. Resolves with true if they do. */
async function searched(units: AsyncIterable<Buffer>): Promise<boolean> {
  const search = new CaptionSearch();
  for await (const chunk of units) {
    search.add(chunk);
    if (search.isFound) return true;
  }
  search.end();
  return search.isFound;
}

/**
 * The search as one more output of a run of ffmpeg that reads the media from its start. A range that begins there needs no process of
 * its own. `isFound` has the answer once that run has ended.
 */
export function captionSearchBeside(picture: SearchedPicture, range: Range) {
  let answer = false;
  return {
    output: [...upTo(range), ...unitsOf(picture)],
    maximumBytes: SEARCHED_BYTES,
    async read(pipe: Readable): Promise<void> {
      answer = await searched(pipe.iterator({ destroyOnReturn: false }));
      // A process whose output is not read never ends.
      pipe.resume();
    },
    isFound: () => answer,
  };
}

/**
 * True if the pictures of a range hold closed captions. ffmpeg copies the units that may hold them and decodes nothing. The process
 * ends as soon as some are found. Rejects with `ProcessFailure`.
 */
export async function hasCaptionsInPicture(
  { launcher, ffmpeg }: { readonly launcher: Launcher; readonly ffmpeg: ResolvedTool },
  {
    path,
    picture,
    range,
    signal,
  }: {
    readonly path: string;
    readonly picture: SearchedPicture;
    readonly range: Range;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  if (!mayHoldCaptions(picture)) return false;
  const running = await launcher.start({
    tool: ffmpeg.path,
    args: [
      ...['-nostdin', '-nostats', '-v', 'error', ...MEDIA_GLOBAL_OPTIONS],
      ...['-ss', `${range.startMs}ms`, ...upTo(range), ...mediaInput(path)],
      ...[...unitsOf(picture), 'pipe:1'],
    ],
    limits: LIMITS,
    signal,
  });
  const ended = running.finished.catch((error: unknown) => error);
  const isFound = await searched(running.stdout);
  if (isFound) running.kill();
  const failure = await ended;
  if (isFound && !signal.aborted) return true;
  if (failure instanceof Error) throw failure;
  return false;
}
