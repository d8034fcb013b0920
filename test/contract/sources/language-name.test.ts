import test from 'ava';
import { languageNamed } from '../../../contract/sources/language-name.ts';

test('a language is known by its English name and by its own, in any case', (t) => {
  const named = ['Dutch', 'ENGLISH', 'deutsch', 'Español', 'Türkçe', '日本語', 'Chinese'].map(languageNamed);
  t.deepEqual(named, ['nl', 'en', 'de', 'es', 'tr', 'ja', 'zh']);
});

test('what follows a name does not hide it', (t) => {
  const named = ['Portuguese (Brazil)', 'Chinese, simplified', 'French - forced', ' English [SDH]'].map(languageNamed);
  t.deepEqual(named, ['pt', 'zh', 'fr', 'en']);
});

test('what names no language is none', (t) => {
  for (const text of ['', 'en', 'dut', 'Signs & Songs', 'constructor', '(English)', 'x'.repeat(1000)])
    t.is(languageNamed(text), null);
});
