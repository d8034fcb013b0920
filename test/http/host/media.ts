/** A playable WAV file: a hum of `ms` milliseconds, 8 kHz mono. Another `seed` makes other bytes. */
export function humWav(seed: number, ms = 400): Buffer {
  const samples = 8 * ms;
  const bytes = Buffer.alloc(44 + 2 * samples);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + 2 * samples, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8000, 24);
  bytes.writeUInt32LE(16_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(2 * samples, 40);
  for (let at = 0; at < samples; at += 1) {
    bytes.writeInt16LE(Math.round(6000 * Math.sin((at * (200 + seed)) / 8000)), 44 + 2 * at);
  }
  return bytes;
}
