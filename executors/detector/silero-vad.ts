import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { SPEECH_WEIGHTS_SHA256, speechWeightsFile } from './detector-models.ts';
import { FRAME_SAMPLES, SAMPLE_RATE } from './speech-segmenter.ts';

const CONTEXT_SAMPLES = 64;
const STATE_SHAPE = [2, 1, 128];

const require = createRequire(import.meta.url);
type Runtime = typeof import('onnxruntime-node');

/** The weights in memory, ready to follow any number of signals at once. */
export interface SpeechModel {
  follow(): SpeechProbabilities;
}

/** One signal: its recurrent state and the tail of the frame before. */
export interface SpeechProbabilities {
  /** The probability that the next 512 samples (-1 to 1) hold speech. The array is not kept. */
  next(frame: Float32Array): Promise<number>;
}

/** Loads the pinned weights; throws when the file holds anything else. */
export async function loadSpeechModel(): Promise<SpeechModel> {
  const weights = await readFile(speechWeightsFile());
  const found = createHash('sha256').update(weights).digest('hex');
  if (found !== SPEECH_WEIGHTS_SHA256) throw new Error('the speech weights are not the pinned ones');
  // The package is CommonJS; loading it by `require` spares the detector the analysis of its exports.
  const runtime: Runtime = require('onnxruntime-node');
  const session = await runtime.InferenceSession.create(weights, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    logSeverityLevel: 3,
  });
  return { follow: () => new Signal(runtime, session) };
}

class Signal implements SpeechProbabilities {
  readonly #session: InferenceSession;
  readonly #window = new Float32Array(CONTEXT_SAMPLES + FRAME_SAMPLES);
  readonly #state = new Float32Array(STATE_SHAPE.reduce((product, side) => product * side));
  readonly #feeds: Record<'input' | 'state' | 'sr', Tensor>;

  constructor(runtime: Runtime, session: InferenceSession) {
    this.#session = session;
    this.#feeds = {
      input: new runtime.Tensor('float32', this.#window, [1, this.#window.length]),
      state: new runtime.Tensor('float32', this.#state, STATE_SHAPE),
      sr: new runtime.Tensor('int64', BigInt64Array.of(BigInt(SAMPLE_RATE)), []),
    };
  }

  async next(frame: Float32Array): Promise<number> {
    this.#window.copyWithin(0, FRAME_SAMPLES);
    this.#window.set(frame, CONTEXT_SAMPLES);
    const { output, stateN } = await this.#session.run(this.#feeds);
    if (!(output?.data instanceof Float32Array && stateN?.data instanceof Float32Array)) {
      throw new Error('the speech model answers in an unknown form');
    }
    const [probability = Number.NaN] = output.data;
    this.#state.set(stateN.data);
    output.dispose();
    stateN.dispose();
    if (!(probability >= 0 && probability <= 1)) throw new Error('the speech model gave no probability');
    return probability;
  }
}
