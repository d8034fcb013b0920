// The least that speech detection can cost: a process that loads the runtime and the model and follows one signal.
// Arguments: the file of the weights, and a file of four interleaved signals (s16le, 16 kHz), of which it reads the first.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

process.env.ORT_DISABLE_TELEMETRY = '1';
const { InferenceSession, Tensor } = createRequire(import.meta.url)('onnxruntime-node');
const [weights, sound] = process.argv.slice(2);
const samples = readFileSync(sound);
const session = await InferenceSession.create(readFileSync(weights), {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  logSeverityLevel: 3,
});

const context = 64;
const frame = 512;
const instant = 4 * 2;
const window = new Float32Array(context + frame);
const state = new Float32Array(2 * 128);
const feeds = {
  input: new Tensor('float32', window, [1, window.length]),
  state: new Tensor('float32', state, [2, 1, 128]),
  sr: new Tensor('int64', BigInt64Array.of(16_000n), []),
};
let loud = 0;
for (let at = 0; at + instant * frame <= samples.length; at += instant * frame) {
  window.copyWithin(0, frame);
  for (let n = 0; n < frame; n += 1) window[context + n] = samples.readInt16LE(at + instant * n) / 32_768;
  const { output, stateN } = await session.run(feeds);
  state.set(stateN.data);
  if (output.data[0] >= 0.5) loud += 1;
}
process.stdout.write(`${loud}\n`);
