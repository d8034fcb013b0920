import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { ProbeResult } from '../../contract/sources/media-probe.ts';
import { resolveTools } from '../../executors/process/tools.ts';
import { probeMedia } from '../../executors/sources/ffprobe.ts';
import { countedInput } from '../../executors/sources/joined-flac.ts';
import { mediaInput } from '../../executors/sources/media-input.ts';
import { joinedSound, subtitledFilm, trimmedFilm } from '../../lab/cases/containers.ts';
import { countsSamples } from '../../rules/audio-track.ts';
import { artifactOf, openDetectionBench, spansOf, subtitles } from '../executors/evidence/detection-for-tests.ts';
import { withoutDownloader } from '../without-downloader.ts';

const bench = await openDetectionBench();
const tools = await resolveTools(bench.launcher, { ...process.env, ...withoutDownloader });
const folder = mkdtempSync(join(tmpdir(), 'containers-'));
test.after.always(async () => {
  await bench.close();
  rmSync(folder, { recursive: true, force: true });
});

const { signal } = new AbortController();

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

test('bug: joined FLAC lost a quarter second of sound at each joint', async (t) => {
  const parts = [{ words: [] }, { words: [] }, { words: [] }, { words: [] }];
  t.is((await probed(joinedSound(folder, 'four.flac', parts))).durationMs, 12_000);
  const forms = [{ rate: 22_050, words: ['-ac', '2'] }, { words: [] }, { rate: 48_000, words: [] }];
  t.is((await probed(joinedSound(folder, 'forms.flac', forms))).durationMs, 9000);
  const single = joinedSound(folder, 'single.flac', [{ words: [] }]);
  t.deepEqual(await countedInput(single, 0), [...mediaInput(single), '-map', '0:0']);
});

test('a whole file has its own times, and no note', async (t) => {
  for (const [name, words] of [
    ['whole.opus', ['-c:a', 'libopus']],
    ['whole.ogg', ['-c:a', 'libvorbis']],
    ['whole.flac', []],
    ['whole.mp3', ['-c:a', 'libmp3lame']],
  ] as const) {
    const probe = await probed(joinedSound(folder, name, [{ words }]));
    t.is(probe.incomplete, undefined, name);
    t.false(isCounted(probe), name);
    t.true(Math.abs(probe.durationMs - 3000) <= 60, `${name} ${probe.durationMs}`);
  }
});

/** The times of the cues of a film in MP4, in ms. */
async function cuesOf(t: ExecutionContext, file: string) {
  const found = await subtitles(bench, file, [0, 13_000], [{ index: 2, codec: 'mov_text', language: 'en' }]);
  return spansOf(artifactOf(t, found, 'subtitle_track'), 'subtitle_cue');
}

test('bug: the cues of a trimmed MP4 were early, and the first was lost', async (t) => {
  const film = subtitledFilm(folder, 'film.mp4');
  const whole = [
    [1000, 4800],
    [5000, 8800],
    [9000, 12_000],
  ];
  t.deepEqual(await cuesOf(t, film), whole);
  for (const seconds of [2.5, 6, 4.9]) {
    const shown = whole.map((span) => span.map((ms) => Math.max(0, ms - seconds * 1000)) as [number, number]);
    const expected = shown.filter(([startMs, endMs]) => startMs < endMs);
    const found = await cuesOf(t, trimmedFilm(film, seconds));
    t.deepEqual(
      found.map(([startMs]) => startMs),
      expected.map(([startMs]) => startMs),
      String(seconds),
    );
    // ffmpeg writes the last cue of a copy as much longer as it cut off.
    t.deepEqual(found.slice(0, -1), expected.slice(0, -1), String(seconds));
  }
});

test('a text track that only begins later keeps its times', async (t) => {
  const late = subtitledFilm(folder, 'late-text.mp4', ['-itsoffset', '1.5']);
  t.deepEqual((await cuesOf(t, late)).slice(0, 2), [
    [2500, 6300],
    [6500, 10_300],
  ]);
});
