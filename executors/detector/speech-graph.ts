import { FRAME_SAMPLES } from '../../kinds/sound/sound-signals.ts';
import { bytesOfIntegers, type ModelGraph, type ModelNode, modelOf, type NamedTensor, tensorsOf } from './onnx-form.ts';

/** How many samples before a frame the model sees. */
export const CONTEXT_SAMPLES = 64;

/** How many numbers the memory of the model for a signal has, and how many such arrays: the output and the cell of its LSTM. */
export const STATE_UNITS = 128;
export const STATE_LAYERS = 2;

// The spectrum of a frame: four transforms of 256 samples, 128 samples apart. The frame is mirrored behind its end.
const TRANSFORM_SAMPLES = 256;
const HOP_SAMPLES = 128;
const BINS = TRANSFORM_SAMPLES / 2 + 1;
const TRANSFORMS = 4;
const MIRRORED_SAMPLES = 64;

/** A frame as the model gets it: the samples before it, it, and the mirrored ones. */
export const WINDOW_SAMPLES = CONTEXT_SAMPLES + FRAME_SAMPLES + MIRRORED_SAMPLES;

/**
 * So many windows lie one behind the other in a row, and a row ends with `ROW_END_SAMPLES` of silence. Then one product of matrices
 * has the spectra of all of them. The transform between two windows is dropped. Longer rows would be added up in another order.
 */
export const ROW_WINDOWS = 8;
export const ROW_SAMPLES = ROW_WINDOWS * WINDOW_SAMPLES + TRANSFORM_SAMPLES - HOP_SAMPLES;
const ROW_TRANSFORMS = TRANSFORMS + 1;

/**
 * Arranges the pinned speech model for blocks: the weights and the operations are the same, and so is every probability, to the last
 * bit. The model as it is published answers for one frame at a time, and asks itself for the shape of its input each time.
 * This one takes any number of frames of any number of signals. Only its LSTM goes from frame to frame.
 *
 * Input `windows`: rows × 1 × `ROW_SAMPLES`. The windows are those of the first frame of every signal, then those of the second.
 * Input `shape`: frames, signals, `STATE_UNITS`. Inputs and outputs `hidden` and `cell`: 1 × signals × `STATE_UNITS`.
 * Output `probability`: one for each window, in their order. Throws `RangeError` on other weights.
 */
export function byBlocks(weights: Uint8Array): Uint8Array {
  const known = tensorsOf(weights);
  const tensors: NamedTensor[] = [];
  const nodes: ModelNode[] = [];
  const add = (operation: string, inputs: readonly string[], attributes: ModelNode['attributes'] = {}): string => {
    const output = `${operation}_${nodes.length}`;
    nodes.push({ operation, inputs, outputs: [output], attributes });
    return output;
  };
  const bytesNamed = (name: string): Uint8Array => {
    const tensor = known.get(name);
    if (tensor === undefined) throw new RangeError(`a speech model without ${name}`);
    return tensor.bytes;
  };
  const float = (name: string, dimensions: readonly number[], bytes: Uint8Array): string => {
    tensors.push({ name, element: 'float32', dimensions, bytes });
    return name;
  };
  const weight = (name: string): string => float(name, known.get(name)?.dimensions ?? [], bytesNamed(name));
  const integers = (...numbers: readonly number[]): string => {
    const name = `integers_${tensors.length}`;
    tensors.push({ name, element: 'int64', dimensions: [numbers.length], bytes: bytesOfIntegers(...numbers) });
    return name;
  };
  const conv = (input: string, weights: readonly string[], kernel: number, stride: number, pad: number): string =>
    add('Conv', [input, ...weights.map(weight)], { kernel_shape: [kernel], strides: [stride], pads: [pad, pad] });
  const slice = (input: string, axis: number, from: number, to: number): string =>
    add('Slice', [input, integers(from), integers(to), integers(axis)]);
  const reshape = (input: string, ...shape: readonly number[]): string => add('Reshape', [input, integers(...shape)]);

  const transforms = conv('windows', ['model.stft.forward_basis_buffer'], TRANSFORM_SAMPLES, HOP_SAMPLES, 0);
  const apart = slice(reshape(transforms, 0, 2 * BINS, ROW_WINDOWS, ROW_TRANSFORMS), 3, 0, TRANSFORMS);
  const spectra = reshape(add('Transpose', [apart], { perm: [0, 2, 1, 3] }), -1, 2 * BINS, TRANSFORMS);
  const two = float('two', [], new Uint8Array(Float32Array.of(2).buffer));
  const [real, imaginary] = [slice(spectra, 1, 0, BINS), slice(spectra, 1, BINS, 2 * BINS)].map((part) =>
    add('Pow', [part, two]),
  );
  let encoded = add('Sqrt', [add('Add', [real ?? '', imaginary ?? ''])]);
  for (const [layer, stride] of [1, 2, 2, 1].entries()) {
    const named = ['weight', 'bias'].map((part) => `model.encoder.${layer}.reparam_conv.${part}`);
    encoded = add('Relu', [conv(encoded, named, 3, stride, 1)]);
  }
  const gates = (name: string): Uint8Array => inOrderOfFormat(bytesNamed(`model.decoder.rnn.${name}`));
  const heard = `LSTM_${nodes.length}`;
  nodes.push({
    operation: 'LSTM',
    inputs: [
      add('Reshape', [encoded, 'shape']),
      float('W', [1, 4 * STATE_UNITS, STATE_UNITS], gates('weight_ih')),
      float('R', [1, 4 * STATE_UNITS, STATE_UNITS], gates('weight_hh')),
      float('B', [1, 8 * STATE_UNITS], Buffer.concat([gates('bias_ih'), gates('bias_hh')])),
      ...['', 'hidden', 'cell'],
    ],
    outputs: [heard, 'hiddenNext', 'cellNext'],
    attributes: { hidden_size: STATE_UNITS },
  });
  const decoded = add('Relu', [reshape(heard, -1, STATE_UNITS, 1)]);
  const odds = conv(decoded, ['model.decoder.decoder.2.weight', 'model.decoder.decoder.2.bias'], 1, 1, 0);
  nodes.push({ operation: 'Sigmoid', inputs: [odds], outputs: ['probability'] });
  return modelOf({ operatorSet: 15, nodes, tensors, ...values });
}

const memory = (name: string) =>
  ({ name, element: 'float32', dimensions: [1, 'signals', STATE_UNITS] }) satisfies ModelGraph['inputs'][number];

const values: Pick<ModelGraph, 'inputs' | 'outputs'> = {
  inputs: [
    { name: 'windows', element: 'float32', dimensions: ['rows', 1, ROW_SAMPLES] },
    { name: 'shape', element: 'int64', dimensions: [3] },
    memory('hidden'),
    memory('cell'),
  ],
  outputs: [
    { name: 'probability', element: 'float32', dimensions: ['frames', 1, 1] },
    memory('hiddenNext'),
    memory('cellNext'),
  ],
};

/** The gates of an LSTM lie in the order input, forget, cell, output in these weights, and input, output, forget, cell in ONNX. */
function inOrderOfFormat(bytes: Uint8Array): Uint8Array {
  const part = bytes.length / 4;
  return Buffer.concat([0, 3, 1, 2].map((gate) => bytes.subarray(gate * part, (gate + 1) * part)));
}
