import { coloredNoise } from '../utterances/conditions.ts';
import { ofPowerOne, rate } from '../utterances/samples.ts';
import type { Chance } from './chance.ts';

/** Colored, white or rumbling noise with a mean power of 1; some of it comes in waves of one to ten seconds. */
export function drawnNoise(chance: Chance, length: number): Float32Array {
  const noise = chance.weighted([
    [steadyNoise, 0.6],
    [whiteNoise, 0.2],
    [rumble, 0.2],
  ])(chance, length);
  return ofPowerOne(chance.happens(0.3) ? inWaves(chance, noise) : noise);
}

function steadyNoise(chance: Chance, length: number): Float32Array {
  return coloredNoise(length, chance.next, { tilt: chance.between(0.25, 0.6), white: chance.between(0.05, 0.6) });
}

export const whiteNoise = (chance: Chance, length: number): Float32Array =>
  Float32Array.from({ length }, () => chance.between(-1, 1));

function rumble(chance: Chance, length: number): Float32Array {
  let low = 0;
  return whiteNoise(chance, length).map((white) => {
    low = 0.98 * low + 0.02 * white;
    return 10 * low + 0.05 * white;
  });
}

function inWaves(chance: Chance, noise: Float32Array): Float32Array {
  const [hz, depth] = [chance.between(0.1, 1.5), chance.between(0.2, 0.8)];
  return noise.map((sample, at) => sample * (1 - (depth / 2) * (1 + Math.sin((2 * Math.PI * hz * at) / rate))));
}
