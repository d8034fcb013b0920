import type { Tensor } from 'onnxruntime-node';
import { bytesOfFloats, floatsOfBytes } from '../../kinds/packed-numbers.ts';
import { BLOCK_SAMPLES, FRAME_SAMPLES } from '../../kinds/sound/sound-signals.ts';
import { type LoadedModel, loadPinnedModel, SPEECH_MODEL_SHA256, speechModelFile } from './detector-models.ts';

/** How many samples before a frame the model sees. */
const CONTEXT_SAMPLES = 64;

/** How many numbers the memory of the model for a signal has, and how many such arrays: the output and the cell of its LSTM. */
export const STATE_UNITS = 128;
const STATE_LAYERS = 2;

// The spectrum of a frame: four transforms of 256 samples, 128 samples apart. The frame is mirrored behind its end.
export const TRANSFORM_SAMPLES = 256;
export const HOP_SAMPLES = 128;
const MIRRORED_SAMPLES = 64;

/** A frame as the model gets it: the samples before it, it, and the mirrored ones. */
const WINDOW_SAMPLES = CONTEXT_SAMPLES + FRAME_SAMPLES + MIRRORED_SAMPLES;

/**
 * So many windows lie one behind the other in a row, and a row ends with silence. Then one product of matrices has the spectra of all
 * of them. The transform between two windows is dropped. Longer rows would be added up in another order.
 */
export const ROW_WINDOWS = 8;
export const ROW_SAMPLES = ROW_WINDOWS * WINDOW_SAMPLES + TRANSFORM_SAMPLES - HOP_SAMPLES;

/** The memory of the model for one signal, in its form between two windows of a pass. */
export interface MemoryState {
  readonly window: Uint8Array;
  readonly state: Uint8Array;
}

/** The weights in memory, ready to follow any number of signals at once. */
export interface SpeechModel {
  /** Begins with a signal, or goes on with one. */
  follow(from?: MemoryState): FollowedSignal;
  /**
   * The probability that each frame of the next block of each signal (-1 to 1) holds speech. Signals in one call take less time
   * than one after the other, and have the same probabilities. The arrays are not kept. To be awaited before the next call.
   */
  next(asked: readonly AskedBlock[]): Promise<readonly Float32Array[]>;
}

/** One signal: its recurrent state and the tail of the frame before. */
export interface FollowedSignal {
  save(): MemoryState;
}

interface AskedBlock {
  readonly signal: FollowedSignal;
  readonly block: Float32Array;
}

/** Loads the pinned model; throws when its file holds anything else. */
export const loadSpeechModel = async (): Promise<SpeechModel> =>
  new SileroModel(await loadPinnedModel(speechModelFile, SPEECH_MODEL_SHA256));

const BLOCK_FRAMES = BLOCK_SAMPLES / FRAME_SAMPLES;
const SEEN_SAMPLES = CONTEXT_SAMPLES + FRAME_SAMPLES;

class Signal implements FollowedSignal {
  /** The last frame, and the samples before it. */
  readonly window = new Float32Array(SEEN_SAMPLES);
  readonly state = new Float32Array(STATE_LAYERS * STATE_UNITS);

  constructor(from?: MemoryState) {
    if (from === undefined) return;
    this.window.set(floatsOfBytes(from.window));
    this.state.set(floatsOfBytes(from.state));
  }

  save(): MemoryState {
    return { window: bytesOfFloats(this.window), state: bytesOfFloats(this.state) };
  }
}

/** The input and the output of the model for several signals; their states lie beside each other. */
interface Feeds {
  readonly windows: Float32Array;
  readonly layers: readonly Float32Array[];
  readonly tensors: Readonly<Record<'windows' | 'shape' | 'hidden' | 'cell', Tensor>>;
  readonly probability: Float32Array;
  readonly layersNext: readonly Float32Array[];
  readonly fetches: Readonly<Record<'probability' | 'hiddenNext' | 'cellNext', Tensor>>;
}

class SileroModel implements SpeechModel {
  readonly #loaded: LoadedModel;
  /** By how many signals. */
  readonly #feeds = new Map<number, Feeds>();

  constructor(loaded: LoadedModel) {
    this.#loaded = loaded;
  }

  follow(from?: MemoryState): FollowedSignal {
    return new Signal(from);
  }

  async next(asked: readonly AskedBlock[]): Promise<readonly Float32Array[]> {
    const { windows, layers, tensors, probability, layersNext, fetches } = this.#feedsOf(asked.length);
    const followed = asked.map(({ signal, block }) => {
      if (!(signal instanceof Signal)) throw new TypeError('a signal of another model');
      if (block.length !== BLOCK_SAMPLES) throw new RangeError('the speech model takes whole blocks');
      return { block, window: signal.window, state: signal.state };
    });
    for (const [at, { block, window, state }] of followed.entries()) {
      for (let frame = 0; frame < BLOCK_FRAMES; frame += 1) {
        window.copyWithin(0, FRAME_SAMPLES);
        window.set(block.subarray(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES), CONTEXT_SAMPLES);
        const place = frame * followed.length + at;
        const row = Math.floor(place / ROW_WINDOWS);
        const from = row * ROW_SAMPLES + (place % ROW_WINDOWS) * WINDOW_SAMPLES;
        windows.set(window, from);
        for (let behind = 0; behind < WINDOW_SAMPLES - SEEN_SAMPLES; behind += 1)
          windows[from + SEEN_SAMPLES + behind] = window[SEEN_SAMPLES - 2 - behind] ?? 0;
      }
      for (const [layer, units] of layers.entries())
        units.set(state.subarray(layer * STATE_UNITS, (layer + 1) * STATE_UNITS), at * STATE_UNITS);
    }
    await this.#loaded.session.run(tensors, fetches);
    for (const [at, { state }] of followed.entries()) {
      for (const [layer, units] of layersNext.entries())
        state.set(units.subarray(at * STATE_UNITS, (at + 1) * STATE_UNITS), layer * STATE_UNITS);
    }
    if (!probability.every((each) => each >= 0 && each <= 1)) throw new Error('the speech model gave no probability');
    return followed.map((_, at) =>
      Float32Array.from({ length: BLOCK_FRAMES }, (_none, frame) => probability[frame * followed.length + at] ?? 0),
    );
  }

  #feedsOf(signals: number): Feeds {
    const known = this.#feeds.get(signals);
    if (known !== undefined) return known;
    const { Tensor: Fed } = this.#loaded.runtime;
    const frames = BLOCK_FRAMES * signals;
    const rows = frames / ROW_WINDOWS;
    const windows = new Float32Array(rows * ROW_SAMPLES);
    const probability = new Float32Array(frames);
    const units = () => new Float32Array(signals * STATE_UNITS);
    const [hidden, cell, hiddenNext, cellNext] = [units(), units(), units(), units()];
    const memory = (of: Float32Array) => new Fed('float32', of, [1, signals, STATE_UNITS]);
    const shape = BigInt64Array.of(BigInt(BLOCK_FRAMES), BigInt(signals), BigInt(STATE_UNITS));
    const feeds: Feeds = {
      windows,
      layers: [hidden, cell],
      tensors: {
        windows: new Fed('float32', windows, [rows, 1, ROW_SAMPLES]),
        shape: new Fed('int64', shape, [3]),
        hidden: memory(hidden),
        cell: memory(cell),
      },
      probability,
      layersNext: [hiddenNext, cellNext],
      fetches: {
        probability: new Fed('float32', probability, [frames, 1, 1]),
        hiddenNext: memory(hiddenNext),
        cellNext: memory(cellNext),
      },
    };
    this.#feeds.set(signals, feeds);
    return feeds;
  }
}
