import test, { type ExecutionContext } from 'ava';
import { ServiceError } from '../../contract/base/errors.ts';
import type { SubtitleFormat } from '../../contract/sources/subtitle-track.ts';
import { type Placement, retimedSubtitles } from '../../formats/retimed-subtitles.ts';
import { resultOfSteps } from '../../formats/steps.ts';

const later: Placement = { numerator: 1, denominator: 1, offsetMs: 2300 };
const always = (place: Placement) => () => place;

const retimed = (
  text: string | Uint8Array,
  placeAt: (startMs: number) => Placement | null = always(later),
  { format = 'srt', encoding = 'utf-8' }: { format?: SubtitleFormat; encoding?: string } = {},
) =>
  resultOfSteps(
    retimedSubtitles(typeof text === 'string' ? Buffer.from(text, 'utf8') : text, { format, encoding }, placeAt),
  );

const becomes = (
  t: ExecutionContext,
  text: string,
  expected: string,
  ...others: [Parameters<typeof retimed>[1]?, Parameters<typeof retimed>[2]?]
) => t.is(Buffer.from(retimed(text, ...others).bytes).toString('utf8'), expected);

test('of a SubRip file only the times change: identifiers, markup, positions, blank lines and line ends stay', (t) => {
  const file = (one: string, two: string) =>
    `\uFEFF7\r\n${one} X1:100 X2:200\r\n<i>{\\an8}a</i>\r\na --> no\r\n\r\n\r\n3\r\n${two}\r\n1984\r\n`;
  becomes(
    t,
    file('00:00:01,000 --> 00:00:02,500', '00:59:58,000 --> 00:59:59,900'),
    file('00:00:03,300 --> 00:00:04,800', '01:00:00,300 --> 01:00:02,200'),
  );
});

test('of a WebVTT file styles, regions, names, notes and settings stay, and times within a text move with their cue', (t) => {
  const file = (one: string, inner: string, two: string) =>
    `WEBVTT - x\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:r\n\nNOTE 00:01.000 --> x\n\nname 1\n${one} line:0 align:start\n<v A>x <${inner}>y\n\n${two}\nz\n`;
  becomes(
    t,
    file('00:01.000 --> 00:02.500', '00:01.500', '00:59:59.000 --> 00:59:59.900'),
    file('00:03.300 --> 00:04.800', '00:03.800', '01:00:01.300 --> 01:00:02.200'),
    always(later),
    { format: 'webvtt' },
  );
});

test('of an ASS file styles, fields and layers stay in their order, and comments move with the dialogue around them', (t) => {
  const file = (one: string, two: string) =>
    `[Script Info]\nTitle: 0:00:01.00\n\n[V4+ Styles]\nStyle: Big,Arial\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nComment: 0,${one},Big,,0,0,0,,k\nDialogue: 3,${one},Big,A,1,2,3,,{\\pos(1,2)}a, b\nDialogue: 0,${two},Default,,0,0,0,,c\n`;
  becomes(
    t,
    file('0:00:01.50,0:00:02.00', '0:59:58.00,0:59:59.99'),
    file('0:00:03.80,0:00:04.30', '1:00:00.30,1:00:02.29'),
    always(later),
    { format: 'ass' },
  );
  const ordered = (one: string) =>
    `[Script Info]\n\n[Events]\nFormat: Style, End, Start, Text\nDialogue: Big, ${one},a, b\n`;
  becomes(t, ordered('0:00:02.00, 0:00:01.50'), ordered('0:00:04.30, 0:00:03.80'), always(later), { format: 'ass' });
});

test('a file stays in its encoding, byte for byte beside the times', (t) => {
  const file = (times: string, text: Buffer) => Buffer.concat([Buffer.from(`1\n${times}\n`), text, Buffer.from('\n')]);
  const [old, now] = ['00:00:01,000 --> 00:00:02,000', '00:00:03,300 --> 00:00:04,300'];
  for (const [encoding, hex] of [
    ['shift_jis', '82b182f182c982bf82cd81428da193fa82cd89638bc6'],
    ['gb18030', 'c4e3bac3a3acceD2c3c7bdf1ccecc8a5cbc7b4a8'],
    ['windows-1251', 'cff0e8e2e5f22c20eaeae0ea20e4e5ebe03f20ddf2ee20ece0fff7eae8'],
  ] as const) {
    const text = Buffer.from(hex, 'hex');
    t.deepEqual(Buffer.from(retimed(file(old, text), always(later), { encoding }).bytes), file(now, text), encoding);
  }
  const wide = (times: string) => Buffer.from(`\uFEFF1\r\n${times}\r\n\u0A0A\u0D0D안녕\r\n`, 'utf16le');
  t.deepEqual(Buffer.from(retimed(wide(old)).bytes), wide(now));
  const swapped = (times: string) => Buffer.from(wide(times)).swap16();
  t.deepEqual(Buffer.from(retimed(swapped(old)).bytes), swapped(now));
});

test('cues without a place keep their times, and none begins before the film', (t) => {
  const back: Placement = { numerator: 24, denominator: 25, offsetMs: -2000 };
  const file = (...times: readonly string[]) => times.map((each, at) => `${at + 1}\n${each}\nx\n`).join('\n');
  const placed = (startMs: number) => (startMs < 10_000 ? back : null);
  const old = file('00:00:01,000 --> 00:00:03,000', '00:00:05,000 --> 00:00:06,000', '00:00:10,000 --> 00:00:11,000');
  becomes(
    t,
    old,
    file('00:00:00,000 --> 00:00:00,880', '00:00:02,800 --> 00:00:03,760', '00:00:10,000 --> 00:00:11,000'),
    placed,
  );
  t.like(retimed(old, placed), { moved: 2, early: 1 });
});

test('times in another form are written in that of the format', (t) => {
  becomes(t, '1\n0:0:1,8 --> 0:0:2\nx', '1\n0:00:04,100 --> 0:00:04,300\nx');
  becomes(t, '1\r00:00:01,000 --> 00:00:02,000\rx\r', '1\r00:00:03,300 --> 00:00:04,300\rx\r');
});

test('a file that cannot be read is refused as everywhere', (t) => {
  t.throws(() => retimed('1\n00:00:0x,000 --> 00:00:02,000\nx'), { instanceOf: ServiceError, message: /^line 2/ });
});
