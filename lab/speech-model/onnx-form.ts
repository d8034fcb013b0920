/** An array of numbers in a model: its dimensions, and its values as little-endian bytes. */
interface ModelTensor {
  readonly dimensions: readonly number[];
  readonly bytes: Uint8Array;
}

/** The types of elements that are written, by their number in the format. */
const ELEMENTS = { float32: 1, int64: 7 } as const;
type Element = keyof typeof ELEMENTS;

/** A tensor with its name and the type of its elements. */
export interface NamedTensor extends ModelTensor {
  readonly name: string;
  readonly element: Element;
}

/** One operation; `attributes` are whole numbers, lists of them, or words. */
export interface ModelNode {
  readonly operation: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, number | readonly number[] | string>>;
}

/** An input or an output of a model. A dimension with a name has any size. */
interface ModelValue {
  readonly name: string;
  readonly element: Element;
  readonly dimensions: readonly (number | string)[];
}

/** A model with its operations in the order in which they run. */
export interface ModelGraph {
  readonly operatorSet: number;
  readonly nodes: readonly ModelNode[];
  readonly tensors: readonly NamedTensor[];
  readonly inputs: readonly ModelValue[];
  readonly outputs: readonly ModelValue[];
}

// The numbers of the fields in onnx.proto. Files are messages of protobuf: fields with a number, and a varint or bytes as value.
const MODEL = { formatVersion: 1, graph: 7, operatorSets: 8 } as const;
const GRAPH = { node: 1, name: 2, tensor: 5, input: 11, output: 12 } as const;
const NODE = { input: 1, output: 2, operation: 4, attribute: 5 } as const;
const ATTRIBUTE = { name: 1, integer: 3, text: 4, integers: 8, type: 20 } as const;
const ATTRIBUTE_TYPES = { integer: 2, text: 3, integers: 7 } as const;
const TENSOR = { dimension: 1, element: 2, name: 8, bytes: 9 } as const;
const FORMAT_VERSION = 8;

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;

type Field = readonly [number: number, value: number | Uint8Array];

/** The fields of a message. Throws `RangeError` if it is cut. */
function* fieldsOf(message: Uint8Array): Generator<Field> {
  let at = 0;
  const byte = (): number => {
    const value = message[at++];
    if (value === undefined) throw new RangeError('a cut model');
    return value;
  };
  // Larger numbers than 2^53 lose their last bits: none of them is read.
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const next = byte();
      value += (next & 127) * factor;
      if (next < 128) return value;
    }
  };
  const bytes = (length: number): Uint8Array => {
    if (at + length > message.length) throw new RangeError('a cut model');
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const key = varint();
    const form = key % 8;
    const number = (key - form) / 8;
    if (form === VARINT) yield [number, varint()];
    else if (form === BYTES) yield [number, bytes(varint())];
    else if (form === FIXED_64 || form === FIXED_32) yield [number, bytes(form === FIXED_64 ? 8 : 4)];
    else throw new RangeError('a model of an unknown form');
  }
}

/** The tensors that a model holds, by their names. Throws `RangeError` on other bytes than those of a model. */
export function tensorsOf(model: Uint8Array): ReadonlyMap<string, ModelTensor> {
  const found = new Map<string, ModelTensor>();
  for (const graph of messagesOf(model, MODEL.graph)) {
    for (const tensor of messagesOf(graph, GRAPH.tensor)) {
      const [name = new Uint8Array()] = messagesOf(tensor, TENSOR.name);
      const [bytes = new Uint8Array()] = messagesOf(tensor, TENSOR.bytes);
      const dimensions: number[] = [];
      for (const [number, value] of fieldsOf(tensor))
        if (number === TENSOR.dimension && typeof value === 'number') dimensions.push(value);
      found.set(Buffer.from(name).toString('utf8'), { dimensions, bytes });
    }
  }
  return found;
}

function messagesOf(message: Uint8Array, wanted: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (const [number, value] of fieldsOf(message))
    if (number === wanted && typeof value !== 'number') found.push(value);
  return found;
}

/** The bytes of a model that ONNX runtimes load. */
export function modelOf({ operatorSet, nodes, tensors, inputs, outputs }: ModelGraph): Uint8Array {
  const graph = message(
    ...nodes.map((node): Field => [GRAPH.node, nodeMessage(node)]),
    [GRAPH.name, text('graph')],
    ...tensors.map((tensor): Field => [GRAPH.tensor, tensorMessage(tensor)]),
    ...inputs.map((value): Field => [GRAPH.input, valueMessage(value)]),
    ...outputs.map((value): Field => [GRAPH.output, valueMessage(value)]),
  );
  const operators = message([1, text('')], [2, operatorSet]);
  return message([MODEL.formatVersion, FORMAT_VERSION], [MODEL.graph, graph], [MODEL.operatorSets, operators]);
}

/** Whole numbers as the values of a tensor. */
export const bytesOfIntegers = (...numbers: readonly number[]): Uint8Array =>
  new Uint8Array(BigInt64Array.from(numbers, BigInt).buffer);

const text = (value: string): Uint8Array => Buffer.from(value, 'utf8');

function varintOf(value: number): Uint8Array {
  // A negative number has all ten bytes of 64 bits.
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, BigInt(value));
  for (; left >= 128n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
  bytes.push(Number(left));
  return Uint8Array.from(bytes);
}

const message = (...fields: readonly Field[]): Uint8Array =>
  Buffer.concat(
    fields.flatMap(([number, value]) =>
      typeof value === 'number'
        ? [varintOf(number * 8 + VARINT), varintOf(value)]
        : [varintOf(number * 8 + BYTES), varintOf(value.length), value],
    ),
  );

const nodeMessage = ({ operation, inputs, outputs, attributes = {} }: ModelNode): Uint8Array =>
  message(
    ...inputs.map((name): Field => [NODE.input, text(name)]),
    ...outputs.map((name): Field => [NODE.output, text(name)]),
    [NODE.operation, text(operation)],
    ...Object.entries(attributes).map(([name, value]): Field => [NODE.attribute, attributeMessage(name, value)]),
  );

function attributeMessage(name: string, value: number | readonly number[] | string): Uint8Array {
  const named: Field = [ATTRIBUTE.name, text(name)];
  const typed = (type: keyof typeof ATTRIBUTE_TYPES): Field => [ATTRIBUTE.type, ATTRIBUTE_TYPES[type]];
  if (typeof value === 'string') return message(named, [ATTRIBUTE.text, text(value)], typed('text'));
  if (typeof value === 'number') return message(named, [ATTRIBUTE.integer, value], typed('integer'));
  return message(named, ...value.map((each): Field => [ATTRIBUTE.integers, each]), typed('integers'));
}

const tensorMessage = ({ name, element, dimensions, bytes }: NamedTensor): Uint8Array =>
  message(
    ...dimensions.map((size): Field => [TENSOR.dimension, size]),
    [TENSOR.element, ELEMENTS[element]],
    [TENSOR.name, text(name)],
    [TENSOR.bytes, bytes],
  );

/** A value has the type of a tensor (1): the type of its elements (1), and its shape (2). A dimension has a size (1) or a name (2). */
function valueMessage({ name, element, dimensions }: ModelValue): Uint8Array {
  const shape = message(
    ...dimensions.map((size): Field => [1, typeof size === 'number' ? message([1, size]) : message([2, text(size)])]),
  );
  const tensor = message([1, ELEMENTS[element]], [2, shape]);
  return message([1, text(name)], [2, message([1, tensor])]);
}
