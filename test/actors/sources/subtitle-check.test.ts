import test from 'ava';
import { demandReadable } from '../../../actors/sources/subtitle-check.ts';
import { ServiceError } from '../../../contract/base/service-error.ts';
import { atOnce } from '../../../receipts/core/steps.ts';
import { openSubtitleFile, type SubtitleFile } from '../../../receipts/sources/subtitle-file.ts';
import { type DetectionBench, openDetectionBench } from '../../executors/evidence/detection-for-tests.ts';

let bench: DetectionBench;
test.before(async () => {
  bench = await openDetectionBench();
});
test.after.always(() => bench.close());

const fileOf = (text: string): SubtitleFile =>
  atOnce(openSubtitleFile(Buffer.from(text, 'utf8'), { format: null, encoding: null }));
const read = (file: SubtitleFile) => demandReadable(bench, file, new AbortController().signal);

const events = 'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text';
const dialogue = (start: string, end: string, text: string) => `Dialogue: 3,${start},${end},Default,A,0,0,0,,${text}`;

const whole = {
  'SubRip that is out of order, overlaps, repeats a cue, and has cues without text or duration':
    '1\r\n00:00:05,000 --> 00:00:08,000\r\n{\\an8}<b>a</b>\r\n\r\nb\r\n\r\n2\r\n00:00:06,000 --> 00:00:07,000\r\n1984\r\n\r\n3\r\n00:00:01,000 --> 00:00:02,000\r\n\r\n4\r\n00:00:01,000 --> 00:00:01,000\r\nnever\r\n\r\n5\r\n00:00:06,000 --> 00:00:07,000\r\n1984\r\n',
  'WebVTT with styles, regions, comments, settings, names of cues and voices':
    'WEBVTT\n\nREGION\nid:a\n\nSTYLE\n::cue(b) { color: red }\n\nNOTE x\ny\n\nfirst\n00:01.000 --> 01:00:02.000 line:0 align:start\n<v A>1 &lt; 2\n\n01:00.500 --> 01:01.000\n<00:01:00.700><c.x>z</c>\n',
  'WebVTT with names of cues that begin as comments and as the head of a file do':
    'WEBVTT\n\nNOTEBOOK\n00:01.000 --> 00:02.000\none\n\nNOTE-1\n00:03.000 --> 00:04.000\ntwo\n\nNOTE three\n\nWEBVTT4\n00:05.000 --> 00:06.000\nfour\n',
  'ASS with overrides, drawings, commas and breaks': `[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name\n\n[Events]\n${events}\n${dialogue('0:00:09.50', '0:00:10.00', '{\\pos(1,2)}a, b\\Nc')}\n${dialogue('0:00:01.00', '0:00:02.00', '{\\p1}m 0 0 l 1 1{\\p0}')}\n${dialogue('0:00:01.00', '0:00:02.00', 'd')}\nComment: 0,0:00:01.00,0:00:02.00,,,0,0,0,,no\n`,
};

for (const [what, text] of Object.entries(whole)) {
  test.serial(`ffmpeg reads every cue of ${what}`, async (t) => {
    await t.notThrowsAsync(read(fileOf(text)));
  });
}

test.serial('a file that ffmpeg reads otherwise than it stands is refused with the cue', async (t) => {
  const file = fileOf('1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:03,000 --> 00:00:04,000\nb\n');
  const other = (text: string): SubtitleFile => ({ ...file, text: Buffer.from(text, 'utf8') });
  const refusal = (message: RegExp) => ({ instanceOf: ServiceError, code: 'invalid_subtitle_file', message }) as const;
  await t.throwsAsync(read(other('1\n00:00:01,000 --> 00:00:02,000\na\n')), refusal(/^line 6: ffmpeg does not read/));
  await t.throwsAsync(read(other(`${Buffer.from(file.text)}\n3\n00:00:05,000 --> 00:00:05,500\nc\n`)), refusal(/./));
  await t.throwsAsync(read(other('no subtitles')), refusal(/./));
});
