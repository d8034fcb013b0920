import type { Tensor } from 'onnxruntime-node';
import { type LoadedModel, loadPinnedModel, SPEECH_WEIGHTS_SHA256, speechWeightsFile } from './detector-models.ts';
import { bytesOfFloats, floatsOfBytes } from './packed-state.ts';
import { FRAME_SAMPLES, SAMPLE_RATE } from './sound-signals.ts';

const CONTEXT_SAMPLES = 64;

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
   * The probability that the next 512 samples (-1 to 1) of each signal hold speech. Signals in one call take less time than one
   * after the other, and have the same probabilities. The arrays are not kept. To be awaited before the next call.
   */
  next(asked: readonly AskedFrame[]): Promise<readonly number[]>;
}

/** One signal: its recurrent state and the tail of the frame before. */
export interface FollowedSignal {
  save(): MemoryState;
}

interface AskedFrame {
  readonly signal: FollowedSignal;
  readonly frame: Float32Array;
}

/** Loads the pinned weights; throws when their file holds anything else. */
export const loadSpeechModel = async (): Promise<SpeechModel> =>
  new SileroModel(await loadPinnedModel(speechWeightsFile(), SPEECH_WEIGHTS_SHA256));

const WINDOW_SAMPLES = CONTEXT_SAMPLES + FRAME_SAMPLES;
const STATE_LAYERS = 2;
const STATE_UNITS = 128;

class Signal implements FollowedSignal {
  readonly window = new Float32Array(WINDOW_SAMPLES);
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

/** The input of the model for several signals; their states lie beside each other in each layer. */
interface Feeds {
  readonly input: Float32Array;
  readonly state: Float32Array;
  readonly tensors: Record<'input' | 'state' | 'sr', Tensor>;
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

  async next(asked: readonly AskedFrame[]): Promise<readonly number[]> {
    const { input, state, tensors } = this.#feedsOf(asked.length);
    const signals = asked.map(({ signal }) => {
      if (signal instanceof Signal) return signal;
      throw new TypeError('a signal of another model');
    });
    for (const [at, { window, state: own }] of signals.entries()) {
      window.copyWithin(0, FRAME_SAMPLES);
      window.set(asked[at]?.frame ?? [], CONTEXT_SAMPLES);
      input.set(window, at * WINDOW_SAMPLES);
      for (let layer = 0; layer < STATE_LAYERS; layer += 1)
        state.set(unitsOf(own, layer, 0, 1), (layer * signals.length + at) * STATE_UNITS);
    }
    const { output, stateN } = await this.#loaded.session.run(tensors);
    if (!(output?.data instanceof Float32Array && stateN?.data instanceof Float32Array)) {
      throw new Error('the speech model answers in an unknown form');
    }
    for (const [at, { state: own }] of signals.entries()) {
      for (let layer = 0; layer < STATE_LAYERS; layer += 1)
        own.set(unitsOf(stateN.data, layer, at, signals.length), layer * STATE_UNITS);
    }
    const probabilities = [...output.data];
    output.dispose();
    stateN.dispose();
    const areAll = probabilities.length === signals.length && probabilities.every((each) => each >= 0 && each <= 1);
    if (!areAll) throw new Error('the speech model gave no probability');
    return probabilities;
  }

  #feedsOf(signals: number): Feeds {
    const known = this.#feeds.get(signals);
    if (known !== undefined) return known;
    const { Tensor: Fed } = this.#loaded.runtime;
    const input = new Float32Array(signals * WINDOW_SAMPLES);
    const state = new Float32Array(STATE_LAYERS * signals * STATE_UNITS);
    const tensors = {
      input: new Fed('float32', input, [signals, WINDOW_SAMPLES]),
      state: new Fed('float32', state, [STATE_LAYERS, signals, STATE_UNITS]),
      sr: new Fed('int64', BigInt64Array.of(BigInt(SAMPLE_RATE)), []),
    };
    const feeds = { input, state, tensors };
    this.#feeds.set(signals, feeds);
    return feeds;
  }
}

/** The units of one layer that belong to one of several signals. */
function unitsOf(state: Float32Array, layer: number, signal: number, signals: number): Float32Array {
  const from = (layer * signals + signal) * STATE_UNITS;
  return state.subarray(from, from + STATE_UNITS);
}
