import test from 'ava';
import { readScript } from '../../rules/script-text.ts';
import { withSpokenNumbers } from '../../rules/spoken-numbers.ts';

const read = (text: string, language = 'en') => readScript(text, language);

/** The text that is said, as it is written. */
const saidIn = (text: string, language = 'en'): string =>
  read(text, language)
    .words.map((word, at) => (at > 0 && word.isSpaced ? ` ${word.text}` : word.text))
    .join('');

const lettersIn = (text: string, language = 'en'): string =>
  read(text, language)
    .words.flatMap(({ letters }) => letters)
    .join('');

test('names of speakers, directions and headings are no text that is said', (t) => {
  const text = `FADE IN:

INT. KITCHEN - DAY

ANNA
(whispers)
Where is the key?

BEN (V.O.)
Under the stone. [He points
at the door.]

ANNA: And the letter?
Ben: I burned it.
Ben: All of it.

ACT II
Scene 3
CUT TO:
`;
  t.is(saidIn(text), 'Where is the key? Under the stone. And the letter? I burned it. All of it.');
  const kinds = read(text).asides.map(({ line, kind }) => `${line} ${kind}`);
  t.true(kinds.includes('5 speaker') && kinds.includes('6 direction') && kinds.includes('3 heading'), kinds.join());
  t.true(kinds.includes('13 speaker') && kinds.includes('14 speaker'), kinds.join());
});

test('a colon within a sentence names no speaker, and a time no name', (t) => {
  t.is(saidIn('He said one thing: stay here.'), 'He said one thing: stay here.');
  t.is(saidIn('Meet me at 10:30 sharp.'), 'Meet me at 10:30 sharp.');
});

test('a script in capitals has no names and headings by capitals alone', (t) => {
  t.is(saidIn('WHERE IS THE KEY\nUNDER THE STONE\nBY THE DOOR'), 'WHERE IS THE KEY UNDER THE STONE BY THE DOOR');
});

test('a byte order mark, carriage returns and marks of direction change nothing', (t) => {
  t.is(saidIn('\uFEFFOne line.\r\nAnother\u200F line.\rThe last.'), 'One line. Another line. The last.');
  t.deepEqual(
    read('One.\r\n\r\nTwo.\rThree.').words.map(({ line }) => line),
    [1, 3, 4],
  );
});

test('numbers are compared as they are said, also in the digits of other scripts', (t) => {
  t.is(lettersIn('In 1984'), 'innineteeneightyfour');
  t.is(lettersIn('nineteen eighty-four'), 'nineteeneightyfour');
  t.is(lettersIn('1,250 boats'), 'onethousandtwohundredfiftyboats');
  t.is(lettersIn('en 1984', 'es'), 'enmilnovecientosochentaycuatro');
  t.is(lettersIn('die 21', 'de'), 'dieeinundzwanzig');
  t.is(withSpokenNumbers('71', 'fr').trim(), 'soixante-onze');
  t.is(withSpokenNumbers('91', 'fr').trim(), 'quatre-vingt-onze');
  t.is(withSpokenNumbers('007', 'en').trim(), 'zero zero seven');
  t.is(lettersIn('عام ٢٥', 'ar'), 'عام25');
});

test('a script without marks is divided into phrases, and each is a sentence of its own', (t) => {
  const text = Array.from({ length: 120 }, (_, at) => `word${'abcdefghij'[at % 10]}`).join(' ');
  const { phrases } = read(text);
  t.true(phrases.length >= 10);
  t.is(new Set(phrases.map(({ sentence }) => sentence)).size, phrases.length);
  t.true(phrases.every(({ letters }) => letters.length >= 16 && letters.length <= 64));
});

test('scripts without spaces are read sign by sign, and lines of the file are joined without one', (t) => {
  t.is(saidIn('アンナ：鍵はどこですか。\n石の下です。', 'ja'), '鍵はどこですか。石の下です。');
  t.is(saidIn('ฉันไม่รู้\nเธออยู่ที่ไหน', 'th'), 'ฉันไม่รู้เธออยู่ที่ไหน');
  t.is(saidIn('你在哪里？（笑）\n我在家。', 'zh'), '你在哪里？我在家。');
});

test('text from right to left keeps its letters, without its points', (t) => {
  t.is(lettersIn('שָׁלוֹם, עוֹלָם!', 'he'), 'שלוםעולם');
  t.is(saidIn('دانا: أين المفتاح؟', 'ar'), 'أين المفتاح؟');
});

test('an empty script, and one without words, has no phrases', (t) => {
  for (const text of ['', '\uFEFF\n\n', '(silence)\n***\n12']) t.deepEqual(read(text).phrases, [], text);
});
