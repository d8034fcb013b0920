import test from 'ava';
import { reasonAgainst } from '../../../rules/translation/gates.ts';

/** Short sentences with right translations: source, target, sentence, translation. */
const right: readonly (readonly [string, string, string, string])[] = [
  ['es', 'pt', 'No puedo abrir la puerta.', 'Não posso abrir a porta.'],
  ['es', 'pt', 'La casa es muy grande.', 'A casa é muito grande.'],
  ['es', 'ca', 'La casa es grande y blanca.', 'La casa és gran i blanca.'],
  ['es', 'ca', 'El tren sale a las tres.', 'El tren surt a les tres.'],
  ['es', 'gl', 'Gracias.', 'Gracias.'],
  ['es', 'gl', 'La puerta está abierta.', 'A porta está aberta.'],
  ['es', 'it', 'La vida es bella.', 'La vita è bella.'],
  ['da', 'nb', 'Jeg kan ikke finde bogen.', 'Jeg kan ikke finne boken.'],
  ['da', 'sv', 'Vi ses i morgen.', 'Vi ses i morgon.'],
  ['cs', 'sk', 'Dobrý den, jak se máte?', 'Dobrý deň, ako sa máte?'],
  ['hr', 'sr', 'Gdje je moja knjiga?', 'Gde je moja knjiga?'],
  ['uk', 'ru', 'Моя мама вдома.', 'Моя мама дома.'],
];

const reasonOf = (source: string, target: string, text: string, translation: string) =>
  reasonAgainst(
    {
      line: { id: '1', text },
      answer: { lineId: '1', source: text, translation, identified: null },
      identifiedTogether: null,
    },
    { source, target, names: new Set(), sounded: null },
  );

for (const [source, target, text, translation] of right) {
  test(`bug: a right translation into a related language was a copy (${source} to ${target}: ${translation})`, (t) => {
    t.is(reasonOf(source, target, text, translation), null);
  });
}

test('a longer line that stays in its language is a copy, also between related languages', (t) => {
  for (const [source, target, text] of right.filter(([, , text]) => text.length > 12))
    t.is(
      reasonOf(source, target, text, text),
      source === 'hr' ? 'translation_source_words' : 'language_mismatch',
      text,
    );
});

test('a line that is nearly its source is a copy between languages that are not related', (t) => {
  t.is(reasonOf('es', 'en', 'La casa es muy grande.', 'La casa es muy grandes.'), 'language_mismatch');
});
