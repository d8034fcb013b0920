import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { madeFolder, madeMedia, placeMedia } from './made-media.ts';
import { drawn, redPicture, tone } from './recipes.ts';

test('media is made once, is read-only, and has the same path ever after', async (t) => {
  const [first, second] = await Promise.all([madeMedia(tone(0.1)), madeMedia({ ...tone(0.1) })]);
  t.is(first, second);
  const { mode, size } = await stat(first);
  t.is(mode & 0o777, 0o444);
  t.true(size > 44);
});

test('other words, another extension or other inputs are other media', async (t) => {
  const copied = (bytes: string) => ({ words: ['-i', 'lines.srt'], extension: 'vtt', inputs: { 'lines.srt': bytes } });
  const lines = (word: string) => `1\n00:00:00,000 --> 00:00:01,000\n${word}\n\n`;
  const all = [tone(0.1), tone(0.2), tone(0.1, 'flac'), copied(lines('one')), copied(lines('two'))];
  t.is(new Set(await Promise.all(all.map(madeMedia))).size, all.length);
});

test('media can come from the output of another recipe, and a folder of several files at once', async (t) => {
  const folder = await madeFolder({
    words: ['-i', 'red.png', '-vf', 'scale=32:32', 'small.png', ...['-vf', 'scale=16:16', 'smaller.png']],
    inputs: { 'red.png': redPicture },
  });
  t.true((await stat(join(folder, 'small.png'))).size > 0);
  t.true((await stat(join(folder, 'smaller.png'))).size > 0);
  await t.throwsAsync(stat(join(folder, 'red.png')), { code: 'ENOENT' });
});

test('a copy may be changed, and the media stays unchanged', async (t) => {
  const folder = await scratchFolder(t);
  const before = await readFile(await madeMedia(tone(0.1)));
  await placeMedia(folder, { 'a.wav': tone(0.1) });
  t.deepEqual(await readFile(join(folder, 'a.wav')), before);
  await writeFile(join(folder, 'a.wav'), 'damaged');
  t.deepEqual(await readFile(await madeMedia(tone(0.1))), before);
});

test('output of a failed ffmpeg is not kept', async (t) => {
  const refused = { words: drawn('no_such_source'), extension: 'wav' };
  await t.throwsAsync(madeMedia(refused), { message: /no_such_source/ });
});
