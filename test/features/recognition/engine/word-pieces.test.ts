import test from 'ava';
import { joinedWords, type WordPiece } from '../../../../features/recognition/engine/word-pieces.ts';

const pieces = (texts: readonly string[], probability = 0.8): WordPiece[] =>
  texts.map((text, at) => ({ text, startMs: 100 * at, endMs: 100 * (at + 1), probability }));

const texts = (given: readonly string[], line: string): string[] =>
  joinedWords(pieces(given), line).map(({ text }) => text);

test('bug: the words of whisper-server were tokens, so that captions had pieces of words', (t) => {
  t.deepEqual(texts([' Z', 'ür', 'ich', '.'], ' Zürich.'), ['Zürich.']);
  t.deepEqual(texts([' In', ' Z', 'ür', 'ich', ',', ' ich', "'", 'm'], " In Zürich, ich'm"), [
    'In',
    'Zürich,',
    "ich'm",
  ]);
  const [, zurich] = joinedWords(pieces([' In', ' Z', 'ür', 'ich', '.']), ' In Zürich.');
  t.deepEqual(zurich, { text: 'Zürich.', startMs: 100, endMs: 500, confidence: 0.8 });
});

test('the confidence of a joined word is that of its letters, without marks', (t) => {
  const given = [...pieces([' Yes'], 0.9), { text: '.', startMs: 100, endMs: 200, probability: 0.1 }];
  t.is(joinedWords(given, ' Yes.')[0]?.confidence, 0.9);
});

test('whole words stay as they are, with and without spaces around them', (t) => {
  t.deepEqual(texts(['And', 'so', 'my'], ' And so my'), ['And', 'so', 'my']);
  t.deepEqual(texts([' And', ' so', ' my'], ' And so my'), ['And', 'so', 'my']);
  t.deepEqual(texts(['今日は', 'いい', '天気'], '今日はいい天気'), ['今日は', 'いい', '天気']);
  // The words are not those of the line.
  t.deepEqual(texts([' And', 'so', 'late'], ' And so my'), ['And', 'so', 'late']);
});

test('Korean words are joined from their tokens, also where a token is half a character', (t) => {
  t.deepEqual(texts([' 열', '람', '실', '에', ' 오', '신'], ' 열람실에 오신'), ['열람실에', '오신']);
  t.deepEqual(texts([' 열', '람', '\uFFFD', '\uFFFD', ' 오', '신'], ' 열람실에 오신'), ['열람실에', '오신']);
});

test('a script without spaces keeps its pieces, and half characters are whole again', (t) => {
  t.deepEqual(texts([' 我', '們', '走', '。'], ' 我們走。'), ['我', '們', '走。']);
  t.deepEqual(texts(['我', '\uFFFD', '\uFFFD', '走', '。'], '我們走。'), ['我', '們', '走。']);
  t.deepEqual(texts(['我', '\uFFFD', '\uFFFD'], '我們'), ['我', '們']);
});

test('tokens of a known server are joined also if no word of the line begins with a space', (t) => {
  const given = pieces(['eno', '.']);
  t.deepEqual(
    joinedWords(given, 'eno.', true).map(({ text }) => text),
    ['eno.'],
  );
});

test('half characters that the line does not explain leave it without words', (t) => {
  t.deepEqual(texts([' a', '\uFFFD', ' b'], ' a'), []);
  t.deepEqual(texts(['我', '\uFFFD', '飛'], '我們走'), []);
});
