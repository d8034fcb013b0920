import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { ProbeResult } from '../../../../contract/sources/media-probe.ts';
import { resolveTools } from '../../../../executors/process/tools.ts';
import { probeMedia } from '../../../../executors/sources/ffprobe.ts';
import { regionSound } from '../../../../features/recognition/engine/region-sound.ts';
import { earlyOtherSound, joinedSound, lateSound, withoutBegin } from '../../../../lab/cases/containers.ts';
import { countsSamples } from '../../../../rules/audio-track.ts';
import { artifactOf, detect, openDetectionBench, spansOf } from '../../../executors/evidence/detection-for-tests.ts';
import { withoutDownloader } from '../../../without-downloader.ts';

const bench = await openDetectionBench();
const tools = await resolveTools(bench.launcher, { ...process.env, ...withoutDownloader });
const folder = mkdtempSync(join(tmpdir(), 'containers-'));
test.after.always(async () => {
  await bench.close();
  rmSync(folder, { recursive: true, force: true });
});

const { signal } = new AbortController();

/** The times at which a burst begins in a region, in ms of the media. */
async function burstsOf(
  path: string,
  audioTrackIndex: number,
  [startMs, endMs]: readonly [number, number],
  counted = false,
) {
  const region = { startMs, endMs };
  const sound = await regionSound(bench, { path, audioTrackIndex, region, countsSamples: counted, signal });
  const samples = new Int16Array(sound.buffer, sound.byteOffset, sound.length / 2);
  const bursts: number[] = [];
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const [at, sample] of samples.entries()) {
    if (Math.abs(sample) < 3000) continue;
    const ms = startMs + at / 16;
    if (ms - lastMs > 300) bursts.push(ms);
    lastMs = ms;
  }
  return bursts;
}

const probed = (file: string): Promise<ProbeResult> => probeMedia(bench.launcher, tools, file, signal);

const isCounted = ({ tracks, incomplete }: ProbeResult) =>
  countsSamples({
    tracks: tracks.map(({ index, codec, durationMs }) => ({
      id: `stream:${index}`,
      index,
      kind: 'audio',
      codec,
      durationMs,
    })),
    ...(incomplete === undefined ? {} : { incompleteMedia: incomplete }),
  });

const isNear = (found: readonly number[], expected: readonly number[], withinMs: number): boolean =>
  found.length === expected.length && found.every((ms, at) => Math.abs(ms - (expected[at] ?? 0)) <= withinMs);

const joined = [
  [
    'chained.opus',
    [{ words: ['-c:a', 'libopus'] }, { words: ['-c:a', 'libopus'] }, { words: ['-c:a', 'libopus'] }],
    60,
  ],
  [
    'chained.ogg',
    [{ words: ['-c:a', 'libvorbis'] }, { words: ['-c:a', 'libvorbis'] }, { words: ['-c:a', 'libvorbis'] }],
    60,
  ],
  ['joined.flac', [{ words: [] }, { words: [] }, { words: [] }], 60],
  ['joined.mp3', [{ words: ['-b:a', '64k'] }, { words: ['-b:a', '192k'] }, { words: ['-b:a', '64k'] }], 200],
] as const;

for (const [name, parts, withinMs] of joined) {
  test(`bug: of joined files the first was studied without a note, or an estimate counted as stated: ${name}`, async (t) => {
    const file = joinedSound(folder, name, parts);
    const probe = await probed(file);
    t.true(Math.abs(probe.durationMs - 9000) <= withinMs, String(probe.durationMs));
    if (name === 'joined.mp3') t.is(probe.incomplete, undefined);
    else t.like(probe.incomplete, { cause: 'length_misstated', measuredMs: probe.durationMs });
    const counted = isCounted(probe);
    const range = [0, probe.durationMs] as const;
    t.true(isNear(await burstsOf(file, 0, range, counted), [1000, 4000, 7000], withinMs));
    t.true(isNear(await burstsOf(file, 0, [6000, 8500], counted), [7000], withinMs));
    const tracks = { audioTrackIndex: 0, videoTrackIndex: null, countsSamples: counted };
    const silences = spansOf(artifactOf(t, await detect(bench, file, range, tracks), 'silence'), 'silence');
    const ends = silences.slice(0, 3).map(([, endMs]) => endMs);
    t.true(isNear(ends, [1000, 4000, 7000], withinMs), String(silences));
    t.true(isNear([silences.at(-1)?.[1] ?? 0], [probe.durationMs], 60), String(silences));
  });
}

test('a chain whose parts differ in rate and channels is studied whole', async (t) => {
  const mono = { rate: 22_050, seconds: 4, words: ['-c:a', 'libvorbis'] };
  const stereo = { words: ['-c:a', 'libvorbis', '-ac', '2'] };
  const file = joinedSound(folder, 'forms.ogg', [mono, stereo, mono]);
  const probe = await probed(file);
  t.true(Math.abs(probe.durationMs - 11_000) <= 60, String(probe.durationMs));
  const range = [0, probe.durationMs] as const;
  t.true(isNear(await burstsOf(file, 0, range, isCounted(probe)), [1000, 5000, 8000], 60));
  const tracks = { audioTrackIndex: 0, videoTrackIndex: null, countsSamples: true };
  const silences = spansOf(artifactOf(t, await detect(bench, file, range, tracks), 'silence'), 'silence');
  t.true(
    isNear(
      silences.slice(0, 3).map(([, endMs]) => endMs),
      [1000, 5000, 8000],
      60,
    ),
    String(silences),
  );
});

const transport = ['-c:a', 'mp2'];
const blueray = ['-c:a', 'ac3', '-mpegts_m2ts_mode', '1'];
const program = ['-c:v', 'mpeg2video', '-c:a', 'mp2', '-f', 'vob'];

for (const [name, words, bytes] of [
  ['late.ts', transport, 94],
  ['late.m2ts', blueray, 100],
  ['late.vob', program, 3001],
] as const) {
  test(`bug: the recognizer had the wrong sound of a file that begins within a packet: ${name}`, async (t) => {
    const file = lateSound(folder, name, 5, words);
    const aligned = await burstsOf(file, 1, [0, 4000]);
    t.true(isNear(aligned, [1700], 60), String(aligned));
    const middle = withoutBegin(file, bytes);
    const [begun = Number.NaN] = await burstsOf(middle, 1, [0, 4000]);
    // Of a program stream the first pictures are lost with the first pack.
    t.true(isNear([begun], [1700], name.endsWith('.vob') ? 600 : 60), String(begun));
    const silences = spansOf(artifactOf(t, await detect(bench, middle, [0, 4000]), 'silence'), 'silence');
    t.true(isNear([silences[0]?.[1] ?? 0], [begun], 20), String(silences));
  });
}

test('bug: behind a minute, sound of a transport stream was cut at the clock of another track', async (t) => {
  const long = ['-c:a', 'mp2', '-t', '70'];
  const file = earlyOtherSound(folder, 'other.ts', 70, long);
  const noise = (region: readonly [number, number]) =>
    regionSound(bench, { path: file, audioTrackIndex: 1, region: { startMs: region[0], endMs: region[1] }, signal });
  // A region that begins before a minute is read from the start, one behind it from a key frame.
  const fromStart = await noise([59_000, 63_000]);
  const entered = await noise([61_000, 63_000]);
  const [whole, part] = [fromStart.subarray(2 * 32_000), entered].map(
    (bytes) => new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2),
  );
  const differing = [...(part ?? [])].filter((sample, at) => Math.abs(sample - (whole?.[at] ?? 0)) > 2);
  t.is(part?.length, 32_000);
  t.true(differing.length < 320, String(differing.length));
});
