import test from 'ava';
import fc from 'fast-check';
import { brokenLines } from '../../../rules/caption-guidelines.ts';

const lengthOf = (line: string) => [...line].length;

for (const [what, language, text, expected] of [
  ['a short text stays one line', 'en', 'Good morning.', ['Good morning.']],
  [
    'lines that fit stay as their author broke them',
    'en',
    'Good\nmorning, everybody here.',
    ['Good', 'morning, everybody here.'],
  ],
  [
    'a long line is broken behind a clause',
    'en',
    'When the rain had stopped, we went out to look for the dog.',
    ['When the rain had stopped,', 'we went out to look for the dog.'],
  ],
  [
    'a long line is broken behind a sentence before a clause',
    'en',
    'I know what you did last summer. Tell me, please, why you did it.',
    ['I know what you did last summer.', 'Tell me, please, why you did it.'],
  ],
  [
    'three lines become two that fit',
    'de',
    'Er kam\nan einem Abend im Herbst\nganz allein zurück.',
    ['Er kam an einem Abend im', 'Herbst ganz allein zurück.'],
  ],
  [
    'Korean lines hold 16 wide characters',
    'ko',
    '오늘은 날씨가 아주 좋아서 우리는 공원에 갔습니다',
    ['오늘은 날씨가 아주 좋아서', '우리는 공원에 갔습니다'],
  ],
  [
    'Japanese is broken between characters, never before a full stop',
    'ja',
    '今日は天気がとても良いので公園へ行きました。',
    ['今日は天気がとても良い', 'ので公園へ行きました。'],
  ],
  [
    'lines of two speakers keep their places',
    'en',
    '- Where have you been all night long, tell me?\n- Out.',
    ['- Where have you been all night long, tell me?', '- Out.'],
  ],
  ['a word that is longer than a line is not cut', 'en', 'x'.repeat(50), ['x'.repeat(50)]],
] as const) {
  test(`line breaks: ${what}`, (t) => {
    t.deepEqual(brokenLines(text, language), [...expected]);
  });
}

test('line breaks lose no word and change none', (t) => {
  const words = fc.array(fc.stringMatching(/^[a-z,.]{1,14}$/), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(words, (given) => {
      const lines = brokenLines(given.join(' '), 'en');
      t.deepEqual(lines.join(' ').split(' '), given);
    }),
  );
});

test('a text that fits into two lines of 42 characters is broken into no more', (t) => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(words, (given) => {
      const text = given.join(' ');
      fc.pre(lengthOf(text) <= 70);
      const lines = brokenLines(text, 'en');
      t.true(lines.length <= 2 && lines.every((line) => lengthOf(line) <= 42), lines.join('|'));
    }),
  );
});
