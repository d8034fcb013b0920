import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { KeyframeFact } from '../../../contract/evidence/evidence-object.ts';
import { detectRange } from '../../../executors/evidence/detect.ts';
import { jpegSize } from '../../../kinds/keyframes.ts';
import { type MediaRecipe, madeMedia } from '../../media/made-media.ts';
import { drawn, quickH264 } from '../../media/recipes.ts';
import { furtherEvidence, openDetectionBench, sourceContentId } from './detection-for-tests.ts';

const bench = await openDetectionBench();
test.after.always(() => bench.close());

const PICTURE_ONLY = { audioTrackIndex: null, videoTrackIndex: 0 };

const shots = [
  'testsrc2=s=160x120:r=10:d=3',
  'mandelbrot=s=160x120:r=10,trim=duration=11',
  'smptebars=s=160x120:r=10:d=0.4',
].map((shot, at) => `${shot},setsar=2,format=yuv420p[s${at}]`);

/** Three shots of drawn pictures (0, 3 and 14 s to 14.4 s) whose pixels are wider than high. */
const shotFilm: MediaRecipe = {
  words: [...drawn(`${shots.join(';')};[s0][s1][s2]concat=n=3,setsar=2`), ...quickH264],
  extension: 'mkv',
};

async function keyframesOf(t: ExecutionContext, range: readonly [number, number], of = shotFilm) {
  const { factsOf, objects } = await furtherEvidence(t, bench, await madeMedia(of), range, PICTURE_ONLY);
  return { facts: factsOf('keyframes') as KeyframeFact[], objects };
}

test('each shot of a film has a keyframe, and a long one has more', async (t) => {
  const { facts, objects } = await keyframesOf(t, [0, 14_400]);
  const pieces = facts.map(({ startMs, endMs, atMs }) => [startMs, endMs, atMs]);
  t.deepEqual(pieces, [
    [0, 3000, 1200],
    [3000, 13_000, 7800],
    [14_000, 14_400, 14_200],
  ]);
  t.is(objects.length, facts.length);
  for (const [at, fact] of facts.entries()) {
    const { contentId, bytes } = objects[at] ?? { contentId: '', bytes: new Uint8Array() };
    t.is(contentId, `sha256:${createHash('sha256').update(bytes).digest('hex')}`);
    t.deepEqual([fact.index, fact.contentId, fact.bytes], [at, contentId, bytes.length]);
    // Square pixels, of the height that the film has.
    t.deepEqual([fact.width, fact.height], [320, 120]);
    t.deepEqual(jpegSize(bytes), { width: 320, height: 120 });
  }
});

test('the keyframes of a film recorded upright are upright, and its cuts stay in place', async (t) => {
  const upright: MediaRecipe = {
    words: ['-i', 'shots.mkv', '-c', 'copy', '-metadata:s:v:0', 'rotate=90'],
    extension: 'mov',
    inputs: { 'shots.mkv': shotFilm },
  };
  const { facts, objects } = await keyframesOf(t, [0, 14_400], upright);
  // Square pixels, of the width that the turned film has: its pixels are higher than wide.
  const pieces = facts.map(({ startMs, endMs, width, height }) => [startMs, endMs, width, height]);
  t.deepEqual(pieces, [
    [0, 3000, 60, 160],
    [3000, 13_000, 60, 160],
    [14_000, 14_400, 60, 160],
  ]);
  t.deepEqual(jpegSize(objects[0]?.bytes ?? new Uint8Array()), { width: 60, height: 160 });
});

test('a part of a film has the keyframes of that part alone', async (t) => {
  const { facts } = await keyframesOf(t, [2550, 3350]);
  const pieces = facts.map(({ startMs, endMs, atMs }) => [startMs, endMs, atMs]);
  t.deepEqual(pieces, [
    [2550, 3000, 2800],
    [3000, 3350, 3200],
  ]);
});

test('the pass fails when a keyframe cannot be kept, for that reason', async (t) => {
  const full = new Error('the disk is full');
  const working = detectRange(bench, {
    path: await madeMedia(shotFilm),
    sourceContentId,
    range: { startMs: 0, endMs: 5000 },
    audioTrackIndex: null,
    videoTrackIndex: 0,
    signal: new AbortController().signal,
    keep: () => Promise.reject(full),
  });
  t.is(await t.throwsAsync(working), full);
});

const endMs = 8000;

// Fifty different pictures a second, so that fields of one frame are of two moments.
const MOVING = "testsrc2=s=320x240:r=50:d=8,rotate='0.2*sin(t*2)'";

// Bright to its edges.
const BRIGHT = "testsrc2=s=320x240:r=50:d=8,lutyuv=y='clip(val,60,235)'";

/** Both kinds of a film whose moving pictures went through these filters; fields are coded as fields. */
async function formOf(
  t: ExecutionContext,
  filters: string,
  { source = MOVING, range = [0, endMs] }: { source?: string; range?: readonly [number, number] } = {},
) {
  const codec = ['-c:v', 'mpeg2video', '-b:v', '4M', '-flags', '+ilme+ildct', '-g', '12'];
  const words = [...drawn(source), '-vf', `${filters},format=yuv420p`, ...codec];
  const film = await madeMedia({ words, extension: 'mkv' });
  const { factsOf } = await furtherEvidence(t, bench, film, range, PICTURE_ONLY);
  return { interlacing: factsOf('interlacing'), letterbox: factsOf('letterbox') };
}

for (const { name, filters, order, least } of [
  { name: 'progressive', filters: 'fps=25', order: 'progressive', least: { progressiveMilli: 950 } },
  { name: 'the upper field first', filters: 'interlace=scan=tff', order: 'top_first', least: { topFirstMilli: 950 } },
  {
    name: 'the lower field first',
    filters: 'interlace=scan=bff',
    order: 'bottom_first',
    least: { bottomFirstMilli: 950 },
  },
  {
    name: 'telecined from 24 pictures',
    filters: 'fps=24000/1001,telecine=pattern=23',
    order: 'telecined',
    least: { repeatedMilli: 350 },
  },
] as const) {
  test(`the fields of a film are found: ${name}`, async (t) => {
    const { interlacing, letterbox } = await formOf(t, filters);
    t.is(interlacing.length, 1);
    t.like(interlacing[0], { kind: 'field_order', index: 0, startMs: 0, endMs, order });
    for (const [share, atLeast] of Object.entries(least)) {
      t.true(Number(Reflect.get(interlacing[0] ?? {}, share)) >= atLeast, JSON.stringify(interlacing[0]));
    }
    t.deepEqual(letterbox, []);
  });
}

for (const size of ['1:48', '48:1', '1:1']) {
  test(`bug: a film of ${size} pixels failed, as color has half of them`, async (t) => {
    const words = [...drawn(`testsrc=s=64x48:r=25:d=1,scale=${size},format=yuv420p`), '-c:v', 'ffv1'];
    const film = await madeMedia({ words, extension: 'mkv' });
    const { factsOf } = await furtherEvidence(t, bench, film, [0, 1000], PICTURE_ONLY);
    t.like(factsOf('interlacing')[0], { kind: 'field_order', startMs: 0, endMs: 1000, pictures: 25 });
  });
}

test('a still picture shows no field order', async (t) => {
  const { interlacing } = await formOf(t, 'fps=25', { source: 'color=gray:s=320x240:r=50:d=8' });
  t.like(interlacing[0], { order: 'unknown', startMs: 0, endMs, undeterminedMilli: 1000, pictures: 200 });
});

test('a film that becomes interlaced has a stretch of each, to ten seconds', async (t) => {
  const parts = `[0:v]split=2[a][b];[a]trim=end=10,fps=25[p];[b]trim=start=10,setpts=PTS-STARTPTS,interlace=scan=tff[i];[p][i]concat=n=2`;
  const source = MOVING.replace('d=8', 'd=20');
  const { interlacing } = await formOf(t, parts.replace('[0:v]', ''), { source, range: [0, 20_000] });
  const stretches = interlacing.map((fact) =>
    fact.kind === 'field_order' ? [fact.startMs, fact.endMs, fact.order] : [],
  );
  t.deepEqual(stretches, [
    [0, 10_000, 'progressive'],
    [10_000, 20_000, 'top_first'],
  ]);
});

const bars = (width: number, height: number) =>
  `fps=25,scale=${width}:${height},pad=320:240:(ow-iw)/2:(oh-ih)/2:black,setsar=1`;

for (const { name, form, expected } of [
  { name: 'above and below', form: bars(320, 136), expected: { left: 0, top: 52, width: 320, height: 136 } },
  { name: 'left and right', form: bars(240, 240), expected: { left: 40, top: 0, width: 240, height: 240 } },
  { name: 'on all sides', form: bars(256, 192), expected: { left: 32, top: 24, width: 256, height: 192 } },
]) {
  test(`black bars are found in pixels of the source: ${name}`, async (t) => {
    const { letterbox } = await formOf(t, form, { source: BRIGHT });
    t.is(letterbox.length, 1);
    const [fact] = letterbox;
    if (fact?.kind !== 'letterbox') return t.fail();
    t.like(fact, { index: 0, startMs: 0, endMs, pictureWidth: 320, pictureHeight: 240 });
    for (const [side, at] of Object.entries(expected)) {
      t.true(Math.abs(Number(Reflect.get(fact, side)) - at) <= 2, JSON.stringify(fact));
    }
    t.true(fact.agreeingMilli >= 900);
  });
}

test('bars that begin within a range begin there, to half a second', async (t) => {
  const change = `split=2[a][b];[a]trim=end=8,fps=25[p];[b]trim=start=8,setpts=PTS-STARTPTS,${bars(320, 136)}[i];[p][i]concat=n=2`;
  const source = BRIGHT.replace('d=8', 'd=16');
  const { letterbox } = await formOf(t, change, { source, range: [0, 16_000] });
  t.is(letterbox.length, 1);
  const [fact] = letterbox;
  // One picture every half second is looked at.
  t.true(
    fact !== undefined && fact.startMs >= 8000 && fact.startMs <= 8540 && fact.endMs === 16_000,
    JSON.stringify(fact),
  );
});

test('a title on black, a dark scene and a black picture have no bars', async (t) => {
  const title = 'color=black:s=320x240:r=25:d=8,drawbox=x=90:y=110:w=140:h=20:color=white:t=fill';
  t.deepEqual((await formOf(t, 'fps=25', { source: title })).letterbox, []);
  t.deepEqual((await formOf(t, 'fps=25', { source: 'color=black:s=320x240:r=25:d=8' })).letterbox, []);
});

// Eight stretches of stereo at 44.1 kHz, one fault each, from the second that is named.
const STRETCHES = [
  { atS: 0, left: '0.3*sin(800*t)', right: '0.3*sin(900*t)', s: 3 },
  // Clipped by amplification; its true peak is above full scale.
  { atS: 3, left: '1.6*sin(700*t)', right: '0.2*sin(900*t)', s: 1 },
  { atS: 4, left: '0.3*sin(800*t)', right: '0', s: 3 },
  { atS: 7, left: '0.3*sin(800*t)', right: '-0.3*sin(800*t)', s: 2 },
  { atS: 9, left: '0.3*sin(800*t)*(1-between(t,1,1.04))', right: '0.3*sin(900*t)*(1-between(t,1,1.04))', s: 2 },
  // A pause that fades belongs to no kind.
  {
    atS: 11,
    left: '0.3*sin(800*t)*clip(abs(t-1)*4-0.4,0,1)',
    right: '0.3*sin(900*t)*clip(abs(t-1)*4-0.4,0,1)',
    s: 1.3,
  },
] as const;

const stretches = STRETCHES.map(({ left, right, s }, at) => `aevalsrc='${left}|${right}':s=44100:d=${s}[p${at}]`);
const joinedStretches = `${STRETCHES.map((_stretch, at) => `[p${at}]`).join('')}concat=n=${STRETCHES.length}:v=0:a=1`;

const faultySound: MediaRecipe = {
  words: [...drawn(`${stretches.join(';')};${joinedStretches}`), '-c:a', 'pcm_s16le'],
  extension: 'wav',
};

async function faultsOf(t: ExecutionContext, range: readonly [number, number]) {
  const sound = { audioTrackIndex: 0, videoTrackIndex: null };
  const { factsOf } = await furtherEvidence(t, bench, await madeMedia(faultySound), range, sound);
  return factsOf('audio_faults');
}

test('each fault of a sound is found at its place, and nothing else', async (t) => {
  const facts = await faultsOf(t, [0, 12_300]);
  const near = (of: string) => facts.flatMap((fact) => (fact.kind === of && 'startMs' in fact ? [fact] : []));
  t.deepEqual(facts.map(({ kind }) => kind).sort(), [
    'clipping',
    'dropout',
    'phase_inversion',
    'silent_channel',
    'true_peak',
  ]);
  const within = (of: string, startMs: number, endMs: number, toleranceMs: number) => {
    const [fact] = near(of);
    const isNear = Math.abs((fact?.startMs ?? -1) - startMs) <= toleranceMs;
    t.true(
      isNear && Math.abs((fact?.endMs ?? -1) - endMs) <= toleranceMs,
      `${of} at ${fact?.startMs} to ${fact?.endMs}`,
    );
  };
  within('clipping', 3000, 4000, 10);
  within('silent_channel', 4000, 7000, 100);
  within('phase_inversion', 7000, 9000, 100);
  within('dropout', 10_000, 10_040, 2);
  t.like(near('clipping')[0], { channel: 'left' });
  t.like(near('silent_channel')[0], { channel: 'right' });
  t.like(near('phase_inversion')[0], { correlationMilli: -1000 });
  const [peak] = near('true_peak');
  t.true(peak?.kind === 'true_peak' && peak.truePeakCentiDbtp > 0 && peak.startMs >= 2900 && peak.endMs <= 4100);
});

test('a range without faults has none, and one that begins in a fault has the rest of it', async (t) => {
  t.deepEqual(await faultsOf(t, [0, 2900]), []);
  const [fact] = await faultsOf(t, [3500, 4500]);
  t.like(fact, { kind: 'clipping', channel: 'left' });
  t.true(fact !== undefined && fact.startMs >= 3500 && fact.startMs <= 3520);
});
