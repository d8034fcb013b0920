import test from 'ava';
import { cueTextOf, MAXIMUM_PACKET_BYTES } from '../../../executors/evidence/cue-text.ts';
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
  t.is(vtt('a\u0000b\u001b[31mc\u0085d\u2028e &#27;f&#10;g\t'), 'ab[31mcde fg');
});

test('blank lines are left out, and what shows nothing is empty', (t) => {
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
  // What the markup itself costs it costs every time; a compilation comes once.
  const costs = [costMs(), costMs(), costMs()];
  t.true(Math.min(...costs) < 1000, costs.join(', '));
});
