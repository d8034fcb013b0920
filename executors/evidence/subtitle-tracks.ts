import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Range } from '../../contract/base/grammar.ts';
import { DetectionFailure } from '../../kinds/detection-failure.ts';
import { type Launcher, MEMORY_BYTES, type ProcessLimits, type ProcessRequest } from '../process/process.ts';
import type { ResolvedTool } from '../process/tools.ts';
import { MEDIA_GLOBAL_OPTIONS } from '../sources/media-input.ts';
import { type CueText, cueTextOf, MAXIMUM_PACKET_BYTES, type StatedBeside } from './cue-text.ts';
import { scriptReaderOf, type TrackScript } from './track-script.ts';

/** One packet of a track: its times in half-open milliseconds, and its bytes. */
interface SubtitlePacket {
  readonly startMs: number;
  readonly endMs: number;
  readonly bytes: Uint8Array;
}

interface PacketTime {
  readonly startMs: number;
  readonly endMs: number;
  readonly size: number;
}

const EMPTY = Buffer.alloc(0);
const TIME_BASE = /^#tb 0: (\d+)\/(\d+)$/;
// stream, decoding time, presentation time, duration, size, checksum; side data may follow.
const PACKET = /^0, +-?\d+, +(-?\d+), +(\d+), +(\d+), 0x[0-9a-f]{8}(?:,|$)/;
const LONGEST_LINE_BYTES = 4096;

/**
 * Joins the output of ffmpeg for one track on two pipes. One is a list of its packets (`-f framecrc`: times and sizes), the other
 * has their bytes one after another (`-f data`). The size alone gives the end of a packet, so no text in it can begin another
 * one. Each packet is handed over as soon as both exist. Throws `DetectionFailure` on another form.
 */
export class PacketJoiner {
  readonly #deliver: (packet: SubtitlePacket) => void;
  #msPerTick: number | null = null;
  #line: Buffer = EMPTY;
  #payload: Buffer = EMPTY;
  #times: PacketTime[] = [];

  constructor(deliver: (packet: SubtitlePacket) => void) {
    this.#deliver = deliver;
  }

  /** A chunk of the list. */
  list(chunk: Buffer): void {
    const lines = this.#line.length === 0 ? chunk : Buffer.concat([this.#line, chunk]);
    let start = 0;
    for (let end = lines.indexOf(10); end !== -1; end = lines.indexOf(10, start)) {
      this.#take(lines.toString('latin1', start, end));
      start = end + 1;
    }
    this.#line = lines.subarray(start);
    if (this.#line.length > LONGEST_LINE_BYTES) throw new DetectionFailure('ffmpeg listed packets in an unknown form');
    this.#join();
  }

  /** A chunk of the bytes. */
  data(chunk: Buffer): void {
    this.#payload = this.#payload.length === 0 ? chunk : Buffer.concat([this.#payload, chunk]);
    this.#join();
  }

  /** Nothing more comes: every listed packet must have been handed over. */
  end(): void {
    if (this.#line.length + this.#payload.length + this.#times.length > 0) {
      throw new DetectionFailure('ffmpeg listed other packets than it wrote');
    }
  }

  #take(line: string): void {
    if (line.startsWith('#')) {
      const base = TIME_BASE.exec(line);
      if (base !== null) this.#msPerTick = (1000 * Number(base[1])) / Number(base[2]);
      return;
    }
    const packet = PACKET.exec(line);
    if (packet === null || this.#msPerTick === null) {
      throw new DetectionFailure('ffmpeg listed packets in an unknown form');
    }
    const [start, duration, size] = packet.slice(1).map(Number) as [number, number, number];
    this.#times.push({
      startMs: Math.round(start * this.#msPerTick),
      endMs: Math.round((start + duration) * this.#msPerTick),
      size,
    });
  }

  #join(): void {
    let joined = 0;
    let at = 0;
    for (const { startMs, endMs, size } of this.#times) {
      if (at + size > this.#payload.length) break;
      this.#deliver({ startMs, endMs, bytes: this.#payload.subarray(at, at + size) });
      at += size;
      joined += 1;
    }
    this.#times = this.#times.slice(joined);
    this.#payload = this.#payload.subarray(at);
  }
}

const MEBIBYTE = 1024 * 1024;

// The whole file may have to be read for a few cues. What lies outside the range is passed over, not kept.
const LIMITS: ProcessLimits = {
  wallMs: 180_000,
  cpuSeconds: 120,
  fileSizeBytes: MEBIBYTE,
  stdoutBytes: 64 * MEBIBYTE,
  stderrBytes: 4 * MEBIBYTE,
  memoryBytes: MEMORY_BYTES.subtitles,
};

/**
 * The limits of text tracks in a range of up to ten minutes. They are the number of tracks, the cues and bytes of each, and those
 * of all together. Three cues in every second of ten minutes stay below it. A record of a track is written or read in less than
 * 20 ms, during which the host does nothing else.
 */
export const SUBTITLE_LIMITS = {
  maxTracks: 32,
  maxTrackCues: 2048,
  maxTrackBytes: 256 * 1024,
  maxCues: 8192,
  maxBytes: MEBIBYTE,
} as const;

/** A longer range may have as many for each ten minutes that begin in it, up to this factor: a record stays below 150 ms then. */
export const SUBTITLE_LIMITS_PER = { rangeMs: 600_000, mostTimes: 8 } as const;

type SubtitleLimits = Readonly<Record<keyof typeof SUBTITLE_LIMITS, number>>;

/** The limits of a range. */
export function subtitleLimits({ startMs, endMs }: Range): SubtitleLimits {
  const times = Math.min(SUBTITLE_LIMITS_PER.mostTimes, Math.ceil((endMs - startMs) / SUBTITLE_LIMITS_PER.rangeMs));
  if (times <= 1) return SUBTITLE_LIMITS;
  const { maxTracks, maxTrackCues, maxTrackBytes, maxCues, maxBytes } = SUBTITLE_LIMITS;
  return {
    maxTracks,
    maxTrackCues: times * maxTrackCues,
    maxTrackBytes: times * maxTrackBytes,
    maxCues: times * maxCues,
    maxBytes: times * maxBytes,
  };
}

const FIRST_EXTRA_PIPE = 3;

/** A text track to read: its stream index in the container, and ffmpeg's name of its codec. */
interface TextTrack {
  readonly index: number;
  readonly codec: string;
}

/** How much of one track is kept. */
type TrackLimits = Readonly<Record<'maxTrackCues' | 'maxTrackBytes', number>>;

/**
 * One cue: half-open milliseconds, and its text or why that cannot be read. `end` is `assumed` if its track states no duration.
 */
export type Cue = Range & CueText & { readonly end?: 'assumed' };

/** How long a cue without a duration is shown at most, if no other comes: the longest that guidelines let a subtitle stay. */
export const LONGEST_ASSUMED_MS = 7000;

/** One more output of the run that reads the tracks, for which the media need not be read twice. */
export interface OutputBeside {
  /** The options of ffmpeg, up to the name of its pipe. */
  readonly output: readonly string[];
  /** The most bytes that come through the pipe. */
  readonly maximumBytes: number;
  /** Reads the pipe to its end. */
  read(pipe: Readable): Promise<void>;
}

// Without `copyinkf` and `copypriorss`, packets at the beginning may be passed over.
const copied = (index: number): string[] => [
  ...['-map', `0:${index}`, '-c', 'copy', '-copyinkf', '-copypriorss', '1', '-flush_packets', '0'],
];

/**
 * The argument list that lists the packets of text tracks of an input, up to a time if one is given, and copies their bytes. A track has
 * two pipes, the first on standard output. The outputs beside them have the last pipes.
 */
function subtitleArguments(
  input: readonly string[],
  indexes: readonly number[],
  { endMs, beside }: { readonly endMs: number | null; readonly beside: readonly OutputBeside[] },
): string[] {
  const outputs = indexes.flatMap((index, at) => {
    const list = at === 0 ? 1 : FIRST_EXTRA_PIPE + 2 * at - 1;
    const data = FIRST_EXTRA_PIPE + 2 * at;
    return [...copied(index), '-f', 'framecrc', `pipe:${list}`, ...copied(index), '-f', 'data', `pipe:${data}`];
  });
  const upTo = [...(endMs === null ? [] : ['-to', `${endMs}ms`]), ...input];
  const next = FIRST_EXTRA_PIPE + 2 * indexes.length - 1;
  const further = beside.flatMap(({ output }, at) => [...output, `pipe:${next + at}`]);
  return ['-nostdin', '-nostats', '-v', 'error', ...MEDIA_GLOBAL_OPTIONS, ...upTo, ...outputs, ...further];
}

/** One input and its tracks, in the form of ffmpeg's arguments. */
interface TracksRequest {
  readonly input: readonly string[];
  /** At least one, at most `maxTracks`. */
  readonly tracks: readonly TextTrack[];
  readonly range: Range;
  readonly signal: AbortSignal;
  /** Called with the read part of the tracks, in ms. */
  readonly onRead?: (mediaMs: number) => void;
  /** Files of the private folder of ffmpeg. */
  readonly files?: ProcessRequest['files'];
  /** How much of one track is kept inside the range. */
  readonly limits?: TrackLimits;
  /** The times at which each track shows a passage by its own clock; absent if ffmpeg's times count. */
  readonly shownAt?: readonly ((passage: Range) => readonly Range[])[] | undefined;
  /** True for files in which a cue that ends when it begins is never shown. Tracks of media may lack durations. */
  readonly statesEnds?: boolean;
  readonly beside?: OutputBeside | undefined;
  /** False if styles and places do not matter. */
  readonly isStyled?: boolean;
}

/**
 * The cues of each track clipped to the range, in the order of the tracks, read in one run. Null for a track above a limit. Cues
 * count from the start of the input; those that show nothing are left out. Rejects with `ProcessFailure` or `DetectionFailure`.
 */
export async function readSubtitleTracks(
  deps: { readonly launcher: Launcher; readonly ffmpeg: ResolvedTool },
  {
    input,
    tracks,
    range,
    signal,
    onRead = () => undefined,
    files = [],
    limits = subtitleLimits(range),
    shownAt,
    statesEnds = false,
    beside,
    isStyled = true,
  }: TracksRequest,
): Promise<(ReadTrack | null)[]> {
  const scripts = tracks.map(({ codec }) => (isStyled ? scriptReaderOf(codec) : null));
  const outputs: OutputBeside[] = [
    ...(beside === undefined ? [] : [beside]),
    ...scripts.flatMap((found, at) => (found === null ? [] : [scriptOutput(tracks[at]?.index ?? 0, found)])),
  ];
  const running = await deps.launcher.start({
    tool: deps.ffmpeg.path,
    args: subtitleArguments(
      input,
      tracks.map(({ index }) => index),
      // A passage has to be read before its place in the film is known.
      { endMs: shownAt === undefined ? range.endMs : null, beside: outputs },
    ),
    limits: {
      ...LIMITS,
      stdoutBytes: Math.max(LIMITS.stdoutBytes, ...outputs.map(({ maximumBytes }) => maximumBytes)),
    },
    signal,
    files,
    extraPipes: 2 * tracks.length - 1 + outputs.length,
  });
  const pipes = [running.stdout, ...running.extra];
  const turns = new LoopTurns();
  let furthest = 0;
  const came = (mediaMs: number): void => {
    if (mediaMs <= furthest) return;
    furthest = Math.min(mediaMs, range.endMs);
    onRead(furthest);
  };
  const readers = tracks.map(({ codec }, at) => {
    const script = scripts[at]?.script ?? null;
    return new TrackReader(codec, { range, limits, turns, came, statesEnds, shownAt: shownAt?.[at], script });
  });
  const reading = readers.map((reader, at) => reader.read(pipes[2 * at], pipes[2 * at + 1]));
  const readingBeside = outputs.map(async (output, at) => {
    const pipe = pipes[2 * tracks.length + at];
    if (pipe !== undefined) await output.read(pipe);
  });
  await Promise.all([running.finished, ...reading, ...readingBeside]);
  came(range.endMs);
  return Promise.all(readers.map((reader) => reader.result()));
}

/** The output with the script of a track. */
const scriptOutput = (
  index: number,
  { script, format }: NonNullable<ReturnType<typeof scriptReaderOf>>,
): OutputBeside => ({
  output: [...copied(index), ...format],
  maximumBytes: LIMITS.stdoutBytes,
  async read(pipe) {
    for await (const chunk of pipe) script.add(chunk);
    script.end();
  },
});

/** The cues of one track inside the range; null if they exceed a limit. */
export interface ReadTrack {
  readonly cues: readonly Cue[];
  readonly bytes: number;
}

/**
 * The cues of all tracks of a range in the order of time. Null for a track that is null, or that those before it leave no room
 * for.
 */
export function withinAll(tracks: readonly (ReadTrack | null)[], range: Range): (Cue[] | null)[] {
  const { maxCues, maxBytes } = subtitleLimits(range);
  let room = { cues: maxCues, bytes: maxBytes };
  return tracks.map((track) => {
    if (track === null || track.cues.length > room.cues || track.bytes > room.bytes) return null;
    room = { cues: room.cues - track.cues.length, bytes: room.bytes - track.bytes };
    return track.cues.toSorted((one, other) => one.startMs - other.startMs);
  });
}

/** Lets one chunk of all tracks be looked at in each turn of the event loop, however many have come. */
class LoopTurns {
  #last: Promise<void> = Promise.resolve();

  next(): Promise<void> {
    this.#last = this.#last.then(() => setImmediate());
    return this.#last;
  }
}

interface ReaderOptions {
  readonly range: Range;
  readonly limits: TrackLimits;
  readonly turns: LoopTurns;
  readonly came: (mediaMs: number) => void;
  readonly statesEnds: boolean;
  readonly shownAt: ((passage: Range) => readonly Range[]) | undefined;
  /** Whole when its process has ended; null for a track without one. */
  readonly script: TrackScript | null;
}

/** A packet of a kept cue whose track has a script, and which of the packets of its time it is, counted from 0. */
interface ScriptedPacket extends SubtitlePacket {
  readonly nth: number;
}

/** How many cues are read again in one turn of the event loop. */
const CUES_OF_TURN = 128;

/** Reads one track while ffmpeg writes it, and keeps no more than a track may have inside the range. */
class TrackReader {
  readonly #codec: string;
  readonly #limits: TrackLimits;
  readonly #range: Range;
  readonly #turns: LoopTurns;
  readonly #came: (mediaMs: number) => void;
  readonly #statesEnds: boolean;
  readonly #joiner: PacketJoiner;
  readonly #script: TrackScript | null;
  /** Of a track with a script, the packet of each cue. */
  readonly #packets: ScriptedPacket[] = [];
  /** How many packets of each time came. */
  readonly #cameAt = new Map<string, number>();
  #cues: Cue[] = [];
  /** The cues without a duration that no later packet has ended yet: their places, and their common start. */
  #open: { readonly startMs: number; readonly places: number[] } | null = null;
  #bytes = 0;
  #isOver = false;
  #fault: unknown = null;

  constructor(codec: string, { range, limits, turns, came, statesEnds, shownAt, script }: ReaderOptions) {
    this.#joiner = new PacketJoiner((packet) => {
      if (shownAt === undefined) this.#keep(packet);
      else for (const shown of shownAt(packet)) this.#keep({ ...shown, bytes: packet.bytes });
    });
    this.#codec = codec;
    this.#limits = limits;
    this.#range = range;
    this.#turns = turns;
    this.#came = came;
    this.#statesEnds = statesEnds;
    this.#script = script;
  }

  /** Takes both pipes to their end, whatever they bring: a process whose output is not read never ends. */
  async read(list: Readable | undefined, data: Readable | undefined): Promise<void> {
    if (list === undefined || data === undefined) throw new RangeError('a text track has two pipes');
    await Promise.all([
      this.#eachChunk(list, (chunk) => this.#joiner.list(chunk)),
      this.#eachChunk(data, (chunk) => this.#joiner.data(chunk)),
    ]);
  }

  /** The result, when the process has ended well; null for too much. Throws `DetectionFailure`. */
  async result(): Promise<ReadTrack | null> {
    if (this.#fault !== null) throw this.#fault;
    if (this.#isOver) return null;
    this.#joiner.end();
    // The whole script is there only now.
    for (const [at, packet] of this.#packets.entries()) {
      if (at % CUES_OF_TURN === 0) await this.#turns.next();
      const cue = this.#cues[at];
      if (cue !== undefined)
        this.#cues[at] = { ...cue, ...cueTextOf(this.#codec, packet.bytes, this.#statedOf(packet)) };
    }
    // A cue without a duration may have ended before the range.
    return { cues: this.#cues.filter(({ startMs, endMs }) => startMs < endMs), bytes: this.#bytes };
  }

  #statedOf({ nth, ...span }: ScriptedPacket): StatedBeside {
    const script = this.#script;
    if (script === null) return {};
    return { styleNamed: (name) => script.styleNamed(name), settings: script.settingsOf(span, nth) };
  }

  async #eachChunk(pipe: Readable, take: (chunk: Buffer) => void): Promise<void> {
    for await (const chunk of pipe) {
      if (this.#fault !== null || this.#isOver) continue;
      await this.#turns.next();
      try {
        take(chunk);
      } catch (error) {
        this.#fault = error;
      }
    }
  }

  #keep(packet: SubtitlePacket): void {
    this.#came(packet.startMs);
    if (this.#isOver) return;
    this.#endOpen(packet.startMs);
    const nth = this.#nthOf(packet);
    const isOpen = !this.#statesEnds && packet.startMs === packet.endMs;
    const startMs = Math.max(packet.startMs, this.#range.startMs);
    const endMs = Math.min(isOpen ? packet.startMs + LONGEST_ASSUMED_MS : packet.endMs, this.#range.endMs);
    if (startMs >= endMs) return;
    const shown = cueTextOf(this.#codec, packet.bytes);
    if (shown.text === '') return;
    if (isOpen) {
      if (this.#open?.startMs !== packet.startMs) this.#open = { startMs: packet.startMs, places: [] };
      this.#open.places.push(this.#cues.length);
    }
    this.#cues.push({ startMs, endMs, ...shown, ...(isOpen && { end: 'assumed' }) });
    if (this.#script !== null) this.#packets.push({ ...packet, bytes: Buffer.from(packet.bytes), nth });
    this.#bytes += Math.min(packet.bytes.length, MAXIMUM_PACKET_BYTES);
    const { maxTrackCues, maxTrackBytes } = this.#limits;
    this.#isOver = this.#cues.length > maxTrackCues || this.#bytes > maxTrackBytes;
    if (this.#isOver) this.#cues = [];
  }

  #nthOf({ startMs, endMs }: SubtitlePacket): number {
    if (this.#script === null) return 0;
    const name = `${startMs} ${endMs}`;
    const nth = this.#cameAt.get(name) ?? 0;
    this.#cameAt.set(name, nth + 1);
    return nth;
  }

  /** A packet, whatever it shows, ends the cues before it that have no duration. */
  #endOpen(nextMs: number): void {
    if (this.#open === null || nextMs <= this.#open.startMs) return;
    for (const place of this.#open.places) {
      const cue = this.#cues[place];
      if (cue !== undefined) this.#cues[place] = { ...cue, endMs: Math.min(cue.endMs, nextMs) };
    }
    this.#open = null;
  }
}
