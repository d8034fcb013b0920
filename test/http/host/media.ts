/** A chunk of a RIFF file. */
export function chunk(type: string, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.write(type, 0, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

export interface WaveFields {
  readonly channels?: number;
  readonly rate?: number;
  readonly blockAlign?: number;
  readonly bits?: number;
  /** Half a second of silence by default. */
  readonly sound?: Buffer;
  /** The length of the sound in the header. */
  readonly dataBytes?: number;
}

/** A WAVE file whose header has the given values. */
export function wave({
  channels = 1,
  rate = 8000,
  blockAlign = 2,
  bits = 16,
  sound = Buffer.alloc(8000),
  dataBytes = sound.length,
}: WaveFields): Buffer {
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rate, 4);
  format.writeUInt32LE((rate * blockAlign) % 2 ** 32, 8);
  format.writeUInt16LE(blockAlign, 12);
  format.writeUInt16LE(bits, 14);
  const data = chunk('data', sound);
  data.writeUInt32LE(dataBytes, 4);
  return chunk('RIFF', Buffer.from('WAVE'), chunk('fmt ', format), data);
}

/** A playable WAV file: a hum of `ms` milliseconds, 8 kHz mono. Another `seed` makes other bytes. */
export function humWav(seed: number, ms = 400): Buffer {
  const sound = Buffer.alloc(16 * ms);
  for (let at = 0; at < 8 * ms; at += 1) {
    sound.writeInt16LE(Math.round(6000 * Math.sin((at * (200 + seed)) / 8000)), 2 * at);
  }
  return wave({ sound });
}
