import test from 'ava';
import fc from 'fast-check';
import { styledSide, styledText, unreadMarkup, wordsOfSide } from '../../contract/captions/styled-text.ts';
import { assRow, placeOverride, subRipRow, webVttRow, webVttSettings } from '../../formats/caption-markup.ts';
import { captionRows, textOfRow } from '../../rules/caption-rows.ts';
import { brokenLines } from '../../rules/line-breaks.ts';

const rle = '\u202B';
const pdf = '\u202C';
const rli = '\u2067';
const pdi = '\u2069';

test('bug: a Thai row of 64 characters was not broken', (t) => {
  const thai = 'น้องสาวของฉันเขียนจดหมายฉบับนี้ในฤดูหนาวปีที่แล้วแต่ไม่มีใครเคยเห็นแผนที่เก่านั้นเลย';
  t.deepEqual(brokenLines(thai, 'th'), ['น้องสาวของฉันเขียนจดหมายฉบับนี้ในฤดูหนาว', 'ปีที่แล้วแต่ไม่มีใครเคยเห็นแผนที่เก่านั้นเลย']);
  // Whatever the tag says, the script has no spaces to break at.
  t.is(brokenLines(thai, 'en').length, 2);
  t.deepEqual(brokenLines(thai, 'th', 'netflix.v1'), [thai]);
});

test('rows of other scripts without spaces end behind a word', (t) => {
  const lao = 'ຂ້ອຍຮັກປະເທດລາວແລະຜູ້ຄົນທີ່ນີ້ຫຼາຍ';
  t.deepEqual(brokenLines(lao + lao, 'lo'), [lao, lao]);
  const burmese = 'ကျွန်တော်မြန်မာနိုင်ငံကိုချစ်တယ်။';
  t.deepEqual(brokenLines(burmese + burmese, 'my'), [burmese + burmese]);
  t.deepEqual(brokenLines(burmese.repeat(3), 'my'), [burmese, burmese + burmese]);
  const khmer = 'ខ្ញុំស្រឡាញ់ប្រទេសកម្ពុជានិងប្រជាជនរបស់វា';
  const sentence = `${khmer}។`;
  t.deepEqual(brokenLines(sentence.repeat(3), 'km'), [`${sentence}ខ្ញុំស្រឡាញ់ប្រទេសកម្ពុជា`, `និងប្រជាជនរបស់វា។${sentence}`]);
  t.deepEqual(brokenLines('今天我们来谈谈一个男人环游世界的故事，他叫马可波罗', 'zh'), [
    '今天我们来谈谈一个男人',
    '环游世界的故事，他叫马可波罗',
  ]);
  t.deepEqual(brokenLines('今日我哋會講一個男人環遊世界嘅故事佢叫馬可波羅', 'yue').length, 2);
  t.deepEqual(brokenLines('今日は世界中を旅した男の物語について話しましょう', 'ja'), [
    '今日は世界中を旅した男の',
    '物語について話しましょう',
  ]);
});

test('a word of a script without spaces that fills more than a row is divided, and a word of another script is not', (t) => {
  const name = 'ア'.repeat(20);
  t.deepEqual(
    brokenLines(name, 'ja').map((row) => row.length),
    [10, 10],
  );
  const url = `https://example.com/${'a'.repeat(40)}`;
  t.deepEqual(brokenLines(`see ${url}`, 'en'), ['see', url]);
  t.deepEqual(brokenLines('彼はT-shirtを買いに東京へ行きました', 'ja'), ['彼はT-shirtを買いに', '東京へ行きました']);
});

test('a space that keeps words together ends no row', (t) => {
  const kept = 'Est-ce que vous viendrez encore avec moi\u00A0? Je ne sais pas encore.';
  for (const row of brokenLines(kept, 'fr')) t.notRegex(row, /^\?/);
  t.deepEqual(brokenLines(`${'a'.repeat(30)}\u202F${'b'.repeat(30)}`, 'fr').length, 1);
  t.deepEqual(brokenLines(`${'a'.repeat(30)}\u200B${'b'.repeat(30)}`, 'en').length, 2);
});

test('bug: an embedding of text in another direction was open at the end of a row', (t) => {
  const arabic = `${rle}يغادر القارب غدا في السابعة صباحا إلى مدينة New York (أمريكا) مع كل الركاب!${pdf}`;
  t.deepEqual(brokenLines(arabic, 'ar'), [
    `${rle}يغادر القارب غدا في السابعة صباحا إلى${pdf}`,
    `${rle}مدينة New York (أمريكا) مع كل الركاب!${pdf}`,
  ]);
  // Rows of their author are paragraphs, too.
  t.deepEqual(brokenLines(`${rle}من هناك؟\nأنا.${pdf}`, 'ar'), [`${rle}من هناك؟${pdf}`, `${rle}أنا.${pdf}`]);
  t.deepEqual(brokenLines(`${rle}- من\n${rle}- أنا.`, 'ar'), [`${rle}- من${pdf}`, `${rle}${rle}- أنا.${pdf}${pdf}`]);
  t.deepEqual(brokenLines(`${rli}من ${rle}هناك؟\nأنا${pdi} end`, 'ar'), [
    `${rli}من ${rle}هناك؟${pdf}${pdi}`,
    `${rli}${rle}أنا${pdi} end`,
  ]);
  t.deepEqual(brokenLines(`one${pdf}\ntwo${pdi}`, 'en'), [`one${pdf}`, `two${pdi}`]);
});

const words = fc.array(
  fc.constantFrom(
    'word',
    'ไทยแลนด์',
    '今天我们',
    'ありがとう',
    'سلام',
    'नमस्ते',
    `${rle}سلام`,
    `x${pdf}`,
    'a,',
    'b.',
    '—',
    '\u200Bz',
  ),
  { minLength: 1, maxLength: 40 },
);

test('rows of speakers keep their places behind marks of direction', (t) => {
  const rows = [`${rle}- من هناك؟ من هناك؟ من هناك؟ من هناك؟ من هناك؟ من هناك؟${pdf}`, `${rle}- أنا.${pdf}`];
  t.deepEqual(brokenLines(rows.join('\n'), 'ar'), rows);
});

test('no word is lost, each row closes what it opens, and rows that fit are broken no further', (t) => {
  const signs = (text: string): string => text.replaceAll(/[\s\u202A-\u202E\u2066-\u2069]/g, '');
  const languages = fc.constantFrom('en', 'th', 'ja', 'zh', 'ar', 'hi', 'ko');
  fc.assert(
    fc.property(words, languages, fc.constantFrom(' ', '', '\n'), (pieces, language, between) => {
      const text = pieces.join(between);
      const rows = brokenLines(text, language);
      t.is(signs(rows.join('')), signs(text));
      for (const row of rows) {
        const opened = [...row].filter((sign) => sign === rle).length;
        t.true([...row].filter((sign) => sign === pdf).length >= opened);
      }
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('bug: italics and a place that a person wrote were shown as text', (t) => {
  const styled = styledText('{\\an8}Did you <i>really</i> see <b>her</b>?');
  t.is(styled.alignment, 8);
  const [row = []] = captionRows(styled, 'en', 'netflix.v2');
  t.is(textOfRow(row), 'Did you really see her?');
  t.is(webVttRow(row), 'Did you <i>really</i> see <b>her</b>?');
  t.is(subRipRow(row), 'Did you <i>really</i> see <b>her</b>?');
  t.is(assRow(row), 'Did you {\\i1}really{\\i0} see {\\b1}her{\\b0}?');
  t.is(placeOverride(8), '{\\an8}');
  t.is(webVttSettings(8), ' line:0');
  t.deepEqual([null, 1, 2, 3, 4, 5, 6, 7, 9].map(webVttSettings), [
    '',
    ' position:0% align:start',
    '',
    ' position:100% align:end',
    ' line:50% position:0% align:start',
    ' line:50%',
    ' line:50% position:100% align:end',
    ' line:0 position:0% align:start',
    ' line:0 position:100% align:end',
  ]);
});

test('italics over a broken row end with the row, and begin again in the next', (t) => {
  const styled = styledText('<i>I will always remember the summer that we had</i> by the sea.');
  t.deepEqual(captionRows(styled, 'en', 'netflix.v2').map(subRipRow), [
    '<i>I will always remember the</i>',
    '<i>summer that we had</i> by the sea.',
  ]);
  t.deepEqual(captionRows(styledText('<i>one\ntwo</i>'), 'en', 'author').map(webVttRow), ['<i>one</i>', '<i>two</i>']);
  t.deepEqual(captionRows(styledText(`<i>${rle}سلام\nسلام${pdf}</i>`), 'ar', 'netflix.v2').map(textOfRow), [
    `${rle}سلام${pdf}`,
    `${rle}سلام${pdf}`,
  ]);
});

test('markup that is not whole is read as players read it', (t) => {
  const written = (text: string) => captionRows(styledText(text), 'en', 'author').map(subRipRow).join('|');
  t.is(written('<i>one'), '<i>one</i>');
  t.is(written('one</i> two'), 'one two');
  t.is(written('{\\i1}one{\\i0} two'), '<i>one</i> two');
  t.is(written('<I>one</I>'), '<i>one</i>');
  t.is(written('<i><b>one</i> two</b>'), '<i><b>one</b></i><b> two</b>');
  t.is(written('I <3 you & {me}'), 'I <3 you & {me}');
  t.is(styledText('one{\\an7}{\\an2}').alignment, 7);
  t.deepEqual(captionRows(styledText('<i></i>'), 'en', 'netflix.v2'), []);
  t.deepEqual(unreadMarkup('<font color="red">one</font> {\\pos(1,2)}<i>two</i>'), [
    '<font color="red">',
    '</font>',
    '{\\pos(1,2)}',
  ]);
});

test('the text of the host is text, whatever it looks like', (t) => {
  const [row = []] = captionRows(styledSide({ text: 'a <i>b</i>', by: 'host' }), 'en', 'author');
  t.is(webVttRow(row), 'a &lt;i&gt;b&lt;/i&gt;');
  t.is(subRipRow(row), 'a <\u2060i>b<\u2060/i>');
  t.is(assRow([{ text: '{\\i1}b', styles: [] }]), '\\{\\\u2060i1\\}b');
  t.is(wordsOfSide({ text: 'a <i>b</i>' }), 'a <i>b</i>');
  t.is(wordsOfSide({ text: '{\\an8} a <i>b</i>', by: 'person' }), 'a b');
  t.is(wordsOfSide({ text: null }), null);
});
