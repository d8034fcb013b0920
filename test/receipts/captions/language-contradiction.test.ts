import test from 'ava';
import {
  contradictionCharacters,
  contradicts,
  type IdentifiedText,
} from '../../../receipts/captions/language-contradiction.ts';

const said = (length: number, language: string | null): IdentifiedText => ({ text: 'x'.repeat(length), language });
const ngram = (tagged: string, language: string, texts: readonly IdentifiedText[]) =>
  contradicts(tagged, { language, method: 'ngram' }, texts);

test('a script that proves a language contradicts every other tag, however little there is', (t) => {
  const script = (tagged: string) => contradicts(tagged, { language: 'ko', method: 'script' }, [said(2, 'ko')]);
  t.true(script('en'));
  t.true(script('gl'));
  t.false(script('ko'));
});

test('an identifier contradicts a tag from a number of characters on', (t) => {
  t.true(ngram('de', 'en', [said(contradictionCharacters, 'en')]));
  t.false(ngram('de', 'en', [said(contradictionCharacters - 1, 'en')]));
  t.false(ngram('en', 'en', [said(100, 'en')]));
});

test('an identifier contradicts a tag only where most of the identified text is in the other language', (t) => {
  t.true(ngram('de', 'en', [said(51, 'en'), said(50, 'de'), said(900, null)]));
  t.false(ngram('de', 'en', [said(50, 'en'), said(50, 'de')]));
  t.false(ngram('de', 'en', [said(40, 'en'), said(30, 'de'), said(30, 'fr')]));
});

test('a language that the identifier does not know is never contradicted by it', (t) => {
  for (const tagged of ['af', 'gl', 'cy', 'eo']) t.false(ngram(tagged, 'nl', [said(100, 'nl')]), tagged);
});

test('languages that are written alike do not contradict each other, but others do', (t) => {
  t.false(ngram('nb', 'no', [said(100, 'no')]));
  t.false(ngram('id', 'ms', [said(100, 'ms')]));
  t.false(ngram('bs', 'hr', [said(60, 'hr'), said(40, 'sr')]));
  t.true(ngram('id', 'en', [said(100, 'en')]));
});
