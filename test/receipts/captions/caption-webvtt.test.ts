import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import webVtt, { type Cue } from 'webvtt-parser';
import entities from 'webvtt-parser/html-entities.json' with { type: 'json' };
import { type CaptionLine, captionWords } from '../../../contract/captions/caption-line.ts';
import type { CaptionSide } from '../../../contract/captions/caption-side.ts';
import { qualityControl as qualityControlReceipt } from '../../../receipts/captions/caption-quality-control.ts';
import { textLinesOf } from '../../../receipts/captions/caption-text-lines.ts';
import { webVttOf } from '../../../receipts/captions/caption-webvtt.ts';
import { outputOf } from '../../executors/evidence/media-for-tests.ts';
import { run } from '../evidence/spoken-study.ts';
import { captionsOf, lineOf, threeLines, type Words } from './checkable-captions.ts';
import { nastyTexts } from './nasty-texts.ts';

function fileOf(lines: readonly CaptionLine[], side: CaptionSide = 'target'): string {
  const captions = captionsOf(lines);
  return webVttOf({ ...captions, qualityControl: qualityControlReceipt.of(run, captions) }, side);
}

/** What a cue says; markup would be left out. */
const textOf = ({ tree }: Cue): string =>
  tree.children.map((node) => (node.type === 'text' ? node.value : '')).join('');

/** The cues that a strict parser reads, which must have nothing to object to. */
function cuesOf(file: string) {
  const { cues, errors } = new webVtt.WebVTTParser(entities).parse(file, 'subtitles');
  if (errors.length > 0) throw new Error(errors.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return cues.map((cue) => ({
    id: cue.id,
    startMs: Math.round(cue.startTime * 1000),
    endMs: Math.round(cue.endTime * 1000),
    text: textOf(cue),
    isPlain: cue.tree.children.every(({ type }) => type === 'text'),
  }));
}

/** As many lines as fit into the largest stored captions. */
const perFile = 28;

const oneSecondEach = (texts: readonly string[]): CaptionLine[] =>
  texts.map((target, index) =>
    lineOf({ startMs: index * 1000, endMs: index * 1000 + 999, source: 'x', target }, index),
  );

test('a file names its receipts and has a cue for each line', (t) => {
  const captions = captionsOf(threeLines);
  const qualityControl = qualityControlReceipt.of(run, captions);
  t.is(
    webVttOf({ ...captions, qualityControl }, 'target'),
    `WEBVTT

NOTE
target language en
captions ${captions.artifact.jobId}
caption receipt ${captions.receipt.receiptId}
quality control receipt ${qualityControl.receiptId}

line-1
00:00:01.000 --> 00:00:03.000
Good morning

line-2
00:00:03.000 --> 00:00:06.000
Come in

line-3
00:00:07.000 --> 00:00:09.000
Thank you
`,
  );
});

test('the other side has its own language and texts, at the same times', (t) => {
  const file = fileOf(threeLines, 'source');
  t.true(file.includes('\nsource language ko\n'));
  t.deepEqual(
    cuesOf(file).map(({ id, startMs, endMs, text }) => [id, startMs, endMs, text]),
    threeLines.map(({ id, startMs, endMs, source }) => [id, startMs, endMs, source.text]),
  );
});

test('a line without a text on this side has no cue', (t) => {
  const words: Words[] = [
    { startMs: 1000, endMs: 2000, source: 'a', target: null },
    { startMs: 2000, endMs: 3000, source: null, target: 'b' },
  ];
  const lines = words.map((each, index) => lineOf(each, index));
  t.deepEqual(
    cuesOf(fileOf(lines)).map(({ id }) => id),
    ['line-2'],
  );
  t.deepEqual(
    cuesOf(fileOf(lines, 'source')).map(({ id }) => id),
    ['line-1'],
  );
});

test('captions without a line make a file without a cue', (t) => {
  t.deepEqual(cuesOf(fileOf([])), []);
});

test('times reach past an hour and past a hundred', (t) => {
  const startMs = 3_600_000 * 123 + 59 * 60_000 + 58_007;
  const file = fileOf([lineOf({ startMs, endMs: startMs + 1993, source: 'a', target: 'b' }, 0)]);
  t.true(file.includes('\n123:59:58.007 --> 124:00:00.000\n'));
  t.deepEqual(
    cuesOf(file).map((cue) => [cue.startMs, cue.endMs]),
    [[startMs, startMs + 1993]],
  );
});

test('signs of the format are text in a cue', (t) => {
  const [cue] = cuesOf(fileOf(oneSecondEach(['1 < 2 & 3 > 2 --> <i>so</i> &amp; on'])));
  t.is(cue?.text, '1 < 2 & 3 > 2 --> <i>so</i> &amp; on');
  t.true(cue?.isPlain);
});

test('blank lines do not end a cue, and every kind of line break is one', (t) => {
  const [cue, ...others] = cuesOf(fileOf(oneSecondEach(['one\r\n\r\ntwo\rthree\n \t\n\n  four'])));
  t.is(cue?.text, 'one\ntwo\nthree\n  four');
  t.deepEqual(others, []);
});

test('no caption can hold a NUL', (t) => {
  t.false(captionWords.safeParse('a\0b').success);
});

for (const seed of [1, 20, 300, 4000, 50_000]) {
  test(`a strict parser reads texts of seed ${seed} as they were, whatever they look like`, (t) => {
    const texts = nastyTexts(seed, perFile);
    const file = fileOf(oneSecondEach(texts));
    t.deepEqual(
      cuesOf(file),
      texts.map((text, index) => ({
        id: `line-${index + 1}`,
        startMs: index * 1000,
        endMs: index * 1000 + 999,
        text: textLinesOf(text).join('\n'),
        isPlain: true,
      })),
    );
    t.is(file.split('-->').length - 1, texts.length);
  });
}

interface Packet {
  readonly pts: number;
  readonly duration: number;
  readonly data: string;
}

/** The bytes of a hex dump: `offset: hex hex …  text` on each line. */
const bytesOf = (dump: string): Buffer =>
  Buffer.from(
    [...dump.matchAll(/^[0-9a-f]{8}: ((?:[0-9a-f]+ )+)/gm)].map(([, hex = '']) => hex.replaceAll(' ', '')).join(''),
    'hex',
  );

test('ffmpeg reads the same cues', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'caption-webvtt-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const texts = nastyTexts(7, perFile);
  await writeFile(join(folder, 'captions.vtt'), fileOf(oneSecondEach(texts)));
  const shown = ['-show_packets', '-show_data', '-of', 'json'];
  const answer = await outputOf(folder, 'ffprobe', '-v', 'error', ...shown, 'captions.vtt');
  const { packets } = JSON.parse(answer) as { packets: Packet[] };
  const unescaped = (text: string): string =>
    text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  t.deepEqual(
    packets.map(({ pts, duration, data }) => [pts, duration, unescaped(bytesOf(data).toString('utf8'))]),
    texts.map((text, index) => [index * 1000, 999, textLinesOf(text).join('\n')]),
  );
});
