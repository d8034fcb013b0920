import { createHash } from 'node:crypto';
import { createSHA256 } from 'hash-wasm';
import { bytesOfFloats, floatsOfBytes } from '../../kinds/packed-numbers.ts';
import { type FoundSilences, findSilences, type OpenLevelState, SoundLevels } from '../../kinds/sound/silences.ts';
import type { FoundSpeech } from '../../kinds/sound/sound-result.ts';
import {
  BLOCK_SAMPLES,
  BYTES_PER_INSTANT,
  channelsApart,
  FRAME_SAMPLES,
  louder,
  MIX,
  modelGain,
  newBlock,
  SAMPLES_PER_MS,
  SIGNALS,
  type SignalBlock,
  samplesIn,
  signalOf,
} from '../../kinds/sound/sound-signals.ts';
import { STEP_SAMPLES } from '../../kinds/sound/speech-rule.ts';
import { type BoundaryModel, bandLevels, type SignalTrack } from './boundary-model.ts';
import { NoiseSuppressor, type SuppressorState } from './noise-suppressor.ts';
import type { FollowedSignal, MemoryState, SpeechModel } from './silero-vad.ts';
import { type BlockTracks, SpeechTrack, speechWindows, type TrackState } from './speech-track.ts';
import { steadinessOf } from './steadiness.ts';

/**
 * Begins a SHA-256 whose state can be kept, which that of Node cannot, or goes on from a kept state. Throws where the state is
 * of another version of the package.
 */
export async function resumableDigest(from: Uint8Array | null): Promise<SoundDigest> {
  const hash = await createSHA256();
  if (from === null) hash.init();
  else hash.load(new Uint8Array(from));
  return { update: (bytes) => hash.update(bytes), hex: () => hash.digest('hex'), save: () => hash.save() };
}

const FULL_SCALE = 32_768;
const FRAME_STEPS = FRAME_SAMPLES / STEP_SAMPLES;

interface MeasuredSound extends FoundSpeech {
  readonly samples: number;
  /** SHA-256 of the bytes of the mix. */
  readonly sha256: string;
  /** The channels that were measured beside the mix (places among the signals), and for how long. */
  readonly apart: { readonly channels: readonly number[]; readonly ms: number };
  readonly silences: FoundSilences;
}

/** The models that find speech. */
export interface SpeechModels {
  readonly speech: SpeechModel;
  readonly boundary: BoundaryModel;
}

/** One signal on its way to the speech model, which gets it without its noise. */
interface Followed {
  readonly signal: FollowedSignal;
  readonly suppressor: NoiseSuppressor;
}

/** A measurement as it is kept between two windows of a pass; its levels by the millisecond are kept beside it. */
interface SoundStreamState {
  readonly samples: number;
  readonly digest: Uint8Array;
  readonly track: TrackState;
  readonly openLevel: OpenLevelState;
  /** The received part of the open block, and the block before; one array for each signal. */
  readonly block: readonly Uint8Array[];
  readonly before: readonly Uint8Array[] | null;
  readonly followed: readonly (readonly [number, MemoryState, SuppressorState])[];
  readonly apart: readonly number[];
  readonly apartSamples: number;
}

/** The state that a measurement goes on from, and its stored form: then `levels` are those since the last one. */
export interface SavedStream {
  readonly state: SoundStreamState;
  readonly levels: Uint8Array;
}

/** The SHA-256 of a sound; only one of some digests can be kept. */
interface SoundDigest {
  update(bytes: Uint8Array): unknown;
  hex(): string;
  save?(): Uint8Array;
}

function usualDigest(): SoundDigest {
  const hash = createHash('sha256');
  return { update: (bytes) => hash.update(bytes), hex: () => hash.digest('hex') };
}

/**
 * Measures one sound (all signals at 16 kHz, s16le, interleaved) as its bytes arrive. It holds two blocks of samples, the tracks
 * of some seconds, and a byte for each millisecond and each step, however long the sound is.
 *
 * Speech is probable by the mix, or by any of the channels that have to be measured beside it.
 */
export class SoundStream {
  readonly #model: SpeechModel;
  readonly #track: SpeechTrack;
  readonly #levels: SoundLevels;
  readonly #digest: SoundDigest;
  #block: SignalBlock = newBlock(BLOCK_SAMPLES);
  #before: SignalBlock | null = null;
  #followed: ReadonlyMap<number, Followed> = new Map();
  #filled = 0;
  #samples = 0;
  readonly #apart = new Set<number>();
  #apartSamples = 0;
  #rest: Buffer = Buffer.alloc(0);

  /** Only a stream with a digest that can be kept can be kept itself. */
  constructor(
    { speech: model, boundary }: SpeechModels,
    digest: SoundDigest = usualDigest(),
    from: SavedStream | null = null,
  ) {
    this.#model = model;
    this.#digest = digest;
    this.#track = new SpeechTrack(boundary, from?.state.track);
    this.#levels = new SoundLevels(from === null ? null : { open: from.state.openLevel, levels: from.levels });
    if (from === null) return;
    const { samples, block, before, followed, apart, apartSamples } = from.state;
    this.#samples = samples;
    for (const [at, bytes] of block.entries()) signalOf(this.#block, at).set(floatsOfBytes(bytes));
    this.#filled = (block[MIX]?.length ?? 0) / Float32Array.BYTES_PER_ELEMENT;
    this.#before = before?.map(floatsOfBytes) ?? null;
    this.#followed = new Map(
      followed.map(([at, memory, state]) => [
        at,
        { signal: model.follow(memory), suppressor: new NoiseSuppressor(state) },
      ]),
    );
    for (const channel of apart) this.#apart.add(channel);
    this.#apartSamples = apartSamples;
  }

  /** How many samples of each signal came: those that were measured, and those of the block that is open. */
  get taken(): number {
    return this.#samples + this.#filled;
  }

  /** Nothing is written to it any more: another stream goes on from there. */
  save(): SavedStream {
    const digest = this.#digest.save?.();
    if (digest === undefined) throw new Error('a sound that was not opened to be kept');
    const { open, levels } = this.#levels.save();
    const state: SoundStreamState = {
      samples: this.#samples,
      digest,
      track: this.#track.save(),
      openLevel: open,
      block: this.#block.map((signal) => bytesOfFloats(signal.subarray(0, this.#filled))),
      before: this.#before?.map(bytesOfFloats) ?? null,
      followed: [...this.#followed].map(
        ([at, { signal, suppressor }]) => [at, signal.save(), suppressor.save()] as const,
      ),
      apart: [...this.#apart],
      apartSamples: this.#apartSamples,
    };
    return { state, levels };
  }

  /** Chunks may end inside a sample. To be awaited before the next call. */
  async write(chunk: Buffer): Promise<void> {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const whole = bytes.length - (bytes.length % BYTES_PER_INSTANT);
    const mix = new Int16Array(whole / BYTES_PER_INSTANT);
    for (let at = 0; at < whole; ) {
      const end = Math.min(whole, at + (BLOCK_SAMPLES - this.#filled) * BYTES_PER_INSTANT);
      separate(samplesIn(bytes.subarray(at, end)), this.#block, this.#filled, mix.subarray(at / BYTES_PER_INSTANT));
      this.#filled += (end - at) / BYTES_PER_INSTANT;
      at = end;
      if (this.#filled === BLOCK_SAMPLES) await this.#measure();
    }
    this.#digest.update(new Uint8Array(mix.buffer));
    this.#rest = bytes.subarray(whole);
  }

  /** A last frame that is not full is filled up with silence; windows end at the last real sample. */
  async finish(): Promise<MeasuredSound> {
    if (this.#filled > 0) await this.#measure();
    const levels = this.#levels.finish();
    return {
      samples: this.#samples,
      sha256: this.#digest.hex(),
      ...speechWindows(await this.#track.finish(this.#samples), this.#samples),
      apart: {
        channels: [...this.#apart].sort((one, other) => one - other),
        ms: Math.ceil(this.#apartSamples / SAMPLES_PER_MS),
      },
      silences: findSilences(levels),
    };
  }

  async #measure(): Promise<void> {
    const [block, samples] = [this.#block, this.#filled];
    for (const signal of block) signal.fill(0, samples);
    this.#levels.add(block, samples);
    const channels = channelsApart(block, samples);
    for (const channel of channels) this.#apart.add(channel);
    if (channels.length > 0) this.#apartSamples += samples;
    const { tracks, steadiness } = await this.#tracksOf([MIX, ...channels]);
    await this.#track.push(tracks, steadiness);
    this.#samples += samples;
    this.#filled = 0;
    this.#block = this.#before ?? newBlock(BLOCK_SAMPLES);
    this.#before = block;
  }

  /** The track of each of these signals through the block, and the steadiness of the least steady one. */
  async #tracksOf(signals: readonly number[]): Promise<{ tracks: BlockTracks; steadiness: Float32Array }> {
    const followed = new Map<number, Followed>();
    for (const signal of signals) followed.set(signal, this.#followed.get(signal) ?? (await this.#begin(signal)));
    const before = this.#before === null ? [] : [this.#before];
    const tracks = new Map<number, SignalTrack>();
    const steadiness = new Float32Array(BLOCK_SAMPLES / STEP_SAMPLES).fill(1);
    const clean = [...followed].map(([at, { signal, suppressor }]) => {
      const given = signalOf(this.#block, at);
      const gain = modelGain(given, ...before.map((block) => signalOf(block, at)));
      const { samples, spectra } = suppressor.next(given);
      const track = { levels: bandLevels(spectra), estimate: new Float32Array(spectra.length) };
      tracks.set(at, track);
      for (const [step, each] of steadinessOf(spectra).entries())
        steadiness[step] = Math.min(steadiness[step] ?? 0, each);
      return { signal, block: louder(samples, gain), estimate: track.estimate };
    });
    const probabilities = await this.#model.next(clean);
    for (const [at, { estimate }] of clean.entries()) {
      for (const [frame, probability] of probabilities[at]?.entries() ?? [])
        estimate.fill(probability, frame * FRAME_STEPS, (frame + 1) * FRAME_STEPS);
    }
    this.#followed = followed;
    return { tracks, steadiness };
  }

  /** The model has a memory: a channel that was not followed is followed through the block before first. */
  async #begin(at: number): Promise<Followed> {
    const followed = { signal: this.#model.follow(), suppressor: new NoiseSuppressor() };
    if (this.#before === null) return followed;
    const before = signalOf(this.#before, at);
    const block = louder(followed.suppressor.next(before).samples, modelGain(before));
    await this.#model.next([{ signal: followed.signal, block }]);
    return followed;
  }
}

/** Puts interleaved samples into a block from a place on, and those of the mix alone into `mix`. */
function separate(samples: Int16Array, block: SignalBlock, from: number, mix: Int16Array): void {
  for (const place of SIGNALS.keys()) {
    const signal = signalOf(block, place);
    for (let at = place, to = from; at < samples.length; at += SIGNALS.length, to += 1)
      signal[to] = (samples[at] ?? 0) / FULL_SCALE;
  }
  for (let at = MIX, to = 0; at < samples.length; at += SIGNALS.length, to += 1) mix[to] = samples[at] ?? 0;
}
