import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import { onAbort } from '../../formats/followed-signal.ts';
import { ChangingSound, DetectionFailure } from '../../kinds/detection-failure.ts';
import { Meters, meterStates } from '../../kinds/meters.ts';
import { type FrameMetadata, FrameMetadataReader, PictureStream } from '../../kinds/pictures/frames.ts';
import { packedBytes, SMALL_BYTES, type SmallPicture } from '../../kinds/pictures/small-picture.ts';
import type { SoundResult } from '../../kinds/sound/sound-result.ts';
import { BYTES_PER_INSTANT, SAMPLES_PER_MS } from '../../kinds/sound/sound-signals.ts';
import type { Detector, KeptSound, SoundJob } from '../detector/detector.ts';
import {
  type Launcher,
  MEMORY_BYTES,
  ProcessFailure,
  type ProcessLimits,
  type RunningProcess,
} from '../process/process.ts';
import type { ResolvedTool } from '../process/tools.ts';
import {
  bytePipes,
  type DecodeRequest,
  decodeArguments,
  EXTRA_PIPES,
  edgesOf,
  evenSound,
  loudnessFromOf,
  measurePipes,
  type SoundForm,
  seekPoints,
  type WindowEdges,
} from './decode-graph.ts';

/**
 * The measurements of a pass up to the end of a window. `pictures` counts those of its range, and the last of all is at `lastMs`.
 * `meters` has the states of the meters.
 */
export const passState = z.strictObject({
  sound: z.strictObject({ samples: z.number(), state: packedBytes, levels: packedBytes }).nullable(),
  pictures: z.number(),
  lastMs: z.number(),
  meters: meterStates,
});
type PassState = z.infer<typeof passState>;

/** The part of a range that is decoded at once: all of it, or one of several windows. */
export interface PassPart {
  readonly window: Range;
  /** The measurements before the window; null at the start of the range. */
  readonly from: PassState | null;
  readonly isLast: boolean;
}

/** The measurements of one pass, on the source's own time line. */
export interface PassMeasurements {
  /** Null without an audio track. */
  readonly sound: SoundResult | null;
  /** How many pictures lie in the range. */
  readonly pictures: number;
  /** The facts of a kind that is measured while a film is decoded. */
  facts(kind: string): readonly unknown[];
}

/** A reader of an extra pipe. */
type PipeReader = (chunk: Buffer) => void | Promise<void>;

/** All that measures what one ffmpeg writes. */
class PassMeters {
  readonly #request: DecodeRequest;
  readonly #part: PassPart;
  readonly #meters: Meters;
  readonly #stream: PictureStream;
  readonly #measures: ReadonlyMap<string, FrameMetadataReader>;
  #pictures: number;
  #lastMs: number;
  /** The time of the first picture. */
  #firstMs = Number.POSITIVE_INFINITY;

  constructor(request: DecodeRequest, part: PassPart, seekMs: number) {
    const { range, keep } = request;
    const { window, from, isLast } = part;
    this.#request = request;
    this.#part = part;
    this.#pictures = from?.pictures ?? 0;
    this.#lastMs = from?.lastMs ?? 0;
    const isWhole = from === null && isLast;
    const loudnessFromMs = loudnessFromOf(window, range);
    this.#meters = new Meters({ range, window, isWhole, seekMs, loudnessFromMs, keep }, from?.meters);
    this.#stream = new PictureStream(seekMs, (picture) => this.#picture(picture));
    this.#measures = new Map(
      measurePipes.map((name) => {
        const take = (frame: FrameMetadata): void =>
          name === 'times' ? this.#stream.addTime(frame) : this.#meters.frame(name, frame);
        return [name, new FrameMetadataReader(take)];
      }),
    );
  }

  /** The readers of the extra pipes, in their order. */
  get readers(): readonly PipeReader[] {
    return [
      ...[...this.#measures.values()].map(
        (reader): PipeReader =>
          (chunk) =>
            reader.push(chunk),
      ),
      ...bytePipes.map((name): PipeReader => {
        if (name === 'pixels') return (chunk) => this.#stream.write(chunk);
        if (name === 'ownRate' || name === 'peaks') return (chunk) => this.#meters.sound(name, chunk);
        return (chunk) => this.#meters.write(name, chunk);
      }),
    ];
  }

  /** True if pictures came from before the window on: only then none of it can be missing. */
  get beganBefore(): boolean {
    return this.#firstMs < this.#part.window.startMs;
  }

  /** The sound in all signals, in pieces of any size. */
  signals(chunk: Buffer): void {
    this.#meters.sound('signals', chunk);
  }

  /** The result of the range. Only a pass that ended well has written its last lines whole. */
  async end(job: SoundJob | null): Promise<PassMeasurements> {
    this.#endStreams();
    await this.#meters.end();
    const sound = job === null ? null : await job.result;
    return { sound, pictures: this.#pictures, facts: (kind) => this.#meters.facts(kind) };
  }

  /** The state that the next window goes on from, and the objects that its facts name. */
  async save(
    sound: KeptSound | null,
  ): Promise<{ readonly state: PassState; readonly named: ReturnType<Meters['named']> }> {
    this.#endStreams();
    const meters = await this.#meters.save();
    const state = { sound, pictures: this.#pictures, lastMs: this.#lastMs, meters };
    return { state, named: this.#meters.named() };
  }

  #endStreams(): void {
    for (const measure of this.#measures.values()) measure.end();
    this.#stream.end();
  }

  #picture(picture: SmallPicture): void {
    const { window, from, isLast } = this.#part;
    const { range, audioTrackIndex, decoded } = this.#request;
    const { atMs } = picture;
    this.#firstMs = Math.min(this.#firstMs, atMs);
    const isBefore = from !== null && atMs < window.startMs;
    if (isBefore || (!isLast && atMs >= window.endMs)) return;
    if (atMs >= range.startMs && atMs < range.endMs) this.#pictures += 1;
    this.#lastMs = atMs;
    this.#meters.picture(picture);
    // Sound counts most evenly; a range without it is counted by its pictures.
    if (audioTrackIndex === null) decoded?.(Math.max(0, atMs - range.startMs));
  }
}

export interface DecodePassDeps {
  readonly launcher: Launcher;
  readonly ffmpeg: ResolvedTool;
  readonly detector: Detector;
}

const MEBIBYTE = 1024 * 1024;

// No film has more; the limit only ends a decoder gone wild.
const MOST_PICTURES_PER_SECOND = 300;

// A pass takes a fraction of the decoded length on ordinary media; heavy pictures on a slow machine take a multiple.
const limitsFor = (decodedMs: number): ProcessLimits => ({
  wallMs: 120_000 + 4 * decodedMs,
  cpuSeconds: 240 + decodedMs / 125,
  fileSizeBytes: MEBIBYTE,
  stdoutBytes: 64 * MEBIBYTE + Math.max(160, (SMALL_BYTES * MOST_PICTURES_PER_SECOND) / 1000) * decodedMs,
  stderrBytes: 4 * MEBIBYTE,
  memoryBytes: MEMORY_BYTES.decode,
});

/** How a part ends that was decoded whole: what becomes of what was measured. */
type PartEnd<Value> = (meters: PassMeters, job: SoundJob | null) => Promise<Value>;

/** A part of a request. Each attempt measures it with meters of its own, so `part` is called once for each. */
interface DecodeWork<Value> {
  readonly request: DecodeRequest;
  readonly part: () => PassPart;
  readonly end: PartEnd<Value>;
}

/**
 * Decodes one part of a range and measures everything on the way; memory does not grow with its length. If the container cannot
 * be entered in the middle, it is decoded again from further before. Rejects with `ProcessFailure` or `DetectionFailure`, the
 * first reason, once nothing of the pass is left running.
 */
export async function decodePart<Value>(
  deps: DecodePassDeps,
  work: DecodeWork<Value>,
  signal: AbortSignal,
): Promise<Value> {
  const { request, part } = work;
  const { loudnessFromMs } = edgesAt(request, part());
  // Samples are counted from the start alone.
  const [first = 0, ...further] = request.countsSamples === true ? [0] : seekPoints(loudnessFromMs);
  let decoded = await decodeFrom(first, deps, work, signal);
  for (const seek of further) {
    if (request.videoTrackIndex === null || decoded.beganBefore || areOver(part())) break;
    decoded = await decodeFrom(seek, deps, work, signal);
  }
  return decoded.value;
}

// As far before a part as it is entered at most, but for the way from the start.
const LONGEST_LEAD_MS = 60_000;

/** True if pictures ended, or paused, so long before a part that none is missing there. */
const areOver = ({ window, from }: PassPart): boolean =>
  from !== null && window.startMs - from.lastMs > LONGEST_LEAD_MS;

interface Decoded<Value> {
  readonly value: Value;
  readonly beganBefore: boolean;
}

/** The edges at which a part adjoins those before and behind it. */
const edgesAt = ({ range }: DecodeRequest, { window, from, isLast }: PassPart): WindowEdges => ({
  loudnessFromMs: loudnessFromOf(window, range),
  picturesUntilMs: isLast ? edgesOf(window).picturesUntilMs : window.endMs,
  range,
  from: from?.meters ?? null,
});

// The message of ffmpeg's filters about sound whose decoder does not name its channels.
const NAMELESS_CHANNELS = 'Unknown channel layouts not supported';

/** The form in which sound that failed in its own can be measured; null where the failure has another reason. */
function otherForm(error: unknown): SoundForm | null {
  // It is brought into one form by a process of its own.
  if (error instanceof ChangingSound) return 'evened';
  return error instanceof ProcessFailure && error.stderr.includes(NAMELESS_CHANNELS) ? 'mono' : null;
}

/** Sound that cannot be measured in the form that it has is decoded once more, in another. */
async function decodeFrom<Value>(
  seek: number,
  deps: DecodePassDeps,
  work: DecodeWork<Value>,
  signal: AbortSignal,
): Promise<Decoded<Value>> {
  if (work.request.countsSamples === true) return decodeOnce(seek, deps, work, { form: 'evened', signal });
  try {
    return await decodeOnce(seek, deps, work, { form: 'kept', signal });
  } catch (error) {
    const form = otherForm(error);
    if (form === null) throw error;
    return decodeOnce(seek, deps, work, { form, signal });
  }
}

async function decodeOnce<Value>(
  seek: number,
  deps: DecodePassDeps,
  { request, part, end }: DecodeWork<Value>,
  { form, signal }: { readonly form: SoundForm; readonly signal: AbortSignal },
): Promise<Decoded<Value>> {
  const stop = new AbortController();
  const stopListening = onAbort(signal, () => stop.abort());
  const decoded = part();
  const { window, from, isLast } = decoded;
  const resumed = from === null && isLast ? undefined : { from: from?.sound ?? null };
  // Opened before ffmpeg starts, so that both processes come up together.
  const job = request.audioTrackIndex === null ? null : deps.detector.sound(stop.signal, resumed);
  const meters = new PassMeters(request, decoded, seek * 1000);
  const work: Promise<unknown>[] = [];
  try {
    const limits = limitsFor(window.endMs - seek * 1000);
    const over = { ...request, range: window };
    const running = await deps.launcher.start({
      tool: deps.ffmpeg.path,
      args: decodeArguments(over, seek, form, edgesAt(request, decoded)),
      limits,
      signal: stop.signal,
      stdin: form === 'evened' ? 'pipe' : 'ignore',
      extraPipes: EXTRA_PIPES,
    });
    if (running.stdin !== null) {
      work.push(evenSound(deps, { request: over, seek, limits, into: running.stdin, signal: stop.signal }));
    }
    work.push(
      running.finished,
      listen(running, job, request, decoded, meters),
      ...running.extra.map((pipe, at) => read(pipe, meters.readers[at])),
    );
    if (job !== null) work.push(isLast ? job.result : job.saved);
    await Promise.all(work);
    return { value: await end(meters, job), beganBefore: meters.beganBefore };
  } catch (error) {
    stop.abort();
    await Promise.allSettled(work);
    throw error;
  } finally {
    stopListening();
  }
}

const BYTES_PER_MS = SAMPLES_PER_MS * BYTES_PER_INSTANT;

async function listen(
  running: RunningProcess,
  job: SoundJob | null,
  { range, decoded }: DecodeRequest,
  { window, from, isLast }: PassPart,
  meters: PassMeters,
): Promise<void> {
  const take = async (chunk: Buffer): Promise<void> => {
    meters.signals(chunk);
    await job?.write(chunk);
  };
  let room = job === null ? 0 : (window.endMs - window.startMs) * BYTES_PER_MS;
  let isFirst = true;
  for await (const chunk of running.stdout) {
    room -= chunk.length;
    if (room < 0 && job === null) throw new DetectionFailure('ffmpeg decoded sound that was not asked for');
    // Only a graph that restarts counts further than to the end of the range.
    if (room < 0) throw new ChangingSound();
    if (isFirst) await fillGap((window.startMs - range.startMs) * SAMPLES_PER_MS - (from?.sound?.samples ?? 0), take);
    isFirst = false;
    await take(chunk);
    decoded?.(window.endMs - range.startMs - Math.ceil(room / BYTES_PER_MS));
  }
  // The sound of a pass that failed ends anywhere; the reason why is better than what it makes of the speech.
  await running.finished;
  if (isLast) await job?.end();
  else await job?.save();
}

const SILENT_INSTANTS = 4096;

/** Sound that ended before its window and goes on now: silence lies between, as ffmpeg fills a gap within a window. */
async function fillGap(instants: number, take: (chunk: Buffer) => Promise<void>): Promise<void> {
  for (let left = instants; left > 0; left -= SILENT_INSTANTS) {
    await take(Buffer.alloc(Math.min(left, SILENT_INSTANTS) * BYTES_PER_INSTANT));
  }
}

async function read(pipe: Readable, reader: PipeReader | undefined): Promise<void> {
  for await (const chunk of pipe) await reader?.(chunk);
}
