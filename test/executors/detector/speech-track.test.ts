import test from 'ava';
import { BLOCK_SAMPLES } from '../../../executors/detector/apart-channels.ts';
import { CONTEXT_STEPS, loadBoundaryModel, type SignalTrack } from '../../../executors/detector/boundary-model.ts';
import { packState, unpackState } from '../../../executors/detector/packed-state.ts';
import { MIX } from '../../../executors/detector/sound-signals.ts';
import { BAND_RULE, STEP_SAMPLES } from '../../../executors/detector/speech-bands.ts';
import { type BlockTracks, SpeechTrack, type TrackState } from '../../../executors/detector/speech-track.ts';

const STEPS = BLOCK_SAMPLES / STEP_SAMPLES;
const LEFT = 1;

/** A track of a block, as it follows from a seed: bursts in all bands over a quiet level. */
function drawnTrack(seed: number): SignalTrack {
  let state = seed + 1;
  const next = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const levels = new Float32Array(STEPS * BAND_RULE.bands);
  const estimate = new Float32Array(STEPS);
  for (let step = 0; step < STEPS; step += 1) {
    const isBurst = step % 23 < 9 && seed % 3 > 0;
    estimate[step] = isBurst ? 0.5 + next() / 2 : next() / 10;
    for (let band = 0; band < BAND_RULE.bands; band += 1)
      levels[step * BAND_RULE.bands + band] = -9 + 2 * next() + (isBurst ? 8 * next() : 0);
  }
  return { levels, estimate };
}

const blocks: readonly BlockTracks[] = Array.from({ length: 29 }, (_, at) => new Map([[MIX, drawnTrack(at)]]));
const samples = 29 * BLOCK_SAMPLES - 700;

async function judged(taken: readonly BlockTracks[], total: number): Promise<Uint8Array> {
  const track = new SpeechTrack(await loadBoundaryModel());
  for (const block of taken) await track.push(block);
  return track.finish(total);
}

test('blocks that are judged a few at a time have the probabilities of the whole sound', async (t) => {
  const model = await loadBoundaryModel();
  const steps = Math.ceil(samples / STEP_SAMPLES);
  const all = (name: keyof SignalTrack): number[] => blocks.flatMap((block) => [...(block.get(MIX)?.[name] ?? [])]);
  const whole = {
    levels: Float32Array.from(all('levels').slice(0, steps * BAND_RULE.bands)),
    estimate: Float32Array.from(all('estimate').slice(0, steps)),
  };
  const [probabilities = new Float32Array(0)] = await model.probabilities([whole]);
  const found = await judged(blocks, samples);
  t.is(found.length, steps);
  // A sum of floats in another order may round to the byte beside it.
  for (const [at, probability] of probabilities.entries()) t.true(Math.abs((found[at] ?? 0) - 255 * probability) < 0.6);
  t.true(new Set(found).size > 20, 'a sound whose probabilities differ');
});

test('a step depends on no more than the context before and behind it', async (t) => {
  const model = await loadBoundaryModel();
  const track = (length: number): SignalTrack => {
    const all = Array.from({ length }, (_, at) => drawnTrack(at + 1));
    return {
      levels: Float32Array.from(all.flatMap(({ levels }) => [...levels])),
      estimate: Float32Array.from(all.flatMap(({ estimate }) => [...estimate])),
    };
  };
  const [long, changed] = [track(9), track(9)];
  const at = 4 * STEPS;
  for (const step of [at - CONTEXT_STEPS - 1, at + CONTEXT_STEPS + 1]) {
    changed.estimate[step] = 1;
    changed.levels.fill(0, step * BAND_RULE.bands, (step + 1) * BAND_RULE.bands);
  }
  const [[one], [other]] = [await model.probabilities([long]), await model.probabilities([changed])];
  t.is(one?.[at], other?.[at]);
  t.not(one?.[at - CONTEXT_STEPS - 1], other?.[at - CONTEXT_STEPS - 1]);
});

test('speech in one channel is speech, and a channel is like the mix where it was not followed', async (t) => {
  const quiet: SignalTrack = {
    levels: new Float32Array(STEPS * BAND_RULE.bands).fill(-9),
    estimate: new Float32Array(STEPS),
  };
  const mix: BlockTracks = new Map([[MIX, quiet]]);
  const withSpeech = (at: number): BlockTracks => new Map([...mix, [LEFT, drawnTrack(at)]]);
  const blocks = Array.from({ length: 12 }, (_, at) => (at === 4 || at === 5 ? withSpeech(at) : mix));
  const total = 12 * BLOCK_SAMPLES;
  const alone = await judged(
    blocks.map((block) => new Map([[MIX, block.get(LEFT) ?? quiet]])),
    total,
  );
  const found = await judged(blocks, total);
  const none = await judged(Array<BlockTracks>(12).fill(mix), total);
  t.deepEqual(
    [...found],
    [...alone].map((each, at) => Math.max(each, none[at] ?? 0)),
  );
  t.notDeepEqual([...found], [...none]);
});

test('a track that was kept goes on as it would have, to the last bit', async (t) => {
  const model = await loadBoundaryModel();
  const whole = await judged(blocks, samples);
  for (const cut of [0, 1, 10, 11, 12, 20]) {
    const first = new SpeechTrack(model);
    for (const block of blocks.slice(0, cut)) await first.push(block);
    const second = new SpeechTrack(model, unpackState(packState(first.save())) as TrackState);
    for (const block of blocks.slice(cut)) await second.push(block);
    t.deepEqual(await second.finish(samples), whole);
  }
});

test('a sound of no or of few samples has as many steps as it has spectra', async (t) => {
  t.is((await judged([], 0)).length, 0);
  t.is((await judged(blocks.slice(0, 1), 1)).length, 1);
  t.is((await judged(blocks.slice(0, 1), STEP_SAMPLES + 1)).length, 2);
});
