import test from 'ava';
import { waveformOf } from '../../client/evidence.ts';
import { DetectionFailure } from '../../kinds/detection-failure.ts';
import { JpegStream, jpegSize } from '../../kinds/keyframes.ts';
import { GatedLoudness, Loudness } from '../../kinds/loudness.ts';
import { type FrameMetadata, FrameMetadataReader, PictureStream } from '../../kinds/pictures/frames.ts';
import { SMALL_BYTES, type SmallPicture, smallPicture } from '../../kinds/pictures/small-picture.ts';
import { OwnRateSound } from '../../kinds/sound/own-rate-sound.ts';
import { speechFacts } from '../../kinds/speech-activity.ts';
import { metersOver } from './meters-for-tests.ts';

const bad = { instanceOf: DetectionFailure, message: /^tool_output: / };

function framesOf(text: string, pieceLength = text.length): FrameMetadata[] {
  const frames: FrameMetadata[] = [];
  const reader = new FrameMetadataReader((frame) => frames.push(frame));
  for (let at = 0; at < text.length; at += pieceLength) reader.push(Buffer.from(text.slice(at, at + pieceLength)));
  reader.end();
  return frames;
}

const frame = (values: Readonly<Record<string, string>>, pts = 0, number = 0): FrameMetadata => ({
  number,
  pts,
  values: new Map(Object.entries(values)),
});

const PRINTED = [
  'frame:0    pts:0       pts_time:0',
  'lavfi.scd.score=0.000',
  'frame:17   pts:680000  pts_time:0.68',
  'lavfi.scd.mafd=24.5=1',
  'lavfi.scd.score=24.501',
  '',
].join('\n');

test('printed frames are read in any pieces', (t) => {
  for (const length of [PRINTED.length, 64, 7, 1]) {
    const [first, second, ...more] = framesOf(PRINTED, length);
    t.is(more.length, 0);
    t.deepEqual(first, frame({ 'lavfi.scd.score': '0.000' }));
    t.deepEqual(second, frame({ 'lavfi.scd.mafd': '24.5=1', 'lavfi.scd.score': '24.501' }, 680_000, 17));
  }
  t.deepEqual(framesOf(''), []);
});

test('anything but a printed frame is refused', (t) => {
  for (const text of [
    'words\n',
    'key=value\n',
    'frame:0    pts:NOPTS   pts_time:NOPTS\n',
    'frame:0    pts:0       pts_time:0\nno key\n',
    'frame:0    pts:0       pts_time:0\n=1\n',
    'frame:0    pts:0       pts_time:0\nlavfi.scd.score=0.0',
  ]) {
    t.throws(() => framesOf(text), bad, text);
  }
  t.throws(() => framesOf('x'.repeat(70_000), 10_000), bad);
});

const loudnessRange = { startMs: 10_000, endMs: 20_000 };

const loudnessValues = (more: Readonly<Record<string, string>> = {}) => ({
  'lavfi.r128.I': '-23.456',
  'lavfi.r128.LRA': '4.160',
  'lavfi.r128.LRA.low': '-30.100',
  'lavfi.r128.LRA.high': '-25.940',
  ...more,
});

function loudnessOf(...frames: readonly FrameMetadata[]) {
  const loudness = new Loudness();
  for (const each of frames) loudness.add(each);
  const { integratedCentiLufs, rangeCentiLu } = loudness.fact(loudnessRange, null);
  return [integratedCentiLufs, rangeCentiLu];
}

/** Frames with as many blocks of three seconds, a tenth of a second apart. */
const framesWith = (blocks: number, shortTerm = '-28.000') =>
  Array.from({ length: blocks }, (_, at) =>
    frame(loudnessValues({ 'lavfi.r128.I': '-1', 'lavfi.r128.S': shortTerm }), 4800 * at, at),
  );

test('the last word on loudness counts, in hundredths', (t) => {
  t.deepEqual(loudnessOf(...framesWith(5), frame(loudnessValues(), 24_000, 5)), [-2346, 416]);
});

test('bug: sound of fewer than five blocks had a loudness range of 20 LU, which is that of the gate', (t) => {
  const last = frame(loudnessValues(), 48_000, 10);
  t.deepEqual(loudnessOf(...framesWith(4), last), [-2346, null]);
  // Blocks below the gate are none.
  t.deepEqual(loudnessOf(...framesWith(9, '-70.001'), last), [-2346, null]);
  const windows = (blocks: number) => {
    const loudness = new GatedLoudness(0, 0, null);
    for (const each of framesWith(blocks)) loudness.add(each);
    return loudness.fact(loudnessRange, null).rangeCentiLu;
  };
  t.deepEqual([windows(4), windows(5)], [null, 0]);
});

test('a missing measurement is null', (t) => {
  t.deepEqual(loudnessOf(), [null, null]);
  const quiet = { 'lavfi.r128.I': '-70.000' };
  const brief = { 'lavfi.r128.LRA': '0.000', 'lavfi.r128.LRA.low': '0.000', 'lavfi.r128.LRA.high': '0.000' };
  t.deepEqual(loudnessOf(frame(loudnessValues({ ...quiet, ...brief }))), [null, null]);
  t.deepEqual(loudnessOf(frame(loudnessValues(brief))), [-2346, null]);
});

test('loudness without its values, or with a reset on the way, is refused', (t) => {
  t.throws(() => loudnessOf(frame({ 'lavfi.r128.I': '-20' })), bad);
  t.throws(() => loudnessOf(frame(loudnessValues({ 'lavfi.r128.I': 'nan' }))), bad);
  t.throws(() => loudnessOf(frame(loudnessValues(), 0, 5), frame(loudnessValues(), 0, 0)), bad);
});

const timeAt = (ms: number): FrameMetadata => ({ number: 0, pts: ms * 1000, values: new Map() });
const even = (value: number): Buffer => Buffer.alloc(SMALL_BYTES, value);

test('pixels and times are joined in their order, for any pieces', async (t) => {
  const pictures: SmallPicture[] = [];
  const stream = new PictureStream(9000, (picture) => pictures.push(picture));
  const pixels = Buffer.concat([even(10), even(200), even(30)]);
  stream.addTime(timeAt(0));
  for (let from = 0; from < pixels.length; from += 10_000) await stream.write(pixels.subarray(from, from + 10_000));
  stream.addTime(timeAt(40.4));
  stream.addTime(timeAt(80));
  stream.end();
  const lights = pictures.map(({ atMs, light }) => [atMs, Math.round(light)]);
  t.deepEqual(lights, [
    [9000, 10],
    [9040, 200],
    [9080, 30],
  ]);
});

test('a picture without a time, and a time without a picture, are refused', async (t) => {
  const bad = { instanceOf: DetectionFailure, message: /^tool_output: / };
  for (const pixels of [even(1), even(1).subarray(1)]) {
    const stream = new PictureStream(0, () => undefined);
    await stream.write(pixels);
    t.throws(() => stream.end(), bad);
  }
  const stream = new PictureStream(0, () => undefined);
  stream.addTime(timeAt(0));
  t.throws(() => stream.end(), bad);
});

/** Half of the picture is light, on the left or on the right. */
function half(side: 'left' | 'right'): Uint8Array {
  const rgb = new Uint8Array(SMALL_BYTES);
  for (let pixel = 0; pixel < SMALL_BYTES / 3; pixel += 1) {
    if (pixel % 96 < 48 === (side === 'left')) rgb.fill(180, pixel * 3, pixel * 3 + 3);
  }
  return rgb;
}

async function shotsOf(cutMs: number) {
  const { meters } = metersOver({ startMs: 10_000, endMs: 20_000 });
  for (let ms = 9000; ms < 21_000; ms += 40) meters.picture(smallPicture(ms, half(ms < cutMs ? 'left' : 'right')));
  await meters.end();
  return meters.facts('shot_changes');
}

test('a cut on the first picture of the range belongs to it, one behind it does not', async (t) => {
  t.deepEqual(await shotsOf(10_000), [{ kind: 'shot_change', index: 0, atMs: 10_000, scoreMilli: 100_000 }]);
  t.deepEqual(await shotsOf(20_000), []);
});

test('bug: of 16 interlaced pictures one was progressive, and the shares exceeded the whole', (t) => {
  const { meters } = metersOver({ startMs: 0, endMs: 640 });
  for (let number = 0; number < 16; number += 1) {
    const values = new Map([['lavfi.idet.multiple.current_frame', number === 0 ? 'progressive' : 'tff']]);
    meters.frame('interlacing', { number, pts: 0, values });
  }
  t.like(meters.facts('interlacing')[0], {
    order: 'top_first',
    pictures: 16,
    progressiveMilli: 63,
    topFirstMilli: 937,
    bottomFirstMilli: 0,
    undeterminedMilli: 0,
  });
});

test('anything but a JPEG with the expected frame is refused', async (t) => {
  for (const bytes of [[], [0xff, 0xd8], [0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0]]) {
    t.throws(() => jpegSize(Uint8Array.from(bytes)), bad);
  }
  const stream = () => new JpegStream(0, () => undefined);
  await t.throwsAsync(stream().write(Buffer.alloc(200, 'x')), bad);
  const head = (bytes: number) =>
    Buffer.from(`--ffmpeg\r\nContent-type: image/jpeg\r\nContent-length: ${bytes}\r\n\r\n`);
  await t.throwsAsync(stream().write(head(99_999_999)), bad);
  const cut = stream();
  await cut.write(Buffer.concat([head(10), Buffer.alloc(5)]));
  t.throws(() => cut.end(), bad);
  const timeless = stream();
  await timeless.write(Buffer.concat([head(4), Buffer.alloc(4), Buffer.from('\r\n--ffmpeg\r\n')]));
  t.throws(() => timeless.end(), bad);
});

/** The header of an AU file at 8 kHz, and these samples of one of its channels. */
function au(samples: readonly number[], channels = 3, place = 0): Buffer {
  const bytes = Buffer.alloc(28 + samples.length * channels * 2);
  bytes.write('.snd');
  for (const [at, value] of [28, 0, 3, 8000, channels].entries()) bytes.writeUInt32BE(value, 4 + at * 4);
  for (const [at, sample] of samples.entries()) bytes.writeInt16BE(sample, 28 + (at * channels + place) * 2);
  return bytes;
}

function faultsIn(left: readonly number[], pieceBytes = 1000, bytes = au(left)) {
  const sound = new OwnRateSound({ startMs: 1000, endMs: 9000 });
  for (let at = 0; at < bytes.length; at += pieceBytes) sound.write(bytes.subarray(at, at + pieceBytes));
  return sound.facts();
}

test('three samples at full scale are clipped, two are not, and near runs are one fact', (t) => {
  const [high, low] = [32_767, -32_768];
  t.deepEqual(faultsIn([0, high, high, low, low, high, 0]), []);
  const left = [...Array(80).fill(0), high, high, high, 0, low, low, low, low, ...Array(16_000).fill(0), low, low, low];
  for (const pieceBytes of [1, 11, 100_000]) {
    t.deepEqual(faultsIn(left, pieceBytes), [
      { kind: 'clipping', index: 0, startMs: 1010, endMs: 1011, channel: 'left', runs: 2, longestSamples: 4 },
      { kind: 'clipping', index: 1, startMs: 3011, endMs: 3012, channel: 'left', runs: 1, longestSamples: 3 },
    ]);
  }
});

test('a clipped channel has its name in sound of one, two and three channels', (t) => {
  const clipped = [...Array(80).fill(0), 32_767, 32_767, 32_767, ...Array(8000).fill(0)];
  const named = [1, 2, 3].map((channels) =>
    Array.from({ length: channels }, (_, place) =>
      faultsIn([], 11, au(clipped, channels, place)).map((fact) => fact.kind === 'clipping' && fact.channel),
    ).flat(),
  );
  t.deepEqual(named, [['centre'], ['left', 'right'], ['left', 'right', 'centre']]);
});

/** Two seconds at 8 kHz of these values, from -1 to 1, of each second. */
const drawnSound = (valueAt: (seconds: number) => number): number[] =>
  Array.from({ length: 16_000 }, (_, at) => Math.round(32_767 * valueAt(at / 8000)));
const voice = (seconds: number): number =>
  0.2 * (Math.sin(1000 * seconds) + Math.sin(2400 * seconds + 1) + Math.sin(9000 * seconds + 2));
const kindsIn = (valueAt: (seconds: number) => number): string[] =>
  faultsIn(drawnSound(valueAt)).map(({ kind }) => kind);
const within = (value: number, limit: number): number => Math.max(-limit, Math.min(limit, value));

test('bug: sound that was clipped and then lowered was not found', (t) => {
  for (const gain of [1, 0.7, 0.25, 0.1])
    t.deepEqual(
      kindsIn((at) => gain * within(voice(at), 0.3)),
      ['clipping'],
      `${gain}`,
    );
  const [fact] = faultsIn(drawnSound((at) => within(voice(at), at < 1 ? 1 : 0.3)));
  t.true(
    fact?.kind === 'clipping' && fact.startMs >= 2000 && fact.endMs <= 3000 && fact.runs > 100,
    JSON.stringify(fact),
  );
});

test('bug: clipped sound was not found where a codec had bent its flat tops', (t) => {
  const bent = (seconds: number): number => within(voice(seconds), 0.25) + 0.008 * Math.sin(21_000 * seconds);
  t.deepEqual(kindsIn(bent), ['clipping']);
});

test('waves that are round, flat at changing heights, or whole are not clipped', (t) => {
  t.deepEqual(kindsIn(voice), []);
  t.deepEqual(
    kindsIn((at) => 0.5 * Math.sin(300 * at)),
    [],
  );
  // Flat tops, but no two at one height.
  t.deepEqual(
    kindsIn((at) => (0.3 + 0.2 * Math.sin(9 * at)) * within(2 * Math.sin(900 * at), 1)),
    [],
  );
});

const silentBetween = (at: number, from: number, to: number): number => (at >= from && at < to ? 0 : 1);

test('bug: a short dropout was not found between quiet sound', (t) => {
  for (const lengthMs of [5, 12, 30, 80]) {
    for (const gain of [1, 0.05]) {
      const [fact, ...more] = faultsIn(
        drawnSound((at) => gain * voice(at) * silentBetween(at, 1.0003, 1.0003 + lengthMs / 1000)),
      );
      t.deepEqual(more, []);
      const isThere = fact?.kind === 'dropout' && Math.abs(fact.startMs - 2000) <= 2;
      t.true(isThere && Math.abs(fact.endMs - fact.startMs - lengthMs) <= 2, `${lengthMs} ms: ${JSON.stringify(fact)}`);
    }
  }
});

test('pauses that fade, a voice that stops at once and begins softly, and a soft tremolo are not taken for dropouts', (t) => {
  const around = (at: number, fall: number, rise: number): number =>
    at < 1 ? Math.min(1, (1 - at) / fall) : at < 1.05 ? 0 : Math.min(1, (at - 1.05) / rise);
  t.deepEqual(
    kindsIn((at) => voice(at) * Math.max(0, around(at, 0.1, 0.1))),
    [],
  );
  t.deepEqual(
    kindsIn((at) => voice(at) * Math.max(0, around(at, 0.0001, 0.1))),
    [],
  );
  for (const rate of [8, 20])
    t.deepEqual(
      kindsIn((at) => voice(at) * (0.5 + 0.5 * Math.sin(6.28 * at * rate))),
      [],
      `${rate}`,
    );
});

test('bug: quiet sound of eight bits had dropouts between its few steps', (t) => {
  const coarse = (at: number) => Math.round(1.4 * Math.sin(1500 * at) * Math.sin(170 * at) * Math.sin(43 * at)) / 180;
  t.deepEqual(kindsIn(coarse), []);
});

/** Noise that a codec leaves in a silence. */
const noise = (seconds: number): number => 0.002 * Math.sin(1e7 * seconds * seconds);

test('bug: a dropout that a codec had filled with quiet noise was not found', (t) => {
  for (const lengthMs of [20, 40, 80]) {
    for (const gain of [1, 0.1]) {
      const silent = (at: number) => silentBetween(at, 1.0003, 1.0003 + lengthMs / 1000);
      const [fact, ...more] = faultsIn(drawnSound((at) => gain * (voice(at) * silent(at) + noise(at))));
      t.deepEqual(more, []);
      const isThere = fact?.kind === 'dropout' && Math.abs(fact.startMs - 2000) <= 3;
      t.true(isThere && Math.abs(fact.endMs - fact.startMs - lengthMs) <= 3, `${lengthMs} ms: ${JSON.stringify(fact)}`);
    }
  }
});

test('no hole is found that is long, repeated, faded into, or between different sounds', (t) => {
  const silent = (at: number) => silentBetween(at, 1, 1.04);
  const faded = (at: number) => (at < 1 ? Math.min(1, (1 - at) / 0.012) : 1);
  const other = (seconds: number): number =>
    0.2 * (Math.sin(4000 * seconds) + Math.sin(6000 * seconds) + Math.sin(11_000 * seconds));
  const sounds: Record<string, (at: number) => number> = {
    'the same behind it': (at) => voice(at) * silent(at),
    'too long': (at) => voice(at) * silentBetween(at, 1, 1.12),
    'fades before it': (at) => voice(at) * silent(at) * faded(at),
    'half as loud behind it': (at) => voice(at) * silent(at) * (at < 1 ? 1 : 0.5),
    'another sound behind it': (at) => (at < 1 ? voice(at) : other(at)) * silent(at),
    'a lull beside it': (at) => voice(at) * silent(at) * silentBetween(at, 1.064, 1.077),
    'gated by a rhythm': (at) => voice(at) * (at % 0.125 < 0.06 ? 0 : 1),
    'only high tones stop': (at) => voice(at) * silent(at) + 0.1 * Math.sin(1000 * at),
  };
  const found = Object.entries(sounds).filter(([, soundAt]) => kindsIn((at) => soundAt(at) + noise(at)).length > 0);
  t.deepEqual(
    found.map(([name]) => name),
    ['the same behind it'],
  );
});

test('faults are the same by windows as at once, wherever a window ends', (t) => {
  const isSilent = (at: number) => silentBetween(at, 1.5, 1.54) * silentBetween(at, 1.1, 1.14);
  const rest = (at: number) => (at < 1.4 ? noise(at) : 0);
  const bytes = au(drawnSound((at) => within(voice(at), at < 0.7 ? 1 : 0.3) * isSilent(at) + rest(at)));
  const range = { startMs: 1000, endMs: 3000 };
  const atOnce = new OwnRateSound(range);
  atOnce.write(bytes);
  const facts = atOnce.facts();
  t.deepEqual(
    facts.map(({ kind }) => kind),
    ['clipping', 'dropout', 'dropout'],
  );
  for (const atMs of [650, 1090, 1120, 1145, 1170, 1510, 1545, 1700]) {
    const first = new OwnRateSound(range);
    first.write(bytes.subarray(0, 28 + atMs * 48));
    const second = new OwnRateSound(range, structuredClone(first.save()), 1000 + atMs);
    second.write(Buffer.concat([bytes.subarray(0, 28), bytes.subarray(28 + atMs * 48)]));
    t.deepEqual(second.facts(), facts, `${atMs}`);
  }
});

test('clipped sound that goes on with other channels is found on both sides of the change', (t) => {
  const clipped = drawnSound((at) => within(voice(at), 0.3));
  const range = { startMs: 0, endMs: 4000 };
  const first = new OwnRateSound(range);
  first.write(au(clipped));
  const second = new OwnRateSound(range, structuredClone(first.save()), 2000);
  second.write(au(clipped, 1));
  const found = second.facts().filter((fact) => fact.kind === 'clipping');
  t.deepEqual(
    found.map(({ channel, startMs }) => [channel, Math.floor(startMs / 2000)]),
    [
      ['left', 0],
      ['centre', 1],
    ],
  );
});

test('sound in another form is refused', (t) => {
  const sound = () => new OwnRateSound({ startMs: 0, endMs: 1000 });
  t.throws(() => sound().write(Buffer.alloc(40, 'x')), { instanceOf: DetectionFailure });
  t.throws(() => sound().write(au([0], 4)), { instanceOf: DetectionFailure });
});

test('windows and what is between them cover the range once, on the time line of the source', (t) => {
  const facts = speechFacts(
    [
      { start: 100, end: 900 },
      { start: 900, end: 1000 },
      { start: 1500, end: 1600 },
    ],
    { startMs: 2000, endMs: 2100 },
  );
  const samples = facts.map(({ kind, index, startSample, endSample }) => [
    kind,
    index,
    startSample - 32_000,
    endSample - 32_000,
  ]);
  t.deepEqual(samples, [
    ['non_speech_window', 0, 0, 100],
    ['speech_window', 0, 100, 900],
    ['speech_window', 1, 900, 1000],
    ['non_speech_window', 1, 1000, 1500],
    ['speech_window', 2, 1500, 1600],
  ]);
  const spans = facts.map(({ startMs, endMs }) => [startMs, endMs]);
  t.deepEqual(spans, [
    [2000, 2007],
    [2006, 2057],
    [2056, 2063],
    [2062, 2094],
    [2093, 2100],
  ]);
});

test('a range without speech is one window of non-speech', (t) => {
  t.deepEqual(speechFacts([], { startMs: 7, endMs: 8 }), [
    { kind: 'non_speech_window', index: 0, startSample: 112, endSample: 128, startMs: 7, endMs: 8 },
  ]);
});

test('what lies beyond the range is cut off, and a shorter signal ends in non-speech', (t) => {
  const range = { startMs: 0, endMs: 10 };
  const beyond = speechFacts([{ start: 0, end: 500 }], range).map(({ kind, endSample }) => [kind, endSample]);
  t.deepEqual(beyond, [['speech_window', 160]]);
  const shorter = speechFacts([{ start: 0, end: 50 }], range).map(({ kind, endSample }) => [kind, endSample]);
  t.deepEqual(shorter, [
    ['speech_window', 50],
    ['non_speech_window', 160],
  ]);
});

const waveformRange = { startMs: 5000, endMs: 5050 };

/** Interleaved samples of mix, left, right and center. */
function sound(instants: readonly (readonly [number, number, number, number])[]): Buffer {
  const bytes = Buffer.alloc(instants.length * 8);
  for (const [at, samples] of instants.entries()) {
    for (const [place, sample] of samples.entries()) bytes.writeInt16LE(sample, at * 8 + place * 2);
  }
  return bytes;
}

const silence = (samples: number) => Array.from({ length: samples }, () => [0, 0, 0, 0] as const);

async function measured(bytes: Buffer, pieceBytes: number) {
  const { meters, objects } = metersOver(waveformRange);
  for (let at = 0; at < bytes.length; at += pieceBytes) meters.sound('signals', bytes.subarray(at, at + pieceBytes));
  await meters.end();
  return { fact: meters.facts('waveform')[0] ?? null, object: objects[0] };
}

test('each window has the lowest and the highest sample of all channels, and not of their mix', async (t) => {
  const bytes = sound([
    ...silence(319),
    [9999, -700, 300, 20],
    [0, 5, -6, 7],
    ...silence(319),
    ...silence(100),
    [0, 0, 0, -32_768],
    [0, 32_767, 0, 0],
  ]);
  for (const pieceBytes of [7, 64, 100_000]) {
    const { fact, object } = await measured(bytes, pieceBytes);
    t.like(fact, { kind: 'waveform', startMs: 5000, endMs: 5047, windowMs: 20, windows: 3, bytes: 32 });
    const { buffer = new ArrayBuffer(), byteOffset = 0, byteLength = 0 } = object?.bytes ?? {};
    const drawn = waveformOf(5000, buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
    t.deepEqual(drawn, {
      startMs: 5000,
      windowMs: 20,
      lowest: Int16Array.of(-700, -6, -32_768),
      highest: Int16Array.of(300, 7, 32_767),
    });
  }
});

test('the object begins with the header of audiowaveform', async (t) => {
  const { object } = await measured(sound(silence(800)), 4096);
  const words = new Uint32Array(new Uint8Array(object?.bytes ?? []).buffer.slice(0, 20));
  t.deepEqual([...words], [1, 0, 16_000, 320, 3]);
});

test('no sound has no waveform', async (t) => {
  t.is((await measured(Buffer.alloc(0), 1)).fact, null);
});

test('a client refuses an object of another form', (t) => {
  const headed = (...words: number[]) => Uint32Array.from(words).buffer;
  for (const bytes of [
    new ArrayBuffer(8),
    headed(2, 0, 16_000, 320, 0),
    headed(1, 1, 16_000, 320, 0),
    headed(1, 0, 16_000, 320, 1),
  ]) {
    t.throws(() => waveformOf(0, bytes), { instanceOf: TypeError });
  }
  t.is(waveformOf(0, headed(1, 0, 16_000, 320, 0)).lowest.length, 0);
});
