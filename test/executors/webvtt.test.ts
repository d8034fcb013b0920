import test from 'ava';
import { DetectionFailure } from '../../executors/detection-failure.ts';
import { clipCues } from '../../executors/subtitle-tracks.ts';
import { parseWebVtt } from '../../executors/webvtt.ts';

const bad = { instanceOf: DetectionFailure, message: /^tool_output: / };
const cue = (startMs: number, endMs: number, text: string) => ({ startMs, endMs, text });
const textOf = (...lines: readonly string[]) =>
  parseWebVtt(`WEBVTT\n\n00:01.000 --> 00:02.000\n${lines.join('\n')}\n`)[0]?.text;

test('cues are read with and without hours, with settings and names', (t) => {
  const document = [
    'WEBVTT',
    '',
    '00:00.800 --> 00:03.372',
    '열람실에 오신 것을 환영합니다.',
    '',
    'named',
    '59:59.999 --> 01:00:00.001 line:0% align:left',
    'two',
    'lines',
    '',
    '123:00:00.000 --> 123:00:01.000',
    'late',
    '',
  ].join('\n');
  const expected = [
    cue(800, 3372, '열람실에 오신 것을 환영합니다.'),
    cue(3_599_999, 3_600_001, 'two\nlines'),
    cue(442_800_000, 442_801_000, 'late'),
  ];
  t.deepEqual(parseWebVtt(document), expected);
  t.deepEqual(parseWebVtt(document.replaceAll('\n', '\r\n')), expected);
});

test('a document without cues is empty, and a first cue may have a name', (t) => {
  t.deepEqual(parseWebVtt('WEBVTT\n'), []);
  t.deepEqual(parseWebVtt('\uFEFFWEBVTT - title\n\n'), []);
  t.deepEqual(parseWebVtt('WEBVTT\n\none\n00:01.000 --> 00:02.000\ntext'), [cue(1000, 2000, 'text')]);
});

test('a blank line inside a text does not end its cue', (t) => {
  const document = 'WEBVTT\n\n00:01.000 --> 00:02.000\none\n\ntwo\n\n00:03.000 --> 00:04.000\nthree\n';
  t.deepEqual(parseWebVtt(document), [cue(1000, 2000, 'one\ntwo'), cue(3000, 4000, 'three')]);
});

test('tags are removed, and what only looks like one stays', (t) => {
  t.is(textOf('<b>I <3 you & me </b>', '<i.loud>x</i> a --> b'), 'I <3 you & me\nx a --> b');
  t.is(textOf('<v Maria><c.red.bg_blue>안녕</c> <00:00:01.500>now <lang ja>日</lang>'), '안녕 now 日');
  t.is(textOf('<bold> <script>x</script> 1 < 2 > 0'), '<bold> <script>x</script> 1 < 2 > 0');
});

test('character references are resolved once, unknown ones stay', (t) => {
  t.is(textOf('&lt;b&gt; &amp;lt; Tom&#39;s &#xAC00; fish&nbsp;chips'), "<b> &lt; Tom's 가 fish\u00A0chips");
  t.is(textOf('&unknown; &constructor; &#xD800; &#9999999; &;'), '&unknown; &constructor; &#xD800; &#9999999; &;');
});

test('control characters are removed, even those that are written as references', (t) => {
  t.is(textOf('a\u0000b\u001b[31mc\u0085d\u2028e &#27;f&#10;g\t'), 'ab[31mcde fg');
});

test('cues without text or length are dropped', (t) => {
  const document =
    'WEBVTT\n\n00:01.000 --> 00:02.000\n<i> </i>\n\n00:03.000 --> 00:03.000\nx\n\n00:05.000 --> 00:04.000\ny\n';
  t.deepEqual(parseWebVtt(document), []);
});

test('what is not WebVTT is refused', (t) => {
  for (const document of ['', 'neither a version nor JSON\n', 'WEBVTTX\n', 'WEBVTT\n\nfirst\n\nsecond\n']) {
    t.throws(() => parseWebVtt(document), bad, document);
  }
});

test('cues are clipped to the range, and those that only touch it from outside are left out', (t) => {
  const cues = [
    cue(0, 1000, 'a'),
    cue(500, 1500, 'b'),
    cue(1200, 1300, 'c'),
    cue(1900, 9000, 'd'),
    cue(2000, 2100, 'e'),
  ];
  t.deepEqual(clipCues(cues, { startMs: 1000, endMs: 2000 }), [
    cue(1000, 1500, 'b'),
    cue(1200, 1300, 'c'),
    cue(1900, 2000, 'd'),
  ]);
});
