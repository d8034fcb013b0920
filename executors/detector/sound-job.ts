import { DetectionFailure } from './detection-failure.ts';
import type { DetectorTask } from './detector-task.ts';
import { packState, unpackState } from './packed-state.ts';
import type { FoundSilences } from './silences.ts';
import { BYTES_PER_INSTANT, SAMPLES_PER_MS, type SampleSpan, SIGNALS } from './sound-signals.ts';
import type { SavedStream } from './sound-stream.ts';

export interface SoundResult {
  /** How many samples each signal had, and the content id of the s16le bytes of the mix. */
  readonly samples: number;
  readonly contentId: string;
  /** Windows of speech in samples from the first one: ordered and disjoint. */
  readonly speech: readonly SampleSpan[];
  /** The names of the channels that were measured beside the mix, and for how many milliseconds. */
  readonly apart: { readonly channels: readonly string[]; readonly ms: number };
  readonly silences: FoundSilences;
}

/** A sound being measured while it is decoded. */
export interface SoundJob {
  /** Takes all signals (s16le at 16 kHz, interleaved); resolves when there is room for more. What comes after a failure is dropped. */
  write(chunk: Uint8Array): Promise<void>;
  /** Says that nothing more comes. */
  end(): Promise<SoundResult>;
  /** Ends a job that was opened to be kept before the sound has ended: what another goes on from. */
  save(): Promise<KeptSound>;
  /** What `save` resolves with; as of `result`. */
  readonly saved: Promise<KeptSound>;
  /** What `end` resolves with; rejects as soon as the job has failed. May be left unobserved. */
  readonly result: Promise<SoundResult>;
}

/** A sound that was measured up to some sample, and what the measurement goes on from. */
export interface KeptSound {
  readonly samples: number;
  /** For the detector process alone. */
  readonly state: Uint8Array;
  /** The levels by the millisecond, from the beginning. */
  readonly levels: Uint8Array;
}

/** What a job goes on from; null for the beginning of a sound. */
export interface GoesOn {
  readonly from: KeptSound | null;
}

// Half a minute of sound: about what a decoder gets through while the process starts and loads its model.
const QUEUE_BYTES = 4 * 1024 * 1024;

export class DetectorSoundJob implements SoundJob {
  readonly result: Promise<SoundResult>;
  readonly saved: Promise<KeptSound>;
  readonly #task: DetectorTask;
  readonly #before: KeptSound | null;
  #tail: Promise<void>;
  #queued = 0;
  #written = 0;

  constructor(task: DetectorTask, goesOn?: GoesOn) {
    this.#task = task;
    this.#before = goesOn?.from ?? null;
    this.#written = (this.#before?.samples ?? 0) * BYTES_PER_INSTANT;
    const opened = goesOn === undefined ? task.send('open') : task.send('resume', this.#packed());
    this.#tail = opened.catch(() => {});
    this.result = this.#finish();
    this.result.catch(() => {});
    this.saved = this.#kept();
    this.saved.catch(() => {});
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#queued += chunk.length;
    this.#written += chunk.length;
    this.#append(async () => {
      await this.#task.send('audio', chunk);
      this.#queued -= chunk.length;
    });
    if (this.#queued > QUEUE_BYTES) await Promise.race([this.#tail, this.#task.answer]);
  }

  end(): Promise<SoundResult> {
    this.#append(() => this.#task.send('end'));
    return this.result;
  }

  save(): Promise<KeptSound> {
    this.#append(() => this.#task.send('save'));
    return this.saved;
  }

  async #kept(): Promise<KeptSound> {
    const answer = await this.#task.answer;
    if (answer.type !== 'saved' || answer.samples * BYTES_PER_INSTANT !== this.#written) throw odd();
    const { state, levels } = unpackState(answer.payload) as SavedStream;
    const earlier = this.#before?.levels ?? Buffer.alloc(0);
    return { samples: answer.samples, state: packState(state), levels: Buffer.concat([earlier, levels]) };
  }

  #packed(): Uint8Array {
    if (this.#before === null) return Buffer.alloc(0);
    const { state, levels } = this.#before;
    return packState({ state: unpackState(state), levels });
  }

  // A message that cannot be sent means that the process is lost, which the answer says.
  #append(send: () => Promise<void>): void {
    this.#tail = this.#tail.then(send).catch(() => {});
  }

  async #finish(): Promise<SoundResult> {
    const answer = await this.#task.answer;
    if (answer.type !== 'sound' || answer.samples * BYTES_PER_INSTANT !== this.#written) throw odd();
    const { samples, sha256, apart, silences } = answer;
    return {
      samples,
      contentId: `sha256:${sha256}`,
      speech: ordered(answer.speech, samples).map(([start, end]) => ({ start, end })),
      apart: { channels: apart.channels.map((at) => SIGNALS[at] ?? ''), ms: apart.ms },
      silences: { ...silences, spans: ordered(silences.spans, samples / SAMPLES_PER_MS) },
    };
  }
}

type Span = readonly [number, number];

function ordered(spans: readonly Span[], end: number): readonly Span[] {
  let covered = 0;
  for (const [from, to] of spans) {
    if (from < covered || to <= from || to > end) throw odd();
    covered = to;
  }
  return spans;
}

const odd = () => new DetectionFailure('the detector process measured something else than it was given');
