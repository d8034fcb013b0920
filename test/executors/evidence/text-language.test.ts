import test from 'ava';
import { languageBlocks, languageOfScripts, scriptCounts } from '../../../executors/evidence/text-language.ts';

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
