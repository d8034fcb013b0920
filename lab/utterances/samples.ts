import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Samples per second of everything that is built here; one channel, from -1 to 1. */
export const rate = 16_000;

export const samplesIn = (ms: number): number => Math.round((ms * rate) / 1000);

/** The samples of some files, as ffmpeg decodes and resamples them; one process for all of them. */
export function samplesOf(files: readonly string[]): Float32Array[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'samples-'));
  const inputs = files.flatMap((file) => ['-i', file]);
  const nameOf = (at: number): string => path.join(folder, `${at}.f32`);
  const form = ['-ac', '1', '-ar', `${rate}`, '-f', 'f32le'];
  const outputs = files.flatMap((_, at) => ['-map', `${at}:a`, ...form, nameOf(at)]);
  try {
    execFileSync('ffmpeg', ['-nostdin', '-v', 'error', ...inputs, ...outputs]);
    return files.map((_, at) => new Float32Array(new Uint8Array(readFileSync(nameOf(at))).buffer));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function meanPower(samples: Float32Array, from = 0, to = samples.length): number {
  let sum = 0;
  for (let at = from; at < to; at += 1) sum += (samples[at] ?? 0) ** 2;
  return sum / Math.max(1, to - from);
}

export const decibels = (power: number): number => 10 * Math.log10(power + 1e-12);

/** The factor of an amplitude. */
export const gainOf = (db: number): number => 10 ** (db / 20);

export const scaled = (samples: Float32Array, gain: number): Float32Array => samples.map((sample) => sample * gain);

/** Far below what a sample of 16 bits can hold: silence, by which nothing is divided. */
export const leastPower = 1e-12;

/** The same as loud as a mean power of 1; silence stays silence. */
export const ofPowerOne = (samples: Float32Array): Float32Array =>
  scaled(samples, 1 / Math.sqrt(Math.max(meanPower(samples), leastPower)));

/** Numbers from 0 to 1 that follow from a seed alone (Park and Miller). */
export function seeded(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  const next = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  for (let at = 0; at < 10; at += 1) next();
  return next;
}
