import test from 'ava';
import type { LabelledTranslations } from '../../../contract/evaluation/evaluation-pack.ts';
import { plantedAnswers } from '../../../receipts/evaluation/translation-defects.ts';

const labelled = (...translations: readonly string[]): LabelledTranslations => ({
  sourceLanguage: 'en',
  targetLanguage: 'ar',
  lines: translations.map((translation) => ({ source: 'a line', translation, foreign: null, renamed: null })),
});

test('a number in digits of another script is changed to another number in these digits', (t) => {
  const planted = plantedAnswers(labelled('عندي ٥ قطط', 'Nr. 9 von 12', '𞥕 ២៥'), 'number_changed');
  t.deepEqual([...planted.values()], ['عندي ٥٥ قطط', 'Nr. 10 von 13', '𞥕𞥕 ២៥៥']);
});

test('a translation that is shortened keeps whole characters', (t) => {
  const planted = plantedAnswers(labelled('first', `a${'😀'.repeat(20)} twenty letters and more`), 'shortened');
  const [shortened] = planted.values();
  t.is(shortened?.isWellFormed(), true);
  t.regex(shortened ?? '', /^a😀+$/u);
});
