import { createCipheriv } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import type { Detection } from '../../../contract/evidence/evidence.ts';
import { readSubtitleTracks, withinAll } from '../../../executors/evidence/subtitle-tracks.ts';
import { mediaInput } from '../../../executors/sources/media-input.ts';
import { readSampleGold, sampleMedia } from '../../../fixtures/sample/gold.ts';
import { type MediaInput, type MediaRecipe, madeMedia } from '../../media/made-media.ts';
import { drawn, quickH264, redPicture } from '../../media/recipes.ts';
import { failureOf } from '../process/launcher-for-tests.ts';
import {
  artifactOf,
  cutsOf,
  detect,
  openDetectionBench,
  overlapMs,
  spansOf,
  statesOf,
  watched,
} from './detection-for-tests.ts';

const bench = await openDetectionBench();

const gold = await readSampleGold();
test.after.always(() => bench.close());
const SOUND = drawn('aevalsrc=0.3*sin(2*PI*440*t)*between(t\\,2\\,4):s=44100:d=6');
const RED = drawn('color=red:s=160x90:r=25:d=3');
const WHITE = drawn('color=white:s=160x90:r=25:d=3');
const X264 = [...quickH264, '-pix_fmt', 'yuv420p'];
const JOINED = ['-filter_complex', '[1][2]concat=n=2:v=1,format=yuv420p[v]', '-map', '[v]', '-map', '0:a'];

// The tone sounds from 2 to 4 s, the cut is at 3 s.
const TONE: readonly [number, number] = [2000, 4000];
const CUT = 3000;
const SOUND_ONLY = { audioTrackIndex: 0, videoTrackIndex: null };
const PICTURE_ONLY = { audioTrackIndex: null, videoTrackIndex: 0 };

const toneFilm: MediaRecipe = {
  words: [...SOUND, ...RED, ...WHITE, ...JOINED, ...X264, '-c:a', 'aac'],
  extension: 'mp4',
};

/** Output of ffmpeg for these arguments, in which `film.mp4` is the film with the tone. */
const made = (extension: string, words: readonly string[], inputs: Readonly<Record<string, MediaInput>> = {}) =>
  madeMedia({ words, extension, inputs: { 'film.mp4': toneFilm, ...inputs } });

const from = (extension: string, ...words: readonly string[]) => made(extension, ['-i', 'film.mp4', ...words]);

/** The silences beside the one tone, each within the tolerance. */
function besideTone(
  t: Parameters<typeof artifactOf>[0],
  silences: readonly (readonly [number, number])[],
  end: number,
  by: number,
) {
  t.is(silences.length, 2);
  const [[start = 0, toneStart = 0] = [], [toneEnd = 0, last = 0] = []] = silences;
  t.is(start, 0);
  t.true(Math.abs(toneStart - TONE[0]) <= by, `the tone begins at ${toneStart} ms`);
  t.true(Math.abs(toneEnd - TONE[1]) <= by, `the tone ends at ${toneEnd} ms`);
  t.true(last <= end);
}

test('an FLV whose tracks begin a little late is measured from its start on', async (t) => {
  // Pictures that are shown in another order than they are stored in come late, by two frames.
  const late = [...quickH264, '-bf', '2', '-b_strategy', '0', '-c:a', 'aac'];
  const words = [...drawn('sine=d=6'), ...RED, ...WHITE, ...JOINED, ...late];
  const found = await detect(bench, await madeMedia({ words, extension: 'flv' }), [0, 6000]);
  const [at = 0, ...others] = cutsOf(artifactOf(t, found, 'shot_changes'));
  t.true(Math.abs(at - CUT) <= 100, `the cut is at ${at} ms`);
  t.deepEqual(others, []);
  t.deepEqual(spansOf(artifactOf(t, found, 'silence'), 'silence'), []);
});

test('the sound of media without a picture is measured', async (t) => {
  const found = await detect(bench, await from('m4a', '-vn', '-c', 'copy'), [0, 6000], SOUND_ONLY);
  t.deepEqual(statesOf(found), [
    ['speech_activity', 'available'],
    ['silence', 'available'],
    ['loudness', 'available'],
    ['shot_changes', 'no_video_track'],
  ]);
  besideTone(t, spansOf(artifactOf(t, found, 'silence'), 'silence'), 6000, 30);
  t.deepEqual(spansOf(artifactOf(t, found, 'speech_activity'), 'speech_window'), []);
});

test('sound of one channel that its decoder does not name (TTA) is measured like any other', async (t) => {
  const found = await detect(bench, await from('tta', '-vn', '-c:a', 'tta'), [0, 6000], SOUND_ONLY);
  besideTone(t, spansOf(artifactOf(t, found, 'silence'), 'silence'), 6000, 30);
  const loudness = (each: typeof found) => artifactOf(t, each, 'loudness').facts;
  const same = await from('wav', '-vn', '-c:a', 'pcm_s16le');
  t.deepEqual(loudness(found), loudness(await detect(bench, same, [0, 6000], SOUND_ONLY)));
});

test('media without sound is seen', async (t) => {
  const found = await detect(bench, await from('mp4', '-an', '-c', 'copy'), [0, 6000], PICTURE_ONLY);
  t.deepEqual(statesOf(found), [
    ['speech_activity', 'no_audio_track'],
    ['silence', 'no_audio_track'],
    ['loudness', 'no_audio_track'],
    ['shot_changes', 'available'],
  ]);
  t.deepEqual(cutsOf(artifactOf(t, found, 'shot_changes')), [CUT]);
});

test('without any track nothing is run', async (t) => {
  const ffmpegThatIsGone = { ...bench.ffmpeg, path: path.join(bench.folder, 'no-such-tool') };
  const none = { audioTrackIndex: null, videoTrackIndex: null };
  const found = await detect({ ...bench, ffmpeg: ffmpegThatIsGone }, await madeMedia(toneFilm), [0, 6000], none);
  t.deepEqual(statesOf(found), [
    ['speech_activity', 'no_audio_track'],
    ['silence', 'no_audio_track'],
    ['loudness', 'no_audio_track'],
    ['shot_changes', 'no_video_track'],
  ]);
});

test('a cover on a piece of music is never looked at', async (t) => {
  const covered = ['-map', '0', '-map', '1', '-c:v', 'copy', '-c:a', 'libmp3lame', '-disposition:v', 'attached_pic'];
  const song = await made('mp3', [...SOUND, '-i', 'cover.png', ...covered], { 'cover.png': redPicture });
  const found = await detect(bench, song, [0, 6000], SOUND_ONLY);
  t.is(statesOf(found)[3]?.[1], 'no_video_track');
  besideTone(t, spansOf(artifactOf(t, found, 'silence'), 'silence'), 6000, 60);
});

for (const [name, args] of [
  ['a transport stream, whose clock starts late', ['ts', '-c', 'copy']],
  ['Matroska, whose clock counts milliseconds', ['mkv', '-c', 'copy']],
  ['Matroska that starts late', ['mkv', '-c', 'copy', '-output_ts_offset', '5.5']],
  ['AVI with PCM', ['avi', '-c:v', 'mpeg4', '-c:a', 'pcm_s16le']],
] as const) {
  test(`times count from the start of ${name}`, async (t) => {
    const [extension, ...words] = args;
    const file = await from(extension, ...words);
    for (const [startMs, endMs] of [
      [0, 5500],
      [2500, 3501],
    ] as const) {
      const tracks = { audioTrackIndex: 1, videoTrackIndex: 0 };
      const found = await detect(bench, file, [startMs, endMs], tracks);
      const [cut = 0, ...more] = cutsOf(artifactOf(t, found, 'shot_changes'));
      t.is(more.length, 0);
      // Sound may begin a frame before the picture, which moves the start of the container.
      t.true(Math.abs(cut - CUT) <= 40, `the cut is at ${cut} ms`);
      const silences = spansOf(artifactOf(t, found, 'silence'), 'silence');
      if (startMs === 0) besideTone(t, silences, endMs, 60);
      else t.deepEqual(silences, []);
      t.is(artifactOf(t, found, 'speech_activity').input.derivedAudio?.samples, (endMs - startMs) * 16);
    }
  });
}

test('a container that can be entered in the middle is decoded once', async (t) => {
  const { launcher, requests } = watched(bench.launcher);
  await detect({ ...bench, launcher }, sampleMedia, [30_000, 31_000]);
  t.is(requests.filter(({ tool }) => tool === bench.ffmpeg.path).length, 1);
});

test('sound that begins after the picture keeps its place', async (t) => {
  const inputs = ['-i', 'film.mp4', '-itsoffset', '1', '-i', 'film.mp4'];
  const lateSound = await made('mp4', [...inputs, '-map', '0:v', '-map', '1:a', '-c', 'copy']);
  for (const range of [
    [0, 6000],
    [500, 6000],
  ] as const) {
    const found = await detect(bench, lateSound, range);
    const [[start = 0, toneStart = 0] = []] = spansOf(artifactOf(t, found, 'silence'), 'silence');
    t.is(start, range[0]);
    t.true(Math.abs(toneStart - 3000) <= 30, `the tone begins at ${toneStart} ms`);
  }
});

for (const extension of ['mp4', 'ts', 'mkv']) {
  test(`bug: sound before the first picture was taken for silence in ${extension.toUpperCase()}`, async (t) => {
    const inputs = ['-i', 'film.mp4', '-itsoffset', '5', '-i', 'film.mp4'];
    const late = await made(extension, [...inputs, '-map', '1:v', '-map', '0:a', '-c', 'copy']);
    const ranges: [number, number][] = [
      [0, 6000],
      [1500, 4500],
    ];
    for (const range of ranges) {
      const found = await detect(bench, late, range, { audioTrackIndex: 1, videoTrackIndex: 0 });
      const [[start = 0, toneStart = 0] = [], [toneEnd = 0] = []] = spansOf(artifactOf(t, found, 'silence'), 'silence');
      t.is(start, range[0]);
      t.true(Math.abs(toneStart - TONE[0]) <= 60, `the tone begins at ${toneStart} ms`);
      t.true(Math.abs(toneEnd - TONE[1]) <= 60, `the tone ends at ${toneEnd} ms`);
    }
  });
}

test('sound that ends before the picture leaves the rest of the range without speech', async (t) => {
  const inputs = ['-i', 'film.mp4', '-t', '2.5', '-i', 'film.mp4'];
  const briefSound = await made('mp4', [...inputs, '-map', '0:v', '-map', '1:a', '-c', 'copy']);
  const found = await detect(bench, briefSound, [0, 6000]);
  const { input, facts } = artifactOf(t, found, 'speech_activity');
  t.true((input.derivedAudio?.samples ?? 0) < 2600 * 16);
  const silentUntil = facts.map((fact) => fact.kind === 'non_speech_window' && fact.endMs);
  t.deepEqual(silentUntil, [6000]);
});

test('sound that changes its channels on the way is measured as a whole', async (t) => {
  const tone = (channels: string, ...more: readonly string[]): MediaRecipe => ({
    words: [...SOUND, '-ac', channels, '-c:a', 'aac', '-f', 'mpegts', ...more],
    extension: 'ts',
  });
  const parts = { 'mono.ts': tone('1'), 'stereo.ts': tone('2', '-output_ts_offset', '6') };
  const change = await made('ts', ['-i', 'concat:mono.ts|stereo.ts', '-c', 'copy'], parts);
  const found = await detect(bench, change, [0, 12_000], SOUND_ONLY);
  t.is(artifactOf(t, found, 'speech_activity').input.derivedAudio?.samples, 12_000 * 16);
  const silences = spansOf(artifactOf(t, found, 'silence'), 'silence').flat();
  t.is(silences.length, 6);
  for (const [at, ms] of [0, 2000, 4000, 8000, 10_000, 12_000].entries()) {
    t.true(Math.abs((silences[at] ?? -1) - ms) <= 60, `${silences[at]} ms`);
  }
});

test('neither a flash nor a slow dissolve is a change of shot', async (t) => {
  const cutsIn = async (endMs: number, inputs: readonly string[], graph: string) => {
    const film = await made('mp4', [...inputs, '-filter_complex', graph, '-map', '[v]', ...X264]);
    return cutsOf(artifactOf(t, await detect(bench, film, [0, endMs], PICTURE_ONLY), 'shot_changes'));
  };
  const flash = "[0]drawbox=color=white:t=fill:enable='between(n,30,31)',format=yuv420p[v]";
  t.deepEqual(await cutsIn(3000, RED, flash), []);
  const dissolve = '[0][1]xfade=duration=1.5:offset=1,format=yuv420p[v]';
  t.deepEqual(await cutsIn(4000, [...RED, ...WHITE], dissolve), []);
});

test('a digital silence has no loudness', async (t) => {
  const nothing = await made('wav', [...drawn('anullsrc=r=48000:cl=stereo'), '-t', '4']);
  const found = await detect(bench, nothing, [0, 4000], SOUND_ONLY);
  const none = { integratedCentiLufs: null, rangeCentiLu: null, truePeakCentiDbtp: null };
  t.deepEqual(artifactOf(t, found, 'loudness').facts, [{ kind: 'loudness', startMs: 0, endMs: 4000, ...none }]);
  t.deepEqual(spansOf(artifactOf(t, found, 'silence'), 'silence'), [[0, 4000]]);
});

test('loudness is measured as the standard prescribes', async (t) => {
  // EBU Tech 3341, case 1: a stereo sine of 1 kHz at -23 dBFS measures -23 LUFS.
  const sine = `aevalsrc=${Array(2)
    .fill(`${10 ** (-23 / 20)}*sin(2*PI*1000*t)`)
    .join('|')}:s=48000:d=20`;
  const standard = await made('wav', drawn(sine));
  const [fact] = artifactOf(t, await detect(bench, standard, [0, 20_000], SOUND_ONLY), 'loudness').facts;
  if (fact?.kind !== 'loudness') throw new Error('no loudness');
  t.true(Math.abs((fact.integratedCentiLufs ?? 0) + 2300) <= 10);
  t.true(Math.abs((fact.truePeakCentiDbtp ?? 0) + 2300) <= 10);
  t.is(fact.rangeCentiLu, 0);
});

test('sound of which more than a tenth cannot be decoded is a closed failure', async (t) => {
  const bytes = await readFile(await from('m4a', '-vn', '-c:a', 'aac', '-b:a', '128k'));
  const start = bytes.indexOf('mdat') + 2000;
  // The keystream of a fixed key: noise, and the same on every run.
  const noise = createCipheriv('aes-128-ctr', Buffer.alloc(16, 7), Buffer.alloc(16));
  noise.update(Buffer.alloc(Math.floor(bytes.length / 2))).copy(bytes, start);
  const damaged = path.join(bench.folder, 'damaged.m4a');
  await writeFile(damaged, bytes);
  t.is((await failureOf(t, detect(bench, damaged, [0, 6000], SOUND_ONLY))).reason, 'tool_exit');
});

test('a track that the file does not have is a closed failure without a path', async (t) => {
  const failure = await t.throwsAsync(
    detect(bench, sampleMedia, [0, 1000], { audioTrackIndex: 9, videoTrackIndex: null }),
  );
  t.regex(failure?.message ?? '', /^tool_exit: [^/]+$/);
});

const range: readonly [number, number] = [6000, 18_000];

/** 24 seconds: a tone from 8 to 16 s, a cut at 14 s, a line from 10 to 11 s. */
const film: MediaRecipe = {
  words: [
    ...drawn('aevalsrc=0.3*sin(2*PI*440*t)*between(t\\,8\\,16):s=44100:d=24'),
    ...drawn('color=red:s=160x90:r=10:d=14'),
    ...drawn('color=white:s=160x90:r=10:d=10'),
    ...['-i', 'lines.srt', '-filter_complex', '[1][2]concat=n=2:v=1,format=yuv420p[v]'],
    ...['-map', '[v]', '-map', '0:a', '-map', '3', ...quickH264, '-c:a', 'pcm_s16le', '-c:s', 'srt'],
  ],
  extension: 'mkv',
  inputs: { 'lines.srt': '1\n00:00:10,000 --> 00:00:11,000\nhello\n\n' },
};

const ofFilm = (extension: string, before: readonly string[], words: readonly string[]): MediaRecipe => ({
  words: [...before, '-i', 'film.mkv', ...words],
  extension,
  inputs: { 'film.mkv': film },
});

test('a film whose clock begins at 7 s has the evidence and the lines of one that begins at zero', async (t) => {
  const whole = await madeMedia(film);
  const late = await madeMedia(ofFilm('mkv', [], ['-map', '0', '-c', 'copy', '-output_ts_offset', '7']));
  t.deepEqual(await detect(bench, late, range), await detect(bench, whole, range));
  const linesOf = async (file: string) =>
    withinAll(
      await readSubtitleTracks(bench, {
        input: mediaInput(file),
        tracks: [{ index: 2, codec: 'subrip' }],
        range: { startMs: 0, endMs: 24_000 },
        signal: new AbortController().signal,
      }),
      { startMs: 0, endMs: 24_000 },
    );
  t.deepEqual(await linesOf(late), [[{ startMs: 10_000, endMs: 11_000, text: 'hello', reasonCode: null }]]);
  t.deepEqual(await linesOf(late), await linesOf(whole));
});

for (const [what, words] of [
  ['from stereo to mono', ['-ac', '1']],
  ['the size of its picture', ['-ac', '2', '-s', '320x180']],
] as const) {
  test(`a joined stream that changes ${what} is measured through the seam`, async (t) => {
    const codecs = ['-map', '0:v', '-map', '0:a', ...quickH264, '-bf', '0', '-c:a', 'mp2', '-ar', '44100'];
    const first = await madeMedia(ofFilm('ts', ['-t', '12'], [...codecs, '-ac', '2']));
    const second = await madeMedia(ofFilm('ts', ['-ss', '12'], [...codecs, ...words]));
    const joined = path.join(bench.folder, `${what.replaceAll(' ', '-')}.ts`);
    await writeFile(joined, Buffer.concat([await readFile(first), await readFile(second)]));
    const found = await detect(bench, joined, range);
    t.is(artifactOf(t, found, 'speech_activity').input.derivedAudio?.samples, 12_000 * 16);
    const close = (ms: number | undefined, wanted: number) => t.true(Math.abs((ms ?? -1) - wanted) <= 120, `${ms} ms`);
    const [before, after] = spansOf(artifactOf(t, found, 'silence'), 'silence');
    close(before?.[1], 8000);
    close(after?.[0], 16_000);
    const cuts = cutsOf(artifactOf(t, found, 'shot_changes'));
    close(cuts.at(-1), 14_000);
  });
}

test('a film of which a tenth is missing is measured to its end', async (t) => {
  const bytes = await readFile(await madeMedia(film));
  const cut = path.join(bench.folder, 'cut.mkv');
  await writeFile(cut, bytes.subarray(0, Math.floor(bytes.length * 0.9)));
  const [, silence] = spansOf(artifactOf(t, await detect(bench, cut, [0, 20_000]), 'silence'), 'silence');
  t.true(Math.abs((silence?.[0] ?? 0) - 16_000) <= 60);
});

// The first sixteen seconds of the sample hold four utterances and nothing else.
const END = 16_500;
type Span = readonly [number, number];
const firstUtterances: Span = [0, END];
const SOUNDOfDetectChannels = { audioTrackIndex: 0, videoTrackIndex: null };

const utterances = gold.utterances
  .filter(({ endMs }) => endMs <= END)
  .map(({ startMs, endMs }): Span => [startMs, endMs]);

// Chords that change twice a second.
const chord = (...steps: readonly number[]) =>
  steps.map((step) => `0.06*sin(2*PI*t*${step}*(1+floor(mod(2*t\\,7))/6))*exp(-3*mod(t\\,0.5))`).join('+');

const music = (...steps: readonly number[]) => drawn(`aevalsrc=${chord(...steps)}:s=48000:d=${END / 1000}`);
const LEFT_MUSIC = music(220, 277, 330);
const RIGHT_MUSIC = music(196, 247, 370);

/** Speech found in the voice and other sounds, mixed by a filter graph whose `[v]` is the voice at 48 kHz. */
async function detectionsOf(graph: string, ...others: readonly (readonly string[])[]): Promise<Detection[]> {
  const voice = `[0:a]atrim=end=${END / 1000},aresample=48000,aformat=channel_layouts=mono[v];`;
  const mixed = ['-filter_complex', `${voice}${graph}[out]`, '-map', '[out]', '-c:a', 'pcm_s24le'];
  const words = ['-i', 'sample.mp4', ...others.flat(), ...mixed];
  const file = await madeMedia({ words, extension: 'wav', inputs: { 'sample.mp4': { copyOf: sampleMedia } } });
  return detect(bench, file, firstUtterances, SOUNDOfDetectChannels);
}

/** The harmonic mean of precision and recall, by duration. */
function f1(found: readonly Span[]): number {
  const hit = utterances.reduce((sum, utterance) => sum + overlapMs(found, utterance), 0);
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
    const found = await detectionsOf(graph, ...others);
    const artifact = artifactOf(t, found, 'speech_activity');
    const speech = spansOf(artifact, 'speech_window');
    t.true(f1(speech) >= 0.93, `F1 ${f1(speech)}: ${speech.join(' ')}`);
    t.is(artifact.parameters.channelsApart, channels);
    t.true(Number(artifact.parameters.channelsApartMs) > 12_000);
  });
}

test('equal channels have the facts of one channel, and are measured as one', async (t) => {
  const mono = await detectionsOf('[v]anull');
  const dual = await detectionsOf('[v]asplit[l][r];[l][r]join');
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
  const found = await detectionsOf(graph, LEFT_MUSIC, RIGHT_MUSIC);
  const artifact = artifactOf(t, found, 'speech_activity');
  t.true(f1(spansOf(artifact, 'speech_window')) >= 0.93);
  t.true(Number(artifact.parameters.channelsApartMs ?? 0) <= 3072, 'only where nobody speaks');
});

for (const layout of ['2.1', 'quad', '6.1', '7.1'] as const) {
  test(`sound in the layout ${layout} is measured`, async (t) => {
    const found = await detectionsOf(`[v]aformat=channel_layouts=${layout}`);
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
    [drawn(`anoisesrc=d=${END / 1000}:c=white:r=48000:seed=7:a=${Math.sqrt(3) * 10 ** (-34 / 20)}`)],
  ],
] as const) {
  test(`the pauses of ${title} are its silences`, async (t) => {
    const found = await detectionsOf(graph, ...others);
    const artifact = artifactOf(t, found, 'silence');
    const silences = spansOf(artifact, 'silence');
    for (const pause of pauses) {
      t.true(overlapMs(silences, pause) >= 0.9 * (pause[1] - pause[0]), `${pause}: ${silences.join(' ')}`);
    }
    for (const utterance of utterances) {
      t.true(
        overlapMs(silences, utterance) <= 0.15 * (utterance[1] - utterance[0]),
        `${utterance}: ${silences.join(' ')}`,
      );
    }
  });
}
