import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { furtherArtifact } from '../../../contract/evidence/further-evidence.ts';
import { detectRange } from '../../../executors/evidence/detect.ts';
import { Interlacing } from '../../../executors/evidence/interlacing.ts';
import { type DetectionBench, openDetectionBench, sourceContentId } from './detection-for-tests.ts';
import { ffmpeg } from './media-for-tests.ts';

const endMs = 8000;
let bench: DetectionBench;

test.before(async () => {
  bench = await openDetectionBench();
});

test.after.always(() => bench.close());

// Fifty different pictures a second, so that fields of one frame are of two moments.
const MOVING = "testsrc2=s=320x240:r=50:d=8,rotate='0.2*sin(t*2)'";

// Bright to its edges.
const BRIGHT = "testsrc2=s=320x240:r=50:d=8,lutyuv=y='clip(val,60,235)'";

/** Both kinds of a film whose moving pictures went through these filters; fields are coded as fields. */
async function formOf(
  t: ExecutionContext,
  filters: string,
  {
    source = MOVING,
    range = { startMs: 0, endMs },
  }: { source?: string; range?: { startMs: number; endMs: number } } = {},
) {
  const name = `${t.title.replace(/\W+/g, '-')}.mkv`;
  const codec = ['-c:v', 'mpeg2video', '-b:v', '4M', '-flags', '+ilme+ildct', '-g', '12'];
  await ffmpeg(bench.folder, '-f', 'lavfi', '-i', source, '-vf', `${filters},format=yuv420p`, ...codec, name);
  const { further } = await detectRange(bench, {
    ...{ path: path.join(bench.folder, name), sourceContentId, range },
    ...{ audioTrackIndex: null, videoTrackIndex: 0 },
    signal: new AbortController().signal,
    keep: async () => undefined,
  });
  const [interlacing, letterbox] = (['interlacing', 'letterbox'] as const).map((kind) => {
    const artifact = further.find((each) => each.kind === kind);
    t.deepEqual(furtherArtifact.parse(artifact), artifact);
    return artifact?.facts ?? [];
  });
  return { interlacing: interlacing ?? [], letterbox: letterbox ?? [] };
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

test('a picture that stands still shows no field order', async (t) => {
  const { interlacing } = await formOf(t, 'fps=25', { source: 'color=gray:s=320x240:r=50:d=8' });
  t.like(interlacing[0], { order: 'unknown', startMs: 0, endMs, undeterminedMilli: 1000, pictures: 200 });
});

test('a film that becomes interlaced has a stretch of each, to ten seconds', async (t) => {
  const parts = `[0:v]split=2[a][b];[a]trim=end=10,fps=25[p];[b]trim=start=10,setpts=PTS-STARTPTS,interlace=scan=tff[i];[p][i]concat=n=2`;
  const source = MOVING.replace('d=8', 'd=20');
  const { interlacing } = await formOf(t, parts.replace('[0:v]', ''), { source, range: { startMs: 0, endMs: 20_000 } });
  t.deepEqual(
    interlacing.map((fact) => (fact.kind === 'field_order' ? [fact.startMs, fact.endMs, fact.order] : [])),
    [
      [0, 10_000, 'progressive'],
      [10_000, 20_000, 'top_first'],
    ],
  );
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
  const { letterbox } = await formOf(t, change, { source, range: { startMs: 0, endMs: 16_000 } });
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

test('bug: of 16 interlaced pictures one was progressive, and their shares were more than a whole', (t) => {
  const interlacing = new Interlacing({ startMs: 0, endMs: 640 }, 0);
  for (let number = 0; number < 16; number += 1) {
    const values = new Map([['lavfi.idet.multiple.current_frame', number === 0 ? 'progressive' : 'tff']]);
    interlacing.add({ number, pts: 0, values });
  }
  t.like(interlacing.facts()[0], {
    ...{ order: 'top_first', pictures: 16, progressiveMilli: 63, topFirstMilli: 937 },
    ...{ bottomFirstMilli: 0, undeterminedMilli: 0 },
  });
});
