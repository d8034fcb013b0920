import { readFile } from 'node:fs/promises';
import test from 'ava';
import { grayPictureOf } from '../../../features/screen-text/engine/gray-picture.ts';
import {
  SAMPLE_RULE,
  type SampleRequest,
  sampledPictures,
} from '../../../features/screen-text/engine/sampled-pictures.ts';
import { openScreenTextReader } from '../../../features/screen-text/engine/tesseract.ts';
import { openDetectionBench, realClock, watched } from '../../executors/evidence/detection-for-tests.ts';
import { launcherFor } from '../../executors/process/launcher-for-tests.ts';
import { type MediaRecipe, madeMedia } from '../../media/made-media.ts';
import { drawn, quickH264 } from '../../media/recipes.ts';
import { filmOf, filmsWithoutText, openFilmReader } from './read-film.ts';

const bench = await openDetectionBench();
test.after.always(() => bench.close());

/** One key frame in ten seconds: where a transport stream is entered, the next one may be far away. */
const rareInStream: MediaRecipe = {
  words: [
    ...[...drawn('testsrc=s=160x90:r=10:d=26'), '-pix_fmt', 'yuv420p'],
    ...[...quickH264, '-g', '100', '-sc_threshold', '0'],
  ],
  extension: 'ts',
};

const rareInMatroska: MediaRecipe = {
  words: ['-i', 'rare.ts', '-c', 'copy'],
  extension: 'mkv',
  inputs: { 'rare.ts': rareInStream },
};

async function sampled(
  media: MediaRecipe,
  [startMs, endMs]: readonly [number, number],
  deps = watched(bench.launcher),
) {
  const request: SampleRequest = {
    path: await madeMedia(media),
    videoTrackIndex: 0,
    window: { startMs, endMs },
    keyframesMs: [],
    signal: new AbortController().signal,
  };
  const pictures = await sampledPictures({ launcher: deps.launcher, ffmpeg: bench.ffmpeg }, request);
  return { pictures, runs: deps.requests.length };
}

test('no picture is missing in a window that begins far behind a key frame of a transport stream', async (t) => {
  const { pictures } = await sampled(rareInStream, [17_000, 22_000]);
  const { pictures: others } = await sampled(rareInMatroska, [17_000, 22_000]);
  const times = pictures.map(({ atMs }) => atMs);
  t.deepEqual(times, [17_000, 18_000, 19_000, 20_000, 21_000]);
  const inStream = pictures.map(({ pixels }) => pixels);
  const inMatroska = others.map(({ pixels }) => pixels);
  t.deepEqual(inStream, inMatroska);
});

test('a container that can be entered in the middle is decoded once', async (t) => {
  t.is((await sampled(rareInMatroska, [17_000, 22_000])).runs, 1);
  t.is((await sampled(rareInStream, [0, 3000])).runs, 1);
});

test('a window behind the last picture has none, and is not looked for from the start', async (t) => {
  const { pictures, runs } = await sampled(rareInMatroska, [100_000, 103_000]);
  t.deepEqual(pictures, []);
  t.is(runs, 2);
});

const written = (words: string, rest: string) =>
  `drawtext=fontfile=/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf:text='${words}':fontcolor=white:x=(w-text_w)/2:${rest}`;

/** The texts that pass in a film of two seconds. */
async function passedIn(graph: string): Promise<string[]> {
  const reader = await openFilmReader(bench, ['eng']);
  const { texts } = await reader.read(await filmOf(graph, 2), 2);
  await reader.close();
  return texts.filter(({ outcome }) => outcome === 'passed').map(({ text }) => text);
}

const porto = written('Weather tomorrow in Porto', 'y=h-110:fontsize=30');

test('a title passes whole on an even ground, and if it fades into its ground', async (t) => {
  t.timeout(180_000, 'an engine on a busy machine');
  t.deepEqual(await passedIn(['color=c=0x203040:s=640x360:r=10', porto].join(',')), ['Weather tomorrow in Porto']);
  const gradient = 'gradients=s=640x360:r=10:c0=0x405060:c1=0x90a0b0:seed=5:speed=0.00001';
  t.deepEqual(await passedIn([gradient, porto].join(',')), ['Weather tomorrow in Porto']);
});

test('a title with an outline passes in front of leaves, and a page of them has nothing else', async (t) => {
  t.timeout(180_000, 'an engine on a busy machine');
  const leaves = filmsWithoutText.leaves ?? '';
  t.deepEqual(await passedIn([leaves, `${porto}:borderw=3:bordercolor=black`].join(',')), [
    'Weather tomorrow in Porto',
  ]);
});

// The others keep the engine for minutes.
const cheap = ['bars', 'gradients', 'noise', 'checks', 'bricks'] as const;

test('in films without a letter no text passes', async (t) => {
  const reader = await openFilmReader(bench, ['eng', 'kor']);
  for (const name of cheap) {
    const { pictures, texts } = await reader.read(await filmOf(filmsWithoutText[name] ?? '', 2), 2);
    t.true(pictures.length > 0, name);
    t.deepEqual(
      texts.filter(({ outcome }) => outcome === 'passed'),
      [],
      name,
    );
  }
  await reader.close();
});

test('bug: one picture that the engine cannot read ended its process, and all text of the study was lost', async (t) => {
  const reader = await openScreenTextReader(
    { engine: 'tesseract', languages: ['eng'] },
    { launcher: bench.launcher, clock: realClock },
  );
  const open = await reader.open(new AbortController().signal);
  // Sauvola's window does not fit into so few rows; Otsu's threshold needs none.
  t.deepEqual(await open.read(grayPictureOf(40, 5, Buffer.alloc(200, 128)).pgm), []);
  t.deepEqual(await open.read(grayPictureOf(64, 48, Buffer.alloc(3072, 128)).pgm), []);
  await open.close();
});

/** The longest range of a study. */
const fourHoursMs = 4 * 60 * 60 * 1000;

test('bug: the answers for all pictures of a long study were more than their process may write', async (t) => {
  const { launcher, requests } = watched((await launcherFor(t)).launcher);
  let answered = 0;
  const counting: typeof launcher = {
    ...launcher,
    start: async (request) => {
      const running = await launcher.start(request);
      for (const pipe of running.extra) pipe.on('data', (chunk: Buffer) => (answered += chunk.length));
      return running;
    },
  };
  const lines = [80, 180, 280, 380].map((y) => `drawtext=text=Orders from abroad doubled since spring:x=40:y=${y}`);
  const graph = `color=white:s=640x480,${lines.map((line) => `${line}:fontsize=28`).join()}`;
  const asPgm = ['-frames:v', '1', '-pix_fmt', 'gray', '-c:v', 'pgm', '-f', 'image2pipe'];
  const picture = await readFile(await madeMedia({ words: [...drawn(graph), ...asPgm], extension: 'pgm' }));
  const reader = await openScreenTextReader(
    { engine: 'tesseract', languages: ['eng'] },
    { launcher: counting, clock: realClock },
  );
  const open = await reader.open(new AbortController().signal);
  answered = 0;
  t.is((await open.read(picture)).length, 4);
  await open.close();
  const pictures = fourHoursMs / SAMPLE_RULE.everyMs;
  t.true(pictures * answered <= (requests.at(-1)?.limits.stdoutBytes ?? 0), `${answered} bytes for one picture`);
});
