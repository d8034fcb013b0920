import test from 'ava';
import type { z } from 'zod';
import { screenTextFact } from '../../../contract/evidence/screen-text.ts';
import { transcriptLineFact, transcriptWord } from '../../../contract/evidence/transcript.ts';
import { rawLine } from '../../../contract/recognition/raw-region.ts';
import { readText } from '../../../contract/screentext/read-pictures.ts';

const texts: Readonly<Record<string, z.ZodType>> = {
  'a line of a transcript': transcriptLineFact.shape.text,
  'a word of a transcript': transcriptWord.shape.text,
  'a line as a recogniser gave it': rawLine.shape.text,
  'a text on the screen': screenTextFact.shape.text,
  'a text as an engine read it': readText.shape.text,
};

for (const [what, schema] of Object.entries(texts)) {
  test(`bug: ${what} could hold a cue, a note or a label of its own, and exports handed them out`, (t) => {
    for (const text of ['One line', '한 줄 — “two”, --> <i>', '<script>', '\u200fعربي', '👩‍👩‍👧 x']) {
      t.true(schema.safeParse(text).success, JSON.stringify(text));
    }
    const hostile = [
      'a\n\n2\n00:00:00,000',
      'a\rb',
      'a\t1.000\t2.000',
      'a\n\nNOTE hidden',
      'a\u0000b',
      'a\u2028b',
      ' a',
      'a ',
    ];
    for (const text of hostile) t.false(schema.safeParse(text).success, JSON.stringify(text));
  });
}
