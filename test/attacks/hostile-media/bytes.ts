/** A box of an ISO base media file. */
export function box(type: string, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

/** A chunk of a RIFF file. */
export function chunk(type: string, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.write(type, 0, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

/** The bytes with some of them replaced, `offset` behind the `nth` place where `marker` stands. */
export function patched(bytes: Buffer, marker: string, offset: number, replacement: Buffer, nth = 0): Buffer {
  let at = bytes.indexOf(marker, 0, 'latin1');
  for (let count = 0; count < nth && at !== -1; count += 1) at = bytes.indexOf(marker, at + 1, 'latin1');
  if (at === -1) throw new Error(`the file has no ${marker}`);
  const copy = Buffer.from(bytes);
  replacement.copy(copy, at + offset);
  return copy;
}

export function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}

export interface WaveFields {
  readonly channels?: number;
  readonly rate?: number;
  readonly blockAlign?: number;
  readonly bits?: number;
  /** What the header says of the length of the sound. */
  readonly dataBytes?: number;
}

/** Half a second of silence in a WAVE file whose header says what it is told to say. */
export function wave({ channels = 1, rate = 8000, blockAlign = 2, bits = 16, dataBytes = 8000 }: WaveFields): Buffer {
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rate, 4);
  format.writeUInt32LE((rate * blockAlign) % 2 ** 32, 8);
  format.writeUInt16LE(blockAlign, 12);
  format.writeUInt16LE(bits, 14);
  const data = chunk('data', Buffer.alloc(8000));
  data.writeUInt32LE(dataBytes, 4);
  return chunk('RIFF', Buffer.from('WAVE'), chunk('fmt ', format), data);
}
