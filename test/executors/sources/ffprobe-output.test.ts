import test from 'ava';
import {
  ffprobeReport,
  milliseconds,
  positiveInteger,
  startOffset,
  trackOf,
} from '../../../executors/sources/ffprobe-output.ts';
import { isPlayable } from '../../../executors/sources/probe-rules.ts';

test('seconds become rounded milliseconds, and only what is a length does', (t) => {
  t.is(milliseconds('51.6876'), 51_688);
  t.is(milliseconds('0.0005'), 1);
  for (const text of [undefined, 'N/A', '', '0', '0.0004', '-1', '1e400', '1e300', 'NaN'])
    t.is(milliseconds(text), null);
});

test('a clock begins at rounded milliseconds before or after zero, and at zero where nothing is said', (t) => {
  t.is(startOffset('6.976009'), 6976);
  t.is(startOffset('-0.0074'), -7);
  for (const text of [undefined, 'N/A', '0.000000', '1e400']) t.is(startOffset(text), 0);
});

test('a count is a whole number above zero', (t) => {
  t.is(positiveInteger('44100'), 44_100);
  for (const text of [undefined, 'N/A', '', '0', '-3', '1.5', '1e400']) t.is(positiveInteger(text), null);
});

test('a stream that states next to nothing is still described', (t) => {
  t.deepEqual(trackOf({ index: 3 }), {
    index: 3,
    type: 'data',
    codec: 'unknown',
    durationMs: null,
    language: null,
    isCoverArt: false,
  });
});

test('a track takes its duration from its tag where the container keeps it there', (t) => {
  t.is(trackOf({ index: 0, tags: { DURATION: '01:02:03.500000000' } }).durationMs, 3_723_500);
  t.is(trackOf({ index: 0, duration: '2.5', tags: { DURATION: '00:00:09.000000000' } }).durationMs, 2500);
  t.is(trackOf({ index: 0, tags: { DURATION: 'soon' } }).durationMs, null);
});

test('a language is kept as it is, and what is none is left out', (t) => {
  const languageOf = (language: string) => trackOf({ index: 0, tags: { language } }).language;
  t.is(languageOf('kor'), 'kor');
  t.is(languageOf('pt-BR'), 'pt-BR');
  for (const text of ['und', '', 'a b', '../x', 'k'.repeat(100)]) t.is(languageOf(text), null);
});

test('a language that is given by a name too long or too foreign for a tag becomes its tag', (t) => {
  const languageOf = (language: string) => trackOf({ index: 0, tags: { language } }).language;
  t.is(languageOf('Portuguese (Brazil)'), 'pt');
  t.is(languageOf('Français'), 'fr');
  t.is(languageOf('한국어'), 'ko');
  // A name that could be a tag is kept as the container has it; who reads it understands it.
  t.is(languageOf('Dutch'), 'Dutch');
});

test('timed text of MP4 that the tool takes for data is a subtitle track', (t) => {
  const unknown = { index: 2, codec_type: 'data', codec_tag_string: 'stpp' };
  t.like(trackOf(unknown), { type: 'subtitle', codec: 'ttml' });
  t.like(trackOf({ ...unknown, codec_tag_string: 'wvtt' }), { type: 'subtitle', codec: 'wvtt' });
  t.like(trackOf({ ...unknown, codec_tag_string: 'tmcd' }), { type: 'data', codec: 'unknown' });
  t.like(trackOf({ ...unknown, codec_name: 'bin_data' }), { type: 'data', codec: 'bin_data' });
});

test('a picture without a size, a cover and an unknown codec are nothing to play', (t) => {
  const video = { index: 0, codec_type: 'video', codec_name: 'h264', width: 320, height: 180 };
  t.true(isPlayable(trackOf(video)));
  t.false(isPlayable(trackOf({ ...video, width: 0 })));
  t.false(isPlayable(trackOf({ ...video, disposition: { attached_pic: 1 } })));
  t.false(isPlayable(trackOf({ index: 0, codec_type: 'audio' })));
});

test('keys that nobody asked for are let through unread, wrong types are not', (t) => {
  t.deepEqual(ffprobeReport.parse({ programs: [], streams: [{ index: 0, more: true }] }), { streams: [{ index: 0 }] });
  t.false(ffprobeReport.safeParse({ streams: [{ index: '0' }] }).success);
  t.false(ffprobeReport.safeParse([]).success);
});
