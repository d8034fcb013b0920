import { readFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { hasCaptionsInPicture } from '../../executors/evidence/captions-in-picture.ts';
import { type ShownCaption, withClosedCaptions } from '../../lab/cases/closed-captions.ts';
import { openDetectionBench, statesOf, subtitles, watched } from '../executors/evidence/detection-for-tests.ts';
import { madeMedia } from '../media/made-media.ts';
import { drawn } from '../media/recipes.ts';

const bench = await openDetectionBench();
test.after.always(() => bench.close());

const captions: readonly ShownCaption[] = [
  { startMs: 3000, endMs: 5500, text: 'THE BOAT LEAVES AT SEVEN.' },
  { startMs: 7000, endMs: 9500, text: 'BRING THE GREEN BOX.' },
];

/** A film of ten seconds whose pictures carry captions, in a container and with a video codec. */
async function captioned(
  name: string,
  shown: readonly ShownCaption[] = captions,
  words: readonly string[] = ['-c', 'copy'],
): Promise<string> {
  const slices = ['-bf', '0', '-x264-params', 'slices=1:sliced-threads=0'];
  const plain = [...drawn('testsrc2=s=64x64:r=25:d=10'), '-c:v', 'libx264', '-preset', 'ultrafast', ...slices];
  const stream = await readFile(await madeMedia({ words: plain, extension: 'h264' }));
  const inputs = { 'captions.h264': withClosedCaptions(stream, shown, 25) };
  const made = ['-r', '25', '-i', 'captions.h264', ...words];
  return madeMedia({ words: made, extension: path.extname(name).slice(1), inputs });
}

const search = async (file: string, codec = 'h264', range = { startMs: 0, endMs: 10_000 }) =>
  hasCaptionsInPicture(bench, {
    path: file,
    picture: { index: 0, codec },
    range,
    signal: new AbortController().signal,
  });

test('captions of CEA-608 are found in H.264 in each container, and in MPEG-2', async (t) => {
  for (const name of ['film.mp4', 'film.mkv', 'film.ts']) t.true(await search(await captioned(name)), name);
  const mpeg = await captioned('film.mpg', captions, ['-c:v', 'mpeg2video', '-b:v', '2M', '-f', 'vob']);
  t.true(await search(mpeg, 'mpeg2video'));
  const reordered = await captioned('film.mp4', captions, ['-c:v', 'libx264', '-bf', '2', '-preset', 'veryfast']);
  t.true(await search(reordered));
});

test('nothing is found in padding, nor in pictures without captions', async (t) => {
  t.false(await search(await captioned('film.mp4', [])));
  const plain = await madeMedia({
    words: [...drawn('testsrc2=s=64x64:r=25:d=2'), '-c:v', 'libx264'],
    extension: 'mp4',
  });
  t.false(await search(plain));
  t.false(await search(await captioned('film.mp4'), 'h264', { startMs: 0, endMs: 1500 }));
  t.false(await search(plain, 'vp9'), 'a codec that carries none');
});

test('captions in the pictures are named by the video track, beside the tracks with text', async (t) => {
  const film = await captioned('film.mp4');
  const found = await subtitles(bench, film, [0, 10_000], [], undefined, { index: 0, codec: 'h264' });
  t.deepEqual(statesOf(found), [
    ['subtitle_track', 'no_text_subtitle_track'],
    ['subtitle_track', 'subtitle_format_unsupported'],
    ['text_language', 'no_text_subtitle_track'],
    ['text_language', 'subtitle_format_unsupported'],
  ]);
  t.deepEqual(
    found.map((each) => (each.state === 'unavailable' ? each.trackIndex : null)),
    [undefined, 0, undefined, 0],
  );
});

test('bug: the pictures of a film with subtitles were searched in a run of their own, and each study became slower', async (t) => {
  const inputs = {
    'film.mp4': await readFile(await captioned('film.mp4')),
    'words.srt': '1\n00:00:01,000 --> 00:00:02,000\nThe boat leaves.\n',
  };
  const words = ['-i', 'film.mp4', '-i', 'words.srt', '-map', '0', '-map', '1', '-c:v', 'copy', '-c:s', 'mov_text'];
  const film = await madeMedia({ words, extension: 'mp4', inputs });
  const { launcher, requests } = watched(bench.launcher);
  const track = { index: 1, codec: 'mov_text', language: 'en' };
  const picture = { index: 0, codec: 'h264' };
  const found = await subtitles({ ...bench, launcher }, film, [0, 10_000], [track], undefined, picture);
  t.deepEqual(statesOf(found).slice(0, 2), [
    ['subtitle_track', 'available'],
    ['subtitle_track', 'subtitle_format_unsupported'],
  ]);
  const runs = () => requests.filter(({ tool }) => tool === bench.ffmpeg.path).length;
  t.is(runs(), 1);

  const before = await subtitles({ ...bench, launcher }, film, [0, 1500], [track], undefined, picture);
  t.deepEqual(statesOf(before).slice(0, 2), [
    ['subtitle_track', 'available'],
    ['text_language', 'available'],
  ]);
  const behind = await subtitles({ ...bench, launcher }, film, [2500, 10_000], [track], undefined, picture);
  t.deepEqual(statesOf(behind)[1], ['subtitle_track', 'subtitle_format_unsupported']);
});
