import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { readSubtitleTracks, withinAll } from '../../../executors/evidence/subtitle-tracks.ts';
import { mediaInput } from '../../../executors/sources/media-whitelists.ts';
import { artifactOf, cutsOf, type DetectionBench, detect, openDetectionBench, spansOf } from './detection-for-tests.ts';
import { ffmpeg } from './media-for-tests.ts';

let bench: DetectionBench;

const file = (name: string): string => path.join(bench.folder, name);
const range: readonly [number, number] = [6000, 18_000];

// 24 seconds: a tone from 8 to 16 s, a cut at 14 s, a line from 10 to 11 s.
test.before(async () => {
  bench = await openDetectionBench();
  const { folder } = bench;
  await writeFile(file('lines.srt'), '1\n00:00:10,000 --> 00:00:11,000\nhello\n\n');
  const sound = ['-f', 'lavfi', '-i', 'aevalsrc=0.3*sin(2*PI*440*t)*between(t\\,8\\,16):s=44100:d=24'];
  const red = ['-f', 'lavfi', '-i', 'color=red:s=160x90:r=10:d=14'];
  const white = ['-f', 'lavfi', '-i', 'color=white:s=160x90:r=10:d=10'];
  const both = ['-filter_complex', '[1][2]concat=n=2:v=1,format=yuv420p[v]', '-map', '[v]', '-map', '0:a', '-map', '3'];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'pcm_s16le', '-c:s', 'srt'];
  await ffmpeg(folder, ...sound, ...red, ...white, '-i', 'lines.srt', ...both, ...codecs, 'film.mkv');
});

test.after.always(() => bench.close());

test.serial('a film whose clock begins at 7 s has the evidence and the lines of one that begins at zero', async (t) => {
  await ffmpeg(bench.folder, '-i', 'film.mkv', '-map', '0', '-c', 'copy', '-output_ts_offset', '7', 'late.mkv');
  t.deepEqual(await detect(bench, file('late.mkv'), range), await detect(bench, file('film.mkv'), range));
  const linesOf = async (name: string) =>
    withinAll(
      await readSubtitleTracks(bench, {
        input: mediaInput(file(name)),
        tracks: [{ index: 2, codec: 'subrip' }],
        range: { startMs: 0, endMs: 24_000 },
        signal: new AbortController().signal,
      }),
    );
  t.deepEqual(await linesOf('late.mkv'), [[{ startMs: 10_000, endMs: 11_000, text: 'hello', reasonCode: null }]]);
  t.deepEqual(await linesOf('late.mkv'), await linesOf('film.mkv'));
});

for (const [what, words] of [
  ['from stereo to mono', ['-ac', '1']],
  ['the size of its picture', ['-ac', '2', '-s', '320x180']],
] as const) {
  test.serial(`a joined transport stream that changes ${what} is measured through the seam`, async (t) => {
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '0', '-c:a', 'mp2', '-ar', '44100'];
    const part = (name: string, ...more: readonly string[]) =>
      ffmpeg(
        bench.folder,
        ...more.slice(0, 2),
        '-i',
        'film.mkv',
        '-map',
        '0:v',
        '-map',
        '0:a',
        ...codecs,
        ...more.slice(2),
        name,
      );
    await part('first.ts', '-t', '12', '-ac', '2');
    await part('second.ts', '-ss', '12', ...words);
    await writeFile(
      file('joined.ts'),
      Buffer.concat([await readFile(file('first.ts')), await readFile(file('second.ts'))]),
    );
    const found = await detect(bench, file('joined.ts'), range);
    t.is(artifactOf(t, found, 'speech_activity').input.derivedAudio?.samples, 12_000 * 16);
    const close = (ms: number | undefined, wanted: number) => t.true(Math.abs((ms ?? -1) - wanted) <= 120, `${ms} ms`);
    const [before, after] = spansOf(artifactOf(t, found, 'silence'), 'silence');
    close(before?.[1], 8000);
    close(after?.[0], 16_000);
    const cuts = cutsOf(artifactOf(t, found, 'shot_changes'));
    close(cuts.at(-1), 14_000);
  });
}

test.serial('a film of which a tenth is missing is measured to its end', async (t) => {
  const bytes = await readFile(file('film.mkv'));
  await writeFile(file('cut.mkv'), bytes.subarray(0, Math.floor(bytes.length * 0.9)));
  const [, silence] = spansOf(artifactOf(t, await detect(bench, file('cut.mkv'), [0, 20_000]), 'silence'), 'silence');
  t.true(Math.abs((silence?.[0] ?? 0) - 16_000) <= 60);
});
