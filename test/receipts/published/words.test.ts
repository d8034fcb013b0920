import test from 'ava';
import { foldedText, hasWords, searchedWords } from '../../../receipts/published/words.ts';

test('texts are compared without case, accents of Latin letters and runs of space', (t) => {
  t.is(foldedText('  Café\n\tNOËL '), 'cafe noel');
  t.is(foldedText('ＡＢＣ ﬁn'), 'abc fin');
  // A syllable does not match inside another one, and a sign without its mark does not match the sign with it.
  t.false(hasWords(foldedText('각'), searchedWords('가')));
  t.false(hasWords(foldedText('が'), searchedWords('か')));
});

test('a line has all words of a search, in any order and as parts of words', (t) => {
  const line = foldedText('Good morning and welcome to the reading room.');
  const cases: readonly (readonly [string, boolean])[] = [
    ['room welcome', true],
    ['READ', true],
    ['room zebra', false],
    ['', true],
  ];
  for (const [query, isFound] of cases) t.is(hasWords(line, searchedWords(query)), isFound, query);
  t.deepEqual(searchedWords(' a  A b '), ['a', 'b']);
});
