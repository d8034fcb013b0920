import { gainOf, leastPower, meanPower, ofPowerOne, rate, samplesIn, scaled, seeded } from './samples.ts';

/** Spoken words as they were placed, how loud they are, and music to lay under them. */
interface Placed {
  readonly samples: Float32Array;
  readonly speechPower: number;
  readonly music: Float32Array;
  readonly seed: number;
}

/** How much less of noise is high, and how much white noise is in it. */
interface NoiseColor {
  readonly tilt: number;
  readonly white: number;
}

const pink: NoiseColor = { tilt: 0.4, white: 0.2 };

/** Colored noise of power 1: the filter of Paul Kellet over white noise from random numbers (0 to 1). */
export function coloredNoise(
  length: number,
  next: () => number,
  { tilt, white: whiteShare }: NoiseColor,
): Float32Array {
  const poles = [0.997, 0.985, 0.95, 0.85, 0.62, 0.25];
  const states = poles.map(() => 0);
  const noise = Float32Array.from({ length }, () => {
    const white = next() * 2 - 1;
    for (const [at, pole] of poles.entries())
      states[at] = pole * (states[at] ?? 0) + white * Math.sqrt(1 - pole) * tilt ** (at / 6);
    return states.reduce((sum, state) => sum + state, white * whiteShare);
  });
  return ofPowerOne(noise);
}

/** A sound with another one under it, which gets a gain. */
export function mixed(speech: Float32Array, under: Float32Array, gain: number): Float32Array {
  return speech.map((sample, at) => sample + (under[at] ?? 0) * gain);
}

const overNoise =
  (db: number) =>
  ({ samples, speechPower, seed }: Placed): Float32Array =>
    mixed(samples, coloredNoise(samples.length, seeded(seed), pink), Math.sqrt(speechPower) * gainOf(-db));

const overMusic =
  (db: number) =>
  ({ samples, speechPower, music }: Placed): Float32Array =>
    mixed(samples, music, Math.sqrt(speechPower / meanPower(music)) * gainOf(-db));

/** The band between two frequencies: Butterworth filters of the second order, twice each. */
export function band(samples: Float32Array, lowHz: number, highHz: number): Float32Array {
  let filtered = samples;
  for (const [hz, isHigh] of [lowHz, highHz, lowHz, highHz].map((hz) => [hz, hz === highHz] as const)) {
    const w = Math.tan((Math.PI * hz) / rate);
    const norm = 1 / (1 + Math.SQRT2 * w + w * w);
    const b0 = isHigh ? w * w * norm : norm;
    const b1 = isHigh ? 2 * b0 : -2 * b0;
    const [a1, a2] = [2 * (w * w - 1) * norm, (1 - Math.SQRT2 * w + w * w) * norm];
    let [x1, x2, y1, y2] = [0, 0, 0, 0];
    filtered = filtered.map((x) => {
      const y = b0 * x + b1 * x1 + b0 * x2 - a1 * y1 - a2 * y2;
      [x2, x1, y2, y1] = [x1, x, y1, y];
      return y;
    });
  }
  return filtered;
}

/** µ-law in eight bits, as telephones have it. */
function companded(sample: number): number {
  const level = Math.log1p(255 * Math.min(1, Math.abs(sample))) / Math.log(256);
  return (Math.sign(sample) * (256 ** (Math.round(level * 127) / 127) - 1)) / 255;
}

/** A room: how long its echoes take to fall by 60 dB, its size (1 is usual), and how loud they are against the sound itself. */
interface Room {
  readonly decayMs: number;
  readonly size: number;
  readonly echoDb: number;
}

/** A sound with the echoes of a room: Schroeder's eight combs and two all-passes. */
export function inRoom(samples: Float32Array, { decayMs, size, echoDb }: Room): Float32Array {
  const lengths = [1116, 1188, 1277, 1356, 1422, 1491, 1557, 1617];
  const combs = lengths.map((length) => Math.round((length * rate * size) / 44_100));
  let echo = new Float32Array(samples.length);
  for (const length of combs) {
    const feedback = 10 ** ((-3 * length * 1000) / (rate * decayMs));
    const line = new Float32Array(samples.length);
    for (let at = 0; at < samples.length; at += 1) {
      line[at] = (samples[at - length] ?? 0) + feedback * (line[at - length] ?? 0);
      echo[at] = (echo[at] ?? 0) + (line[at] ?? 0);
    }
  }
  for (const length of [202, 82]) {
    const passed = new Float32Array(samples.length);
    for (let at = 0; at < samples.length; at += 1)
      passed[at] = -0.5 * (echo[at] ?? 0) + (echo[at - length] ?? 0) + 0.5 * (passed[at - length] ?? 0);
    echo = passed;
  }
  return mixed(samples, echo, Math.sqrt(meanPower(samples) / Math.max(meanPower(echo), leastPower)) * gainOf(echoDb));
}

const floorDb = 50;

const overFloor = (placed: Placed): Float32Array => overNoise(floorDb)(placed);

/** Named treatments of clean speech; 10 and 0 in a name are decibels of the speech above the sound under it. */
export const conditions: Readonly<Record<string, (placed: Placed) => Float32Array>> = {
  clean: overFloor,
  low: (placed) => scaled(overFloor(placed), gainOf(-30)),
  phone: (placed) => band(overNoise(35)(placed), 300, 3400).map(companded),
  room: (placed) => overFloor({ ...placed, samples: inRoom(placed.samples, { decayMs: 500, size: 1, echoDb: 0 }) }),
  noise_10: overNoise(10),
  noise_0: overNoise(0),
  music_10: overMusic(10),
  music_0: overMusic(0),
};

/** Some seconds of a piece, from a place that follows from the seed; a short piece is repeated. */
export function excerpt(piece: Float32Array, length: number, seed: number): Float32Array {
  const from = samplesIn(3000) + Math.floor(seeded(seed)() * Math.max(1, piece.length - length - samplesIn(6000)));
  return Float32Array.from({ length }, (_, at) => piece[(from + at) % piece.length] ?? 0);
}
