import test from 'ava';
import {
  bandLevels,
  CONTEXT_STEPS,
  loadBoundaryModel,
  type SignalTrack,
} from '../../../executors/detector/boundary-model.ts';
import {
  loadPinnedModel,
  SPEECH_WEIGHTS_SHA256,
  speechWeightsFile,
} from '../../../executors/detector/detector-models.ts';
import { NoiseSuppressor } from '../../../executors/detector/noise-suppressor.ts';
import { packState, unpackState } from '../../../executors/detector/packed-state.ts';
import { loadSpeechModel } from '../../../executors/detector/silero-vad.ts';
import { SoundStream } from '../../../executors/detector/sound-stream.ts';
import { byBlocks } from '../../../executors/detector/speech-graph.ts';
import {
  type BlockTracks,
  PROBABILITY_STEPS,
  type SpeechProbabilities,
  SpeechTrack,
  speechWindows,
  type TrackState,
} from '../../../executors/detector/speech-track.ts';
import { steadinessOf } from '../../../executors/detector/steadiness.ts';
import type { FoundSpeech } from '../../../kinds/sound/sound-result.ts';
import {
  BLOCK_SAMPLES,
  BYTES_PER_SAMPLE,
  FRAME_SAMPLES,
  MIX,
  SAMPLE_RATE,
  SIGNALS,
} from '../../../kinds/sound/sound-signals.ts';
import { BAND_RULE, SPEECH_RULE, STEP_SAMPLES } from '../../../kinds/sound/speech-rule.ts';

type Runs = readonly (readonly [number, number])[];

const bytesOf = (runs: Runs): Uint8Array =>
  Uint8Array.from(
    runs.flatMap(([probability, steps]) => Array<number>(steps).fill(Math.round(probability * PROBABILITY_STEPS))),
  );

const inSteps = (spans: FoundSpeech['speech']) =>
  spans.map(({ start, end }) => [
    Math.round((10 * start) / STEP_SAMPLES) / 10,
    Math.round((10 * end) / STEP_SAMPLES) / 10,
  ]);

/** Runs of steps with one probability each, `[probability, steps]`, of both models alike. */
function windows(...runs: Runs) {
  const probabilities = bytesOf(runs);
  const both = { probabilities, estimates: probabilities, steadiness: new Uint8Array(0) };
  return inSteps(speechWindows(both, probabilities.length * STEP_SAMPLES).speech);
}

const stepsIn = (ms: number): number => (ms * 16) / STEP_SAMPLES;
const { minSilenceMs, minSpeechMs } = SPEECH_RULE;

test('speech must be more probable than the on-threshold', (t) => {
  t.deepEqual(windows(), []);
  const beside = (probability: number) => windows([0, 20], [probability, 100], [0, 60], [0.9, 30], [0, 20]).length;
  t.is(beside(0.64), 1);
  t.is(beside(0.66), 2);
});

test('speech begins and ends between two steps, where their probabilities cross the edge', (t) => {
  t.deepEqual(windows([0, 20], [0.8, 30], [0, 20]), [[19.5, 49.5]]);
  t.deepEqual(windows([0, 20], [0.4, 1], [0.8, 28], [0.4, 1], [0, 20]), [[20, 49]]);
});

test('what is above the edge beside a probable part belongs to it', (t) => {
  t.deepEqual(windows([0, 20], [0.5, 5], [0.9, 20], [0.5, 5], [0, 20]), [[19.8, 49.2]]);
});

test('a pause shorter than the least silence does not part two windows, a longer one does', (t) => {
  const pause = Math.ceil(stepsIn(minSilenceMs));
  t.is(windows([0.95, 30], [0, pause - 1], [0.95, 30]).length, 1);
  t.is(windows([0.95, 30], [0, pause + 1], [0.95, 30]).length, 2);
});

test('a window shorter than the least speech is dropped, and two that are joined count as one', (t) => {
  const steps = Math.floor(stepsIn(minSpeechMs));
  t.deepEqual(windows([0, 20], [0.8, steps], [0, 20]), []);
  t.is(windows([0, 20], [0.8, steps + 1], [0, 20]).length, 1);
  t.is(windows([0, 20], [1, steps / 2], [0, 2], [1, steps / 2], [0, 20]).length, 1);
});

test('what begins with the sound or lasts to its end has the edges of the sound', (t) => {
  t.deepEqual(windows([0.8, 30]), [[0, 30]]);
  const probabilities = new Uint8Array(30).fill(PROBABILITY_STEPS);
  const total = 29 * STEP_SAMPLES + 7;
  const both = { probabilities, estimates: probabilities, steadiness: new Uint8Array(0) };
  t.deepEqual(speechWindows(both, total), { speech: [{ start: 0, end: total }], unconfirmed: [] });
});

/** The windows that count and those that do not, in steps, of probabilities that both models share. */
function countedApart(runs: Runs, first: Runs = runs, steady: Runs = []) {
  const [probabilities, estimates, steadiness] = [bytesOf(runs), bytesOf(first), bytesOf(steady)];
  const { speech, unconfirmed } = speechWindows(
    { probabilities, estimates, steadiness },
    probabilities.length * STEP_SAMPLES,
  );
  return [inSteps(speech), inSteps(unconfirmed)];
}

test('a window that is probable for moments alone does not count, and is named apart', (t) => {
  const flutter = Array.from(
    { length: 6 },
    (): Runs => [
      [0.9, 3],
      [0, 3],
    ],
  ).flat();
  t.deepEqual(countedApart([[0, 20], ...flutter, [0, 20], [0.9, 20], [0, 20]]), [[[75.4, 95.6]], [[19.4, 52.6]]]);
});

const besideSteps = stepsIn(SPEECH_RULE.besideMs);

/** So many steps of 0.85 between steps of a level, and silence around them. */
const swelling = (level: number, steps = 60): Runs => [
  [0, 30],
  [level, besideSteps],
  [0.85, steps],
  [level, besideSteps],
  [0, 30],
];
/** A window with a little more contrast than so much, and with a little less. */
const above = (contrast: number): Runs => swelling(0.85 - contrast - 0.06);
const below = (contrast: number): Runs => swelling(0.85 - contrast + 0.06);

/** How many windows count, and how many do not. */
const counts = (...runs: readonly Runs[]): number[] => countedApart(runs.flat()).map(({ length }) => length);

const { certainContrast, leastContrast } = SPEECH_RULE;

test('a window that swells and fades does not count alone, and one that begins and ends does', (t) => {
  t.deepEqual(counts(above(certainContrast)), [1, 0]);
  t.deepEqual(counts(below(certainContrast)), [0, 1]);
});

test('a window that swells and fades counts near one that begins and ends, and not far from it', (t) => {
  const near = Math.floor(stepsIn(SPEECH_RULE.nearMs));
  const certain: Runs = [
    [0, 30],
    [0.95, 30],
    [0, 30],
  ];
  // Both windows have 30 steps of silence on this side, and one has steps of its level.
  const silence = (distance: number): Runs => [[0, distance - 60 - besideSteps]];
  for (const isReversed of [false, true]) {
    const found = (window: Runs, distance: number) => {
      const parts = [window, silence(distance), certain];
      return counts(...(isReversed ? parts.toReversed() : parts));
    };
    t.deepEqual(found(above(leastContrast), near - 2), [2, 0]);
    t.deepEqual(found(above(leastContrast), near + 2), [1, 1]);
    t.deepEqual(found(below(leastContrast), near - 2), [1, 1]);
  }
});

test('two windows that swell and fade count if they are near to each other', (t) => {
  const pair = Math.floor(stepsIn(SPEECH_RULE.pairMs));
  const found = (distance: number, second: Runs) =>
    counts(above(leastContrast).slice(0, -1), [[0, distance - 2 * besideSteps]], second.slice(1));
  t.deepEqual(found(pair - 2, above(leastContrast)), [2, 0]);
  t.deepEqual(found(pair + 2, above(leastContrast)), [0, 2]);
  t.deepEqual(found(pair - 2, below(leastContrast)), [0, 2]);
});

test('a long window counts by its mean alone, and a very long one by a lower mean', (t) => {
  const [long, veryLong] = [Math.ceil(stepsIn(SPEECH_RULE.longMs)), Math.ceil(stepsIn(SPEECH_RULE.certainMs))];
  t.is(countedApart(swelling(0.35, long - 3))[0]?.length, 0);
  t.is(countedApart(swelling(0.35, long))[0]?.length, 1);
  const lasting = (steps: number): Runs => [
    [0, 30],
    [0.7, steps],
    [0, 30],
  ];
  t.is(countedApart(lasting(veryLong - 3))[1]?.length, 1);
  t.is(countedApart(lasting(veryLong + 1))[0]?.length, 1);
  const fluttering = Array.from(
    { length: veryLong / 4 },
    (): Runs => [
      [0.9, 2],
      [0, 2],
    ],
  ).flat();
  t.is(countedApart([[0, 30], ...fluttering, [0, 30]])[1]?.length, 1);
});

test('a window as long as a phrase needs a moment that is speech for the first model as well', (t) => {
  const { phraseMs, leastEstimate, leastPhraseEstimate } = SPEECH_RULE;
  const phrase = Math.ceil(stepsIn(phraseMs));
  const counted = (steps: number, estimate: number): number =>
    countedApart(
      [
        [0, 30],
        [0.9, steps],
        [0, 30],
      ],
      [
        [0, 40],
        [estimate, 2],
        [0, steps + 18],
      ],
    )[0]?.length ?? 0;
  const little = 1 / PROBABILITY_STEPS;
  t.is(counted(phrase, leastPhraseEstimate + little), 1);
  t.is(counted(phrase, leastPhraseEstimate - little), 0);
  t.is(counted(phrase - 2, leastPhraseEstimate - little), 1);
  t.is(counted(phrase - 2, leastEstimate - little), 0);
});

test('a window without speech by the first model does not count, and is named apart', (t) => {
  const probabilities = bytesOf([
    [0, 20],
    [0.9, 30],
    [0, 30],
    [0.9, 30],
    [0, 20],
  ]);
  const found = (least: number) => {
    const estimates = bytesOf([
      [0.9, 15],
      [0, 20],
      [least, 1],
      [0, 44],
      [0.9, 30],
      [0, 20],
    ]);
    const steadiness = new Uint8Array(0);
    const { speech, unconfirmed } = speechWindows(
      { probabilities, estimates, steadiness },
      probabilities.length * STEP_SAMPLES,
    );
    return [inSteps(speech), inSteps(unconfirmed)];
  };
  const [first, second] = [
    [19.4, 49.6],
    [79.4, 109.6],
  ];
  t.deepEqual(found(SPEECH_RULE.leastEstimate + 1 / PROBABILITY_STEPS), [[first, second], []]);
  t.deepEqual(found(SPEECH_RULE.leastEstimate - 1 / PROBABILITY_STEPS), [[second], [first]]);
});

test('a window with the steady harmonics of notes counts near speech without them, and not alone', (t) => {
  const [pair, near] = [SPEECH_RULE.pairMs, SPEECH_RULE.nearMs].map((ms) => Math.floor(stepsIn(ms)));
  const two = (apart = 0): Runs => [
    [0, 30],
    [0.95, 30],
    [0, apart],
    [0.95, 30],
    [0, 30],
  ];
  const counted = (apart: number, first: number, second: number): number =>
    countedApart(two(apart), two(apart), [
      [first, 60],
      [0, apart],
      [second, 60],
    ])[0]?.length ?? 0;
  const [steady, gliding] = [1, -1].map((by) => SPEECH_RULE.mostSteadiness + by / 20) as [number, number];
  t.is(counted((pair ?? 0) - 2, steady, steady), 0);
  t.is(counted((near ?? 0) - 2, steady, gliding), 2);
  t.is(counted((near ?? 0) + 2, steady, gliding), 1);
  t.is(counted((near ?? 0) + 2, gliding, gliding), 2);
});

/** Spectra of a voice-like sound of thirty harmonics, whose pitch goes up by so many octaves a second. */
function harmonicSpectra(octaves: number): readonly Float64Array[] {
  const block = Float32Array.from({ length: BLOCK_SAMPLES }, (_, at) => {
    const seconds = at / SAMPLE_RATE;
    const turns = 2 * Math.PI * 150 * (octaves === 0 ? seconds : (2 ** (octaves * seconds) - 1) / (octaves * Math.LN2));
    return Array.from({ length: 30 }, (_, harmonic) => Math.sin((harmonic + 1) * turns) / 60).reduce((a, b) => a + b);
  });
  return new NoiseSuppressor().next(block).spectra;
}

test('a note is steadier than a voice that glides by half an octave a second, and silence is not steady', (t) => {
  const mean = (spectra: readonly Float64Array[]): number =>
    steadinessOf(spectra).reduce((sum, each) => sum + each, 0) / spectra.length;
  t.true(mean(harmonicSpectra(0)) > 0.9);
  t.true(mean(harmonicSpectra(0.5)) < 0.4);
  t.is(mean(new NoiseSuppressor().next(new Float32Array(BLOCK_SAMPLES)).spectra), 0);
});

test('windows are ordered, apart and inside the sound, for any probabilities', (t) => {
  let state = 7;
  const probabilities = Uint8Array.from({ length: 5000 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state % 7 === 0 ? 0 : PROBABILITY_STEPS - (state % 64);
  });
  const total = probabilities.length * STEP_SAMPLES - 100;
  let covered = -1;
  const estimates = probabilities.toReversed();
  const steadiness = new Uint8Array(0);
  for (const { start, end } of speechWindows({ probabilities, estimates, steadiness }, total).speech) {
    t.true(start > covered && end > start && end <= total);
    covered = end;
  }
  t.true(covered > 0);
});

const { bands } = BAND_RULE;

const levelsOf = (sound: (n: number) => number): Float32Array =>
  bandLevels(new NoiseSuppressor().next(Float32Array.from({ length: BLOCK_SAMPLES }, (_, n) => sound(n))).spectra);

const loudestBand = (levels: Float32Array, step: number): number => {
  const own = levels.subarray(step * bands, (step + 1) * bands);
  return own.indexOf(Math.max(...own));
};

test('a tone is loudest in the band of its frequency, from the lowest to the highest', (t) => {
  const places = [70, 300, 1000, 3000, 7500].map((hz) => {
    const levels = levelsOf((n) => 0.3 * Math.sin((2 * Math.PI * hz * n) / SAMPLE_RATE));
    t.is(levels.length, (BLOCK_SAMPLES / STEP_SAMPLES) * bands);
    return loudestBand(levels, 30);
  });
  const sorted = places.toSorted((one, other) => one - other);
  t.deepEqual(places, sorted);
  t.is(new Set(places).size, places.length);
  t.deepEqual([places[0], places.at(-1)], [0, bands - 1]);
});

test('a click is in the two spectra around its sample, and in no other', (t) => {
  const levels = levelsOf((n) => (n === 20 * STEP_SAMPLES + 100 ? 0.5 : 0));
  const silent = levels[0] ?? 0;
  const loud = Array.from({ length: levels.length / bands }, (_, step) => step).filter((step) =>
    levels.subarray(step * bands, (step + 1) * bands).some((level) => level > silent + 1),
  );
  t.deepEqual(loud, [20, 21]);
});

test('a sound ten times as loud has levels higher by the same number in every band', (t) => {
  const noise = (gain: number) => levelsOf((n) => gain * ((((n * 2_654_435_761) >>> 7) % 2000) / 1000 - 1));
  const [quiet, loud] = [noise(0.01), noise(0.1)];
  for (const [at, level] of loud.entries()) t.true(Math.abs(level - (quiet[at] ?? 0) - 2 * Math.LN10) < 0.01);
});

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

/** Pushes blocks; each is as steady as its place among all of them says, which counts from `first`. */
async function push(track: SpeechTrack, taken: readonly BlockTracks[], first = 0): Promise<void> {
  for (const [at, block] of taken.entries())
    await track.push(block, new Float32Array(STEPS).fill((first + at) / blocks.length));
}

async function judgedByBoth(taken: readonly BlockTracks[], total: number): Promise<SpeechProbabilities> {
  const track = new SpeechTrack(await loadBoundaryModel());
  await push(track, taken);
  return track.finish(total);
}

const judged = async (taken: readonly BlockTracks[], total: number): Promise<Uint8Array> =>
  (await judgedByBoth(taken, total)).probabilities;

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
  const expected = [...alone].map((each, at) => Math.max(each, none[at] ?? 0));
  t.deepEqual([...found], expected);
  t.notDeepEqual([...found], [...none]);
});

test('a kept track continues as if without a break, to the last bit', async (t) => {
  const model = await loadBoundaryModel();
  const whole = await judgedByBoth(blocks, samples);
  t.is(whole.estimates.length, whole.probabilities.length);
  for (const cut of [0, 1, 10, 11, 12, 20]) {
    const first = new SpeechTrack(model);
    await push(first, blocks.slice(0, cut));
    const second = new SpeechTrack(model, unpackState(packState(first.save())) as TrackState);
    await push(second, blocks.slice(cut), cut);
    t.deepEqual(await second.finish(samples), whole);
  }
});

test('a sound of no or of few samples has as many steps as it has spectra', async (t) => {
  t.is((await judged([], 0)).length, 0);
  t.is((await judged(blocks.slice(0, 1), 1)).length, 1);
  t.is((await judged(blocks.slice(0, 1), STEP_SAMPLES + 1)).length, 2);
});

/** Three sounds that the model does not take for one another: a voice-like buzz that comes and goes, noise, and a tone. */
const sounds: readonly ((n: number) => number)[] = [
  (n) =>
    Math.sin(n / 20) * Math.abs(Math.sin((2 * Math.PI * 140 * n) / SAMPLE_RATE)) ** 8 * (n % 9000 < 6000 ? 0.6 : 0.01),
  (n) => (((n * 2_654_435_761) >>> 7) % 2000) / 10_000 - 0.1,
  (n) => 0.5 * Math.sin((2 * Math.PI * 440 * n) / SAMPLE_RATE),
];

const blockOf = (sound: (n: number) => number, block: number): Float32Array =>
  Float32Array.from({ length: BLOCK_SAMPLES }, (_, at) => sound(block * BLOCK_SAMPLES + at));

/** The probabilities of the model as it is published, which answers for one frame of one signal at a time. */
async function publishedAnswers(sound: (n: number) => number, blocks: number): Promise<number[]> {
  const { runtime, session } = await loadPinnedModel(speechWeightsFile(), SPEECH_WEIGHTS_SHA256);
  const context = 64;
  const [window, state] = [new Float32Array(context + FRAME_SAMPLES), new Float32Array(2 * 128)];
  const feeds = {
    input: new runtime.Tensor('float32', window, [1, window.length]),
    state: new runtime.Tensor('float32', state, [2, 1, 128]),
    sr: new runtime.Tensor('int64', BigInt64Array.of(BigInt(SAMPLE_RATE)), []),
  };
  const answers: number[] = [];
  for (let from = 0; from < blocks * BLOCK_SAMPLES; from += FRAME_SAMPLES) {
    window.copyWithin(0, FRAME_SAMPLES);
    for (let at = 0; at < FRAME_SAMPLES; at += 1) window[context + at] = sound(from + at);
    const { output, stateN } = await session.run(feeds);
    answers.push(Number(output?.data[0]));
    state.set(stateN?.data as Float32Array);
  }
  return answers;
}

test('the model by blocks has the probabilities of the published one, to the last bit', async (t) => {
  const model = await loadSpeechModel();
  for (const sound of [...sounds, () => 0]) {
    const signal = model.follow();
    const found: number[] = [];
    for (let block = 0; block < 3; block += 1) {
      const [answers = []] = await model.next([{ signal, block: blockOf(sound, block) }]);
      found.push(...answers);
    }
    t.deepEqual(found, await publishedAnswers(sound, 3));
  }
});

test('signals asked for together have the probabilities that each has alone, to the last bit', async (t) => {
  const model = await loadSpeechModel();
  for (const count of [2, 3, 4]) {
    const taken = [...sounds, ...sounds].slice(0, count);
    const together = taken.map((sound) => ({ sound, signal: model.follow() }));
    const alone = taken.map((sound) => ({ sound, signal: model.follow() }));
    for (let at = 0; at < 3; at += 1) {
      const asked = ({ sound, signal }: (typeof alone)[number]) => ({ signal, block: blockOf(sound, at) });
      const each: Float32Array[] = [];
      for (const one of alone) each.push(...(await model.next([asked(one)])));
      t.deepEqual(await model.next(together.map(asked)), each);
    }
  }
});

test('a kept signal continues as if without a break', async (t) => {
  const model = await loadSpeechModel();
  const [sound = () => 0] = sounds;
  const signal = model.follow();
  await model.next([{ signal, block: blockOf(sound, 0) }]);
  const other = model.follow(signal.save());
  for (let at = 1; at < 3; at += 1) {
    const block = blockOf(sound, at);
    t.deepEqual(await model.next([{ signal: other, block }]), await model.next([{ signal, block }]));
  }
});

test('bytes of other content than the speech model are refused', (t) => {
  t.throws(() => byBlocks(Uint8Array.of(58, 200, 1)), { instanceOf: RangeError, message: 'a cut model' });
  t.throws(() => byBlocks(Uint8Array.of(3)), { instanceOf: RangeError, message: 'a model of an unknown form' });
  t.throws(() => byBlocks(new Uint8Array()), { instanceOf: RangeError, message: /^a speech model without / });
});

type Wave = (n: number) => number;

const sine =
  (hz: number): Wave =>
  (n) =>
    Math.sin((2 * Math.PI * hz * n) / SAMPLE_RATE);

const together =
  (...soundsWithoutSpeech: readonly Wave[]): Wave =>
  (n) =>
    soundsWithoutSpeech.reduce((sum, sound) => sum + sound(n), 0) / soundsWithoutSpeech.length;

/** Noise that follows from its place alone. */
const noise: Wave = (n) => (((n * 2_654_435_761) >>> 7) % 2000) / 1000 - 1;

const soundsWithoutSpeech: Readonly<Record<string, Wave>> = {
  'a tone': sine(1000),
  'harmonics of a low tone': together(...[150, 300, 450, 600, 750].map(sine)),
  'a chord': together(...[262, 330, 392].map(sine)),
  dialling: together(sine(770), sine(1336)),
  'a buzz': (n) => Math.sign(sine(120)(n)),
  'a burst of noise': noise,
};

/** The sound for 0.3 s and for a second, two and a half seconds of silence around each, as every signal of a track has it. */
function heldOverSilence(sound: Wave): Buffer {
  const seconds = 9;
  const bytes = Buffer.alloc(seconds * SAMPLE_RATE * SIGNALS.length * BYTES_PER_SAMPLE);
  for (let n = 0; n < seconds * SAMPLE_RATE; n += 1) {
    const at = n / SAMPLE_RATE;
    const isOn = (at >= 2.5 && at < 2.8) || (at >= 5.3 && at < 6.3);
    const sample = isOn ? Math.round(0.3 * 32_767 * sound(n)) : 0;
    for (let signal = 0; signal < SIGNALS.length; signal += 1)
      bytes.writeInt16LE(sample, (n * SIGNALS.length + signal) * BYTES_PER_SAMPLE);
  }
  return bytes;
}

test('bug: harmonics of a low tone over silence were speech; no tone, chord, buzz or burst is', async (t) => {
  const models = { speech: await loadSpeechModel(), boundary: await loadBoundaryModel() };
  for (const [name, sound] of Object.entries(soundsWithoutSpeech)) {
    const stream = new SoundStream(models);
    await stream.write(heldOverSilence(sound));
    t.deepEqual((await stream.finish()).speech, [], name);
  }
});
