import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { furtherArtifact } from '../../../contract/evidence/further-evidence.ts';
import { DetectionFailure } from '../../../executors/detector/detection-failure.ts';
import { Clipping } from '../../../executors/evidence/clipping.ts';
import { detectRange } from '../../../executors/evidence/detect.ts';
import { type DetectionBench, openDetectionBench, sourceContentId } from './detection-for-tests.ts';

let bench: DetectionBench;

// Eight stretches of stereo at 44.1 kHz, one fault each, from the second that is named.
const STRETCHES = [
  { atS: 0, left: '0.3*sin(800*t)', right: '0.3*sin(900*t)', s: 3 },
  // Clipped by amplification; its true peak is above full scale.
  { atS: 3, left: '1.6*sin(700*t)', right: '0.2*sin(900*t)', s: 1 },
  { atS: 4, left: '0.3*sin(800*t)', right: '0', s: 3 },
  { atS: 7, left: '0.3*sin(800*t)', right: '-0.3*sin(800*t)', s: 2 },
  { atS: 9, left: '0.3*sin(800*t)*(1-between(t,1,1.04))', right: '0.3*sin(900*t)*(1-between(t,1,1.04))', s: 2 },
  // A pause that fades is none of its kind.
  {
    atS: 11,
    left: '0.3*sin(800*t)*clip(abs(t-1)*4-0.4,0,1)',
    right: '0.3*sin(900*t)*clip(abs(t-1)*4-0.4,0,1)',
    s: 1.3,
  },
] as const;
const endMs = 12_300;

test.before(async () => {
  bench = await openDetectionBench();
  const parts = STRETCHES.map(({ left, right, s }, at) => `aevalsrc='${left}|${right}':s=44100:d=${s}[p${at}]`);
  const inputs = STRETCHES.map((_stretch, at) => `[p${at}]`).join('');
  await bench.launcher.run({
    tool: bench.ffmpeg.path,
    args: [
      ...['-v', 'error', '-f', 'lavfi', '-i', `${parts.join(';')};${inputs}concat=n=${STRETCHES.length}:v=0:a=1`],
      ...['-c:a', 'pcm_s16le', path.join(bench.folder, 'faults.wav')],
    ],
    limits: {
      ...{ wallMs: 60_000, cpuSeconds: 60, fileSizeBytes: 1e7, stdoutBytes: 1e5, stderrBytes: 1e5 },
      memoryBytes: 1 << 30,
    },
    signal: new AbortController().signal,
  });
});

test.after.always(() => bench.close());

async function faultsOf(t: ExecutionContext, [startMs, endMs]: readonly [number, number]) {
  const { further } = await detectRange(bench, {
    ...{ path: path.join(bench.folder, 'faults.wav'), sourceContentId, range: { startMs, endMs } },
    ...{ audioTrackIndex: 0, videoTrackIndex: null },
    signal: new AbortController().signal,
    keep: async () => undefined,
  });
  const artifact = further.find(({ kind }) => kind === 'audio_faults');
  t.deepEqual(furtherArtifact.parse(artifact), artifact);
  return artifact?.facts ?? [];
}

test('each fault of a sound is found where it is, and nothing else', async (t) => {
  const facts = await faultsOf(t, [0, endMs]);
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

/** The header of an AU file of three channels at 8 kHz, and these samples of its left one. */
function au(left: readonly number[]): Buffer {
  const bytes = Buffer.alloc(28 + left.length * 6);
  bytes.write('.snd');
  for (const [at, value] of [28, 0, 3, 8000, 3].entries()) bytes.writeUInt32BE(value, 4 + at * 4);
  for (const [at, sample] of left.entries()) bytes.writeInt16BE(sample, 28 + at * 6);
  return bytes;
}

function clipped(left: readonly number[], pieceBytes = 1000) {
  const clipping = new Clipping({ startMs: 1000, endMs: 9000 });
  const bytes = au(left);
  for (let at = 0; at < bytes.length; at += pieceBytes) clipping.write(bytes.subarray(at, at + pieceBytes));
  return clipping.facts();
}

test('three samples at full scale are clipped, two are not, and runs near each other are one fact', (t) => {
  const [high, low] = [32_767, -32_768];
  t.deepEqual(clipped([0, high, high, low, low, high, 0]), []);
  const left = [...Array(80).fill(0), high, high, high, 0, low, low, low, low, ...Array(16_000).fill(0), low, low, low];
  for (const pieceBytes of [1, 11, 100_000]) {
    t.deepEqual(clipped(left, pieceBytes), [
      { kind: 'clipping', index: 0, startMs: 1010, endMs: 1011, channel: 'left', runs: 2, longestSamples: 4 },
      { kind: 'clipping', index: 1, startMs: 3011, endMs: 3012, channel: 'left', runs: 1, longestSamples: 3 },
    ]);
  }
});

test('sound in another form is refused', (t) => {
  const clipping = new Clipping({ startMs: 0, endMs: 1000 });
  t.throws(() => clipping.write(Buffer.alloc(40, 'x')), { instanceOf: DetectionFailure });
});
