import { execFile } from 'node:child_process';
import { lstat, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { muxFilm } from '../../cli/commands/muxed-film.ts';
import { muxContainerOf, muxingOf } from '../../rules/muxing.ts';
import { type MediaRecipe, madeMedia } from '../media/made-media.ts';

const run = promisify(execFile);

const cue = (text: string): string => `1\n00:00:00,500 --> 00:00:01,500\n${text}\n`;
const picture = ['-f', 'lavfi', '-i', 'testsrc=s=160x90:r=25:d=2', '-f', 'lavfi', '-i', 'sine=d=2'];

/** A Matroska film with a French subtitle track without a cue, a German one, and a font. */
const filmWithFont: MediaRecipe = {
  words: [
    ...[...picture, '-i', 'nothing.vtt', '-i', 'words.srt', '-map', '0', '-map', '1', '-map', '2', '-map', '3'],
    ...['-c:v', 'mpeg4', '-c:a', 'aac', '-c:s', 'srt'],
    ...['-metadata:s:s:0', 'language=fre', '-metadata:s:s:1', 'language=ger'],
    ...['-attach', 'font.ttf', '-metadata:s:t', 'mimetype=application/x-truetype-font'],
  ],
  extension: 'mkv',
  inputs: { 'nothing.vtt': 'WEBVTT\n\n', 'words.srt': cue('Guten Tag'), 'font.ttf': 'a font' },
};

/** An MP4 film with a subtitle track without a cue. */
const filmOfMp4: MediaRecipe = {
  words: [...picture, '-i', 'nothing.vtt', '-map', '0', '-map', '1', '-map', '2', '-c:a', 'aac', '-c:s', 'mov_text'],
  extension: 'mp4',
  inputs: { 'nothing.vtt': 'WEBVTT\n\n' },
};

/** Picture and sound of a film. */
const played = [
  { index: 0, type: 'video', codec: 'h264' },
  { index: 1, type: 'audio', codec: 'aac' },
] as const;

/** The codec and the language of each stream of a film after Korean captions were put into it. */
async function streamsOf(
  t: ExecutionContext,
  recipe: MediaRecipe,
  subtitles: readonly { readonly index: number; readonly codec: string }[],
  name: string,
): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'muxed-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const [captions, output] = [join(folder, 'captions.srt'), join(folder, name)];
  await writeFile(captions, cue('안녕하세요'));
  const tracks = [{ path: captions, language: 'ko' }];
  const container = muxContainerOf(extname(name)) ?? '.mkv';
  const muxing = muxingOf([...played, ...subtitles.map((each) => ({ ...each, type: 'subtitle' }) as const)], container);
  await muxFilm(await madeMedia(recipe), muxing, tracks, output, new AbortController().signal);
  const entries = ['-show_entries', 'stream=codec_name:stream_tags=language', '-of', 'csv=p=0'];
  return (await run('ffprobe', ['-v', 'error', ...entries, output])).stdout.trim().split('\n');
}

test('bug: captions in a film with an empty subtitle track gave their language to another track', async (t) => {
  const streams = await streamsOf(t, filmWithFont, [{ index: 3, codec: 'subrip' }], 'out.mkv');
  t.deepEqual(
    streams.filter((stream) => stream.startsWith('subrip')),
    ['subrip,ger', 'subrip,kor'],
  );
  t.true(streams.includes('ttf'), 'fonts stay in Matroska');
});

test('bug: captions did not go into an MP4 if the film was Matroska with a font', async (t) => {
  const streams = await streamsOf(t, filmWithFont, [{ index: 3, codec: 'subrip' }], 'out.mp4');
  t.deepEqual(
    streams.map((stream) => stream.replace(/,und$/, '')),
    ['mpeg4', 'aac', 'mov_text,ger', 'mov_text,kor'],
  );
});

test('the empty text track of an MP4 stays out of Matroska', async (t) => {
  t.deepEqual((await streamsOf(t, filmOfMp4, [], 'out.mkv')).slice(2), ['subrip,kor']);
});

const reordered = ['-bf', '2', '-g', '50'];

for (const [name, words, extension] of [
  ['XviD in AVI', ['-c:v', 'mpeg4', ...reordered, '-c:a', 'libmp3lame'], 'avi'],
  ['H.264 in AVI', ['-c:v', 'libx264', ...reordered, '-c:a', 'libmp3lame'], 'avi'],
  ['a program stream', ['-c:v', 'mpeg2video', ...reordered, '-c:a', 'mp2', '-f', 'vob'], 'vob'],
] as const) {
  test(`bug: captions did not go into a film whose pictures have no times: ${name}`, async (t) => {
    for (const out of ['out.mkv', 'out.mp4']) {
      const streams = await streamsOf(t, { words: [...picture, ...words], extension }, [], out);
      t.is(streams.length, 3, out);
      t.regex(streams[2] ?? '', /^(subrip|mov_text),kor$/, out);
    }
  });
}

test('bug: a film with captions was put in the place of a link or a pipe', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'muxed-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const file = (name: string) => join(folder, name);
  const [captions, link, target, pipe] = [file('captions.srt'), file('link.mkv'), file('target.mkv'), file('pipe.mkv')];
  await writeFile(captions, cue('안녕하세요'));
  await writeFile(target, 'before');
  await symlink(target, link);
  const film = await madeMedia(filmOfMp4);
  const muxed = (output: string) =>
    muxFilm(film, muxingOf(played, '.mkv'), [{ path: captions, language: 'ko' }], output, new AbortController().signal);
  await muxed(link);
  t.true((await lstat(link)).isSymbolicLink());
  t.true((await lstat(target)).size > 'before'.length);
  await run('mkfifo', [pipe]);
  await t.throwsAsync(muxed(pipe), { message: /pipe\.mkv is not a regular file: name another one$/ });
  t.true((await lstat(pipe)).isFIFO());
});
