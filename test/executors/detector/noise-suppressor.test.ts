import test from 'ava';
import { BLOCK_SAMPLES } from '../../../executors/detector/apart-channels.ts';
import {
  NoiseSuppressor,
  SUPPRESSED_LATE_SAMPLES,
  SUPPRESSION_RULE,
} from '../../../executors/detector/noise-suppressor.ts';
import { packState, unpackState } from '../../../executors/detector/packed-state.ts';

const RATE = 16_000;

/** Blocks of noise that follows from the seed, and in every block a tone of 200 ms. */
function sound(blocks: number, noise: number, tone: number): Float32Array[] {
  let state = 7;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647 - 0.5;
  };
  return Array.from({ length: blocks }, () =>
    Float32Array.from({ length: BLOCK_SAMPLES }, (_, at) => {
      const isTone = at >= RATE / 2 && at < RATE * 0.7;
      return noise * next() + (isTone ? tone * Math.sin((2 * Math.PI * 500 * at) / RATE) : 0);
    }),
  );
}

const cleaned = (blocks: readonly Float32Array[]): Float32Array[] => {
  const suppressor = new NoiseSuppressor();
  return blocks.map((block) => suppressor.next(block).samples);
};

function decibels(samples: Float32Array | undefined, from: number, to: number): number {
  const part = (samples ?? new Float32Array(0)).subarray(from, to);
  return 10 * Math.log10(part.reduce((sum, sample) => sum + sample ** 2, 0) / part.length);
}

test('what lasts becomes quieter by no more than the rule says, and what is louder for a while stays', (t) => {
  const blocks = sound(4, 0.02, 0.3);
  const clean = cleaned(blocks).at(-1);
  const still = decibels(clean, 2000, 7000) - decibels(blocks.at(-1), 2000, 7000);
  t.true(still < -7 && still >= -SUPPRESSION_RULE.suppressMostDb - 0.1, `${still} dB`);
  const [from, to] = [RATE * 0.55, RATE * 0.65];
  const loud = decibels(clean, from, to) - decibels(blocks.at(-1), from, to);
  t.true(Math.abs(loud) < 0.5, `${loud} dB`);
});

test('a sound comes out late by half a frame, and otherwise as it was where nothing lasts', (t) => {
  const click = new Float32Array(BLOCK_SAMPLES);
  click[5000] = 0.5;
  const [clean] = cleaned([click]);
  t.true(Math.abs((clean?.[5000 + SUPPRESSED_LATE_SAMPLES] ?? 0) - 0.5) < 0.01);
  t.deepEqual(cleaned([new Float32Array(BLOCK_SAMPLES)]), [new Float32Array(BLOCK_SAMPLES)]);
});

test('a suppressor that was kept goes on as it would have, to the last bit', (t) => {
  const blocks = sound(5, 0.05, 0.2);
  const whole = cleaned(blocks);
  for (const cut of [0, 1, 3]) {
    const first = new NoiseSuppressor();
    for (const block of blocks.slice(0, cut)) first.next(block);
    const saved = unpackState(packState(first.save())) as ReturnType<NoiseSuppressor['save']>;
    const second = new NoiseSuppressor(saved);
    t.deepEqual(
      blocks.slice(cut).map((block) => second.next(block).samples),
      whole.slice(cut),
    );
  }
});
