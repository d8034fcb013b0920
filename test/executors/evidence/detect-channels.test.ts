import path from 'node:path';
import test from 'ava';
import type { Detection } from '../../../contract/evidence/evidence.ts';
import { readSampleGold, sampleMedia } from '../../../fixtures/sample/gold.ts';
import { artifactOf, type DetectionBench, detect, openDetectionBench, spansOf } from './detection-for-tests.ts';
import { ffmpeg } from './media-for-tests.ts';

type Span = readonly [number, number];

// The first sixteen seconds of the sample hold four utterances and nothing else.
const END = 16_500;
const whole: Span = [0, END];
const SOUND = { audioTrackIndex: 0, videoTrackIndex: null };
const gold = await readSampleGold();
const utterances = gold.utterances
  .filter(({ endMs }) => endMs <= END)
  .map(({ startMs, endMs }): Span => [startMs, endMs]);

let bench: DetectionBench;

test.before(async () => {
  bench = await openDetectionBench();
});

test.after.always(() => bench.close());

// Chords that change twice a second.
const chord = (...steps: readonly number[]) =>
  steps.map((step) => `0.06*sin(2*PI*t*${step}*(1+floor(mod(2*t\\,7))/6))*exp(-3*mod(t\\,0.5))`).join('+');
const music = (...steps: readonly number[]) => [
  '-f',
  'lavfi',
  '-i',
  `aevalsrc=${chord(...steps)}:s=48000:d=${END / 1000}`,
];
const LEFT_MUSIC = music(220, 277, 330);
const RIGHT_MUSIC = music(196, 247, 370);

/** Makes a file of the voice and other sounds by a filter graph, whose `[v]` is the voice at 48 kHz. */
async function made(name: string, graph: string, ...others: readonly (readonly string[])[]): Promise<string> {
  const voice = `[0:a]atrim=end=${END / 1000},aresample=48000,aformat=channel_layouts=mono[v];`;
  const inputs = ['-i', sampleMedia, ...others.flat()];
  await ffmpeg(
    bench.folder,
    ...inputs,
    '-filter_complex',
    `${voice}${graph}[out]`,
    '-map',
    '[out]',
    '-c:a',
    'pcm_s24le',
    name,
  );
  return path.join(bench.folder, name);
}

const heard = (file: string): Promise<Detection[]> => detect(bench, file, whole, SOUND);

const overlap = (spans: readonly Span[], [from, to]: Span): number =>
  spans.reduce((sum, [startMs, endMs]) => sum + Math.max(0, Math.min(endMs, to) - Math.max(startMs, from)), 0);

/** The harmonic mean of precision and recall, by duration. */
function f1(found: readonly Span[]): number {
  const hit = utterances.reduce((sum, utterance) => sum + overlap(found, utterance), 0);
  const length = (spans: readonly Span[]) => spans.reduce((sum, [startMs, endMs]) => sum + endMs - startMs, 0);
  return (2 * hit) / (length(found) + length(utterances));
}

for (const [title, graph, channels, others] of [
  ['channels in antiphase', '[v]asplit[l][r];[r]volume=-1[n];[l][n]join', 'left', []],
  ['channels almost in antiphase', '[v]asplit[l][r];[r]volume=-0.9[n];[l][n]join', 'left', []],
  ['a voice on the left beside music on the right', '[v][1]join', 'left, right', [LEFT_MUSIC]],
  ['a voice on the right below louder music', '[1]volume=8dB[m];[m][v]join', 'left, right', [LEFT_MUSIC]],
  [
    'a voice in the centre of a film',
    '[1]volume=10dB[l];[2]volume=10dB[r];[l][r][v]join=inputs=3:channel_layout=3.0,aformat=channel_layouts=5.1',
    'left, right, centre',
    [LEFT_MUSIC, RIGHT_MUSIC],
  ],
] as const) {
  test(`speech is found in ${title}`, async (t) => {
    const found = await heard(await made(`${title.replaceAll(' ', '-')}.wav`, graph, ...others));
    const artifact = artifactOf(t, found, 'speech_activity');
    const speech = spansOf(artifact, 'speech_window');
    t.true(f1(speech) >= 0.93, `F1 ${f1(speech)}: ${speech.join(' ')}`);
    t.is(artifact.parameters.channelsApart, channels);
    t.true(Number(artifact.parameters.channelsApartMs) > 12_000);
  });
}

test('equal channels have the facts of one channel, and are measured as one', async (t) => {
  const mono = await heard(await made('mono.wav', '[v]anull'));
  const dual = await heard(await made('dual.wav', '[v]asplit[l][r];[l][r]join'));
  for (const found of [mono, dual]) {
    const { parameters } = artifactOf(t, found, 'speech_activity');
    t.deepEqual([parameters.channelsApart, parameters.channelsApartMs], [undefined, undefined]);
  }
  for (const kind of ['speech_activity', 'silence'] as const) {
    t.deepEqual(artifactOf(t, dual, kind).facts, artifactOf(t, mono, kind).facts);
  }
});

test('a voice between the sides of stereo music is measured as the mix alone', async (t) => {
  const graph =
    '[v]asplit[a][b];[1]volume=-12dB[m];[2]volume=-12dB[n];[a][m]amix=normalize=0[l];[b][n]amix=normalize=0[r];[l][r]join';
  const found = await heard(await made('stereo.wav', graph, LEFT_MUSIC, RIGHT_MUSIC));
  const artifact = artifactOf(t, found, 'speech_activity');
  t.true(f1(spansOf(artifact, 'speech_window')) >= 0.93);
  t.true(Number(artifact.parameters.channelsApartMs ?? 0) <= 3072, 'only where nobody speaks');
});

for (const layout of ['2.1', 'quad', '6.1', '7.1'] as const) {
  test(`sound in the layout ${layout} is heard`, async (t) => {
    const name = `${layout.replaceAll(/\W/g, '-')}.wav`;
    const found = await heard(await made(name, `[v]aformat=channel_layouts=${layout}`));
    t.true(f1(spansOf(artifactOf(t, found, 'speech_activity'), 'speech_window')) >= 0.93);
  });
}

/** Pauses of the voice, well inside of them. */
const pauses: readonly Span[] = [
  [100, 700],
  [3500, 4300],
  [8100, 8500],
  [10_900, 12_200],
];

for (const [title, graph, others] of [
  ['a recording at -44 dBFS', '[v]volume=-32dB', []],
  [
    'a room whose noise is at -34 dBFS',
    '[v][1]amix=normalize=0',
    // White noise of an even distribution: its power is a third of the square of its amplitude.
    [['-f', 'lavfi', '-i', `anoisesrc=d=${END / 1000}:c=white:r=48000:seed=7:a=${Math.sqrt(3) * 10 ** (-34 / 20)}`]],
  ],
] as const) {
  test(`the pauses of ${title} are its silences`, async (t) => {
    const found = await heard(await made(`${title.replaceAll(/\W/g, '-')}.wav`, graph, ...others));
    const artifact = artifactOf(t, found, 'silence');
    const silences = spansOf(artifact, 'silence');
    for (const pause of pauses) {
      t.true(overlap(silences, pause) >= 0.9 * (pause[1] - pause[0]), `${pause}: ${silences.join(' ')}`);
    }
    for (const utterance of utterances) {
      t.true(
        overlap(silences, utterance) <= 0.15 * (utterance[1] - utterance[0]),
        `${utterance}: ${silences.join(' ')}`,
      );
    }
  });
}
