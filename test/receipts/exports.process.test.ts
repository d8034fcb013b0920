import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { resultOfSteps } from '../../formats/steps.ts';
import { exportFiles } from '../../receipts/exports/export-catalogue.ts';
import { textLinesOf } from '../../rules/caption-guidelines.ts';
import { fileOf, oneSecondEach, perFile } from './captions/checkable-captions.ts';
import { nastyTexts } from './captions/nasty-texts.ts';
import { captionsSaying, cutAt, markedUpClip, options, textOf } from './exports/exported-runtimes.ts';

const run = promisify(execFile);

const { accepted } = await markedUpClip();

/** The output of a tool of ffmpeg for a file with this text. */
async function saidOf(t: ExecutionContext, text: string, name: string, tool: string, ...flags: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'exported-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, name);
  await writeFile(path, text);
  const { stdout } = await run(tool, ['-v', 'error', '-i', path, ...flags]);
  return stdout;
}

/** The file that ffmpeg makes of another one, in another format. */
const readByFfmpeg = (t: ExecutionContext, text: string, name: string, format: string): Promise<string> =>
  saidOf(t, text, name, 'ffmpeg', '-f', format, '-');

test('ffmpeg reads the chapters', async (t) => {
  const chapters = textOf('chapters.ffmetadata', cutAt(accepted, [1000, 2520]));
  const read = await readByFfmpeg(t, chapters, 'chapters.txt', 'ffmetadata');
  t.deepEqual(read.match(/^(?:START|END)=\d+$/gm), [
    ...['START=0', 'END=1000', 'START=1000', 'END=2520'],
    ...['START=2520', 'END=4000'],
  ]);
});

test('ffmpeg reads captions with any text unchanged', async (t) => {
  const subRip = await readByFfmpeg(t, textOf('captions.srt', accepted), 'captions.srt', 'webvtt');
  t.deepEqual(subRip.match(/\d\d:\d\d\.\d{3} --> \d\d:\d\d\.\d{3}/g), [
    '00:00.000 --> 00:00.900',
    '00:01.000 --> 00:02.000',
    '00:02.100 --> 00:03.900',
  ]);
  const ass = await readByFfmpeg(t, textOf('captions.ass', accepted), 'captions.ass', 'ass');
  const texts = ass
    .split('\n')
    .flatMap((line) => (line.startsWith('Dialogue:') ? [line.trim().split(',,').at(-1)] : []));
  t.deepEqual(texts, ['One & <i>two</i>\\N\\{\\\u2060an8\\}three', 'An arrow --> and a \\\u2060Nbreak', 'Thank you']);
});

/** The words of each cue of a WebVTT file that ffmpeg wrote, without what takes the meaning of signs away. */
const wordsOf = (written: string): string[] =>
  written
    .trim()
    .split('\n\n')
    .slice(1)
    .map((cue) => cue.split('\n').slice(1).join('\n').replaceAll('\u2060', ''));

test('SubRip loses no words of a caption that look like markup', async (t) => {
  const texts = [
    'Write <b> and </b>, then <i>this</i>.',
    'Put {\\an8} before it\nand <font> too',
    'It is in C:\\News\\hour\\notes',
    'I <3 you, 5 < 6 & 7 > 6, {not} a \\word',
  ];
  const looks = texts.map((text, at) => ({ startMs: 1000 * at, endMs: 1000 * at + 900, text }));
  const written = await captionsSaying(looks);
  const read = await readByFfmpeg(
    t,
    resultOfSteps(exportFiles['captions.srt'](written, options)).text,
    'looks.srt',
    'webvtt',
  );
  t.deepEqual(wordsOf(read), texts);
});

/** The bytes of a hex dump: `offset: hex hex …  text` on each line. */
const bytesOf = (dump: string): Buffer =>
  Buffer.from(
    [...dump.matchAll(/^[0-9a-f]{8}: ((?:[0-9a-f]+ )+)/gm)].map(([, hex = '']) => hex.replaceAll(' ', '')).join(''),
    'hex',
  );

test('ffmpeg reads the same cues of WebVTT captions', async (t) => {
  const texts = nastyTexts(7, perFile);
  const shown = ['-show_packets', '-show_data', '-of', 'json'];
  const answer = await saidOf(t, fileOf(oneSecondEach(texts)), 'captions.vtt', 'ffprobe', ...shown);
  const { packets } = JSON.parse(answer) as { packets: { pts: number; duration: number; data: string }[] };
  const unescaped = (text: string): string =>
    text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  t.deepEqual(
    packets.map(({ pts, duration, data }) => [pts, duration, unescaped(bytesOf(data).toString('utf8'))]),
    texts.map((text, index) => [index * 1000, 999, textLinesOf(text).join('\n')]),
  );
});
