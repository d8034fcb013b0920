import test from 'ava';
import { cueTextOf, MAXIMUM_PACKET_BYTES } from '../../../executors/evidence/cue-text.ts';
import { PacketJoiner } from '../../../executors/evidence/subtitle-tracks.ts';
import {
  hasForeignLetter,
  isNoNeighbor,
  languageBlocks,
  languageOfScripts,
  scriptCounts,
} from '../../../executors/evidence/text-language.ts';
import { DetectionFailure } from '../../../kinds/detection-failure.ts';
import { threadTimeMs } from '../../thread-time.ts';

const textOf = (codec: string, ...lines: readonly string[]) => cueTextOf(codec, Buffer.from(lines.join('\n'))).text;
const vtt = (...lines: readonly string[]) => textOf('webvtt', ...lines);
const ass = (text: string) => textOf('ass', `3,0,Default,,0,0,0,,${text}`);
const reasonOf = (codec: string, bytes: Uint8Array) => cueTextOf(codec, bytes).reasonCode;

/** A sample of 3GPP timed text: the length of the text, the text, and what follows. */
const sample = (text: Uint8Array, rest: readonly number[] = []) =>
  Buffer.concat([Buffer.from([text.length >> 8, text.length & 0xff]), text, Buffer.from(rest)]);

test('tags are removed, and what only looks like one stays', (t) => {
  t.is(vtt('<b>I <3 you & me </b>', '<i.loud>x</i> a --> b'), 'I <3 you & me\nx a --> b');
  t.is(vtt('<v Maria><c.red.bg_blue>안녕</c> <00:00:01.500>now <lang ja>日</lang>'), '안녕 now 日');
  t.is(vtt('<bold> <script>x</script> 1 < 2 > 0'), '<bold> <script>x</script> 1 < 2 > 0');
  t.is(textOf('subrip', '<FONT color="#ff0000"><B>a</B></FONT><br/>b <s>c</s>'), 'a\nb c');
});

test('character references are resolved once, unknown ones stay', (t) => {
  t.is(vtt('&lt;b&gt; &amp;lt; Tom&#39;s &#xAC00; fish&nbsp;chips'), "<b> &lt; Tom's 가 fish\u00A0chips");
  t.is(vtt('&unknown; &constructor; &#xD800; &#9999999; &;'), '&unknown; &constructor; &#xD800; &#9999999; &;');
});

test('marks of direction stay in the text, as characters and as references', (t) => {
  t.is(vtt('\u200Fשלום&rlm; a&lrm;\u202Bb\u202C'), '\u200Fשלום\u200F a\u200E\u202Bb\u202C');
});

test('control characters are removed, even those that are written as references', (t) => {
  t.is(vtt('a\u0000b\u001b[31mc\u0085de &#27;f&#10;g\t'), 'ab[31mcde fg');
});

test('bug: words of a cue with a tab between them were one word', (t) => {
  t.is(vtt('Hello\tworld'), 'Hello world');
  t.is(textOf('subrip', 'Anna:\tYes.'), 'Anna: Yes.');
  t.is(cueTextOf('mov_text', sample(Buffer.from('one\vtwo'))).text, 'one two');
});

test('blank lines are left out, and a text that shows nothing is empty', (t) => {
  t.is(vtt('one', '', ' two\r', '', '\ufeff'), 'one\ntwo');
  t.is(vtt('<i> </i>'), '');
  t.is(textOf('subrip', ''), '');
});

test('an ASS event shows neither its overrides and remarks nor its drawings', (t) => {
  t.is(ass('{\\an8\\pos(10,20)}Hallo{a remark} Welt{\\i0}'), 'Hallo Welt');
  t.is(ass('{\\p1}m 0 0 l 100 0 100 100{\\p0}after'), 'after');
  t.is(ass('before{\\p4\\c&H00FF00&}m 0 0 l 5 5{\\i1} 1 1{\\p0\\i0}, and after'), 'before, and after');
  t.is(ass('{\\an7\\p1}m 0 0 l 1920 0'), '');
  t.is(ass('{\\pbo10}baseline'), 'baseline');
});

test('the escapes of ASS are breaks, spaces and braces, and a comma is text', (t) => {
  t.is(ass('a\\hb\\Nc\\nd, e'), 'a\u00A0b\nc d, e');
  t.is(ass('\\{kept\\} and {never closed'), '{kept} and {never closed');
});

test('a line of ASS that looks like the timing of a cue is text', (t) => {
  t.is(ass('real\\N00:00:01.500 --> 00:00:09.000\\N\\Nforged'), 'real\n00:00:01.500 --> 00:00:09.000\nforged');
});

test('SubRip shows remarks in braces and obeys overrides', (t) => {
  t.is(textOf('subrip', '{\\an8}top {remark}\\Nnext\\hone'), 'top {remark}\nnext\u00A0one');
});

test('timed text is read by its length, in both encodings that it allows', (t) => {
  const style = [0, 0, 0, 12, 0x73, 0x74, 0x79, 0x6c];
  t.is(cueTextOf('mov_text', sample(Buffer.from('초, eins\rzwei'), style)).text, '초, eins\nzwei');
  t.is(cueTextOf('mov_text', sample(Buffer.from('\ufeffzwölf', 'utf16le'))).text, 'zwölf');
  t.is(cueTextOf('mov_text', sample(Buffer.from('\ufeff한글', 'utf16le').swap16())).text, '한글');
  t.is(cueTextOf('mov_text', sample(Buffer.alloc(0))).text, '');
});

test('a cue that cannot be read says why', (t) => {
  for (const codec of ['subrip', 'webvtt', 'text'])
    t.is(reasonOf(codec, Buffer.from('\xe9t\xe9', 'latin1')), 'undecodable');
  t.is(reasonOf('ass', Buffer.from('0,0,Default,,0,0,0,,\xe9', 'latin1')), 'undecodable');
  t.is(reasonOf('mov_text', sample(Buffer.from([0xe9, 0x20]))), 'undecodable');
  t.is(reasonOf('ass', Buffer.from('0,0,Default')), 'malformed');
  for (const bytes of [[0], [0, 9, 65]]) t.is(reasonOf('mov_text', Buffer.from(bytes)), 'malformed');
  t.is(reasonOf('ttml', Buffer.from('<tt/>')), 'malformed');
  t.is(reasonOf('subrip', Buffer.alloc(MAXIMUM_PACKET_BYTES + 1, 65)), 'too_long');
});

test('markup that is opened without end costs no more than its length', (t) => {
  const costMs = (): number => {
    const before = threadTimeMs();
    for (const piece of ['<b ', '{', '{\\p1', '&#', '<i.']) {
      const text = piece.repeat(MAXIMUM_PACKET_BYTES / 4).slice(0, MAXIMUM_PACKET_BYTES - 40);
      for (const codec of ['subrip', 'webvtt']) textOf(codec, text);
      ass(text);
    }
    return threadTimeMs() - before;
  };
  // The markup itself costs the same every time; a compilation comes once.
  const costs = [costMs(), costMs(), costMs()];
  t.true(Math.min(...costs) < 1000, costs.join(', '));
});

const bad = { instanceOf: DetectionFailure, message: /^tool_output: / };
const HEADER = '#software: Lavf59.27.100\n#tb 0: 1/1000\n#media_type 0: subtitle\n#codec_id 0: subrip\n';

const line = (start: number, duration: number, size: number, rest = '') =>
  `0, ${start}, ${String(start).padStart(9)}, ${duration}, ${size}, 0x0123abcd${rest}\n`;

function joined(list: string, data: string, chunkBytes = 7): [number, number, string][] {
  const found: [number, number, string][] = [];
  const joiner = new PacketJoiner(({ startMs, endMs, bytes }) =>
    found.push([startMs, endMs, Buffer.from(bytes).toString()]),
  );
  const chunksOf = (text: string) =>
    Array.from({ length: Math.ceil(text.length / chunkBytes) }, (_, at) =>
      Buffer.from(text.slice(at * chunkBytes, (at + 1) * chunkBytes)),
    );
  for (const chunk of chunksOf(data)) joiner.data(chunk);
  for (const chunk of chunksOf(list)) joiner.list(chunk);
  joiner.end();
  return found;
}

test('packets are joined with their times, for any bytes and any cuts', (t) => {
  const list = HEADER + line(1234, 1333, 9) + line(3000, 0, 0) + line(4000, 1000, 26, ', S=2, 3, 7');
  const data = '0, 1, 1\n\n00:01.000 --> 00:02.000\nx\n';
  for (const chunkBytes of [1, 7, 4096]) {
    t.deepEqual(joined(list, data, chunkBytes), [
      [1234, 2567, '0, 1, 1\n\n'],
      [3000, 3000, ''],
      [4000, 5000, '00:01.000 --> 00:02.000\nx\n'],
    ]);
  }
});

test('times are rounded to milliseconds from any time base', (t) => {
  const list = HEADER.replace('1/1000', '1/90000') + line(90_045, 44, 1) + line(180_000, 90_000, 1);
  t.deepEqual(joined(list, 'ab'), [
    [1001, 1001, 'a'],
    [2000, 3000, 'b'],
  ]);
});

test('a list and bytes that do not belong together are refused', (t) => {
  t.throws(() => joined(HEADER + line(0, 1, 3), 'ab'), bad);
  t.throws(() => joined(HEADER + line(0, 1, 1), 'ab'), bad);
  t.throws(() => joined(line(0, 1, 1), 'a'), bad);
  t.throws(() => joined(`${HEADER}neither\n`, ''), bad);
  t.throws(() => joined(HEADER + line(0, 1, 1).replace('0,', '1,'), 'a'), bad);
  t.throws(() => joined(HEADER + line(0, 1, 1).trimEnd(), 'a'), bad);
  t.throws(() => joined('x'.repeat(10_000), '', 4096), bad);
});

const languageOfScript = (text: string) => languageOfScripts(scriptCounts(text));

test('Hangul and kana decide by themselves', (t) => {
  t.is(languageOfScript('오늘은 짧은 이야기를 함께 듣겠습니다.'), 'ko');
  t.is(languageOfScript('今日は短い話を一緒に聞きます。'), 'ja');
  t.is(languageOfScript('コーヒー'), 'ja');
  t.is(languageOfScript('NHK 뉴스 속보'), 'ko');
});

test('other scripts, a foreign word in passing, and no letters decide nothing', (t) => {
  t.is(languageOfScript('Good morning and welcome.'), null);
  t.is(languageOfScript('今天我們一起聽一個短故事。'), null);
  t.is(languageOfScript('The word 안녕 means hello, and it is said to friends.'), null);
  for (const text of ['', '12:34', '♪ ♪', '...']) t.is(languageOfScript(text), null);
});

test('short texts are joined up to what is read at once, in their order', (t) => {
  t.deepEqual(languageBlocks([]), []);
  t.deepEqual(languageBlocks(['one', 'two']), ['one two']);
  const text = '가'.repeat(58);
  t.deepEqual(languageBlocks([text, text, text]), [`${text} ${text}`, text]);
  const long = 'x'.repeat(1000);
  t.deepEqual(languageBlocks(['a', long, 'b']), ['a', long, 'b']);
});

test('words and letters part languages that the identifier takes for one', (t) => {
  t.true(isNoNeighbor(['Saya tak tahu kerana dia belum balik'], 'ms'));
  t.false(isNoNeighbor(['Saya tidak tahu karena dia belum pulang'], 'ms'));
  t.false(isNoNeighbor(['Terima kasih'], 'ms'));
  t.true(isNoNeighbor(['Kiitos'], 'fi'));
  t.true(hasForeignLetter('আজি ৰাতি', 'bn'));
  t.false(hasForeignLetter('আজ রাতে', 'bn'));
  t.false(hasForeignLetter('ҚАЗАҚ', 'fi'));
  t.true(hasForeignLetter('ҚАЗАҚ', 'ru'));
});

test('bug: the reading of ruby ran into its base', (t) => {
  t.is(textOf('webvtt', '<ruby>創業<rt>そうぎょう</rt></ruby>は1998年です。'), '創業(そうぎょう)は1998年です。');
  t.is(textOf('webvtt', '<ruby>地<rt>ち</rt>図<rt.small>ず</ruby>を<ruby>探<rt></rt></ruby>す'), '地(ち)図(ず)を探す');
  t.is(textOf('subrip', '<ruby>地図<rt>ちず'), '地図(ちず)');
});

test('bug: the separators of lines and paragraphs were lost, and the words beside them one', (t) => {
  t.is(textOf('ass', '0,0,Default,,0,0,0,,one\u2028two\u2029three'), 'one\ntwo\nthree');
});

const styledOf = (codec: string, packet: Uint8Array): string | undefined => {
  const cue = cueTextOf(codec, packet);
  return cue.text === null ? undefined : cue.styled;
};
const event = (text: string): Buffer => Buffer.from(`0,0,Default,,0,0,0,,${text}`);

test('bug: italics of a track were lost without a word', (t) => {
  const text = (...rows: readonly string[]): Buffer => Buffer.from(rows.join('\n'));
  for (const codec of ['subrip', 'text', 'webvtt'])
    t.is(styledOf(codec, text('Did you <i>really</i>', '<b>see</b> her?')), 'Did you <i>really</i>\n<b>see</b> her?');
  t.is(styledOf('webvtt', text('<v Ann><i.loud>yes</i></v> &amp; no')), '<i>yes</i> & no');
  t.is(styledOf('subrip', text('{\\i1}yes{\\i0} and no')), '<i>yes</i> and no');
  t.is(styledOf('subrip', text('<i>one', 'two</i>')), '<i>one\ntwo</i>');
  t.is(styledOf('subrip', text('<i>', 'one</i>', '{\\an8}')), '<i>one</i>');
  t.is(
    styledOf('ass', event('{\\i1}one\\Ntwo{\\i0} and {\\b700}three{\\r} four')),
    '<i>one\ntwo</i> and <b>three</u></b></i> four',
  );
  // Bytes: the text, then a box of styles: characters 4 to 10 in italics.
  const box = [0, 0, 0, 22, 0x73, 0x74, 0x79, 0x6c, 0, 1, 0, 4, 0, 10, 0, 1, 2, 16, 255, 255, 255, 255];
  t.is(styledOf('mov_text', sample(Buffer.from('you really are'), box)), 'you <i>really</i> are');
});

test('a text without styles, or whose styles are not certain, has none', (t) => {
  t.is(styledOf('subrip', Buffer.from('plain {\\an8}text')), undefined);
  t.is(styledOf('subrip', Buffer.from('<i></i>plain')), undefined);
  t.is(styledOf('webvtt', Buffer.from('<i>one</i> &lt;i&gt; two')), undefined);
  t.is(styledOf('subrip', Buffer.from('<i>one\uFDD0</i>')), undefined);
  t.is(styledOf('ass', event('{\\iclip(1,2,3,4)}one')), undefined);
  t.is(styledOf('mov_text', sample(Buffer.from('one'), [0, 0, 0, 12, 0x73, 0x74, 0x79, 0x6c, 0, 9, 0, 0])), undefined);
});
