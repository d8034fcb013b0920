import test from 'ava';
import type { z } from 'zod';
import { failureMessage, withRemedy } from '../../contract/base/errors.ts';
import { screenTextFact, transcriptLineFact, transcriptWord } from '../../contract/evidence/evidence.ts';
import { rawLine } from '../../contract/recognition.ts';
import { readText } from '../../contract/screentext.ts';
import { languageNamed } from '../../contract/sources/languages.ts';

test('a message names no absolute path of this machine, however it is quoted', (t) => {
  const rows = {
    "storage_fault: ENOENT: no such file or directory, open '/home/some one/data/inbox/a b'":
      'storage_fault: ENOENT: no such file or directory, open …',
    'x: /data root/in box/y: Permission denied': 'x: …: Permission denied',
    "EXDEV, rename '/a' -> '/b c/d'": 'EXDEV, rename … -> …',
    'Cannot find module /a/b.js, from /c': 'Cannot find module …, from …',
    'file:///etc/passwd: No such file': '…: No such file',
    'path=/a/b (/tmp/x) `~/data` [/q]': 'path=… (…) … […]',
    'C:\\Users\\me broke': '… broke',
  };
  for (const [text, shown] of Object.entries(rows)) t.is(failureMessage(text), shown);
});

test('text that only looks like a path stays: addresses, ratios, types and the own routes', (t) => {
  for (const text of ['GET /v1/runtimes/x', 'of 16/9', 'video/mp4', '1 / 2', 'http://127.0.0.1:80/x', 'a:b/c']) {
    t.is(failureMessage(text), text);
  }
});

test('a remedy keeps the path to repair, and the event names no path', (t) => {
  t.is(withRemedy('cannot write /data/x', 'chmod 700 /data'), 'cannot write …; chmod 700 /data');
});

const texts: Readonly<Record<string, z.ZodType>> = {
  'a line of a transcript': transcriptLineFact.shape.text,
  'a word of a transcript': transcriptWord.shape.text,
  'a line as a recogniser gave it': rawLine.shape.text,
  'a text on the screen': screenTextFact.shape.text,
  'a text as an engine read it': readText.shape.text,
};

for (const [what, schema] of Object.entries(texts)) {
  test(`bug: ${what} could hold a cue, a note or a label`, (t) => {
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

test('a language is known by its English name and by its own, in any case', (t) => {
  const named = ['Dutch', 'ENGLISH', 'deutsch', 'Español', 'Türkçe', '日本語', 'Chinese'].map(languageNamed);
  t.deepEqual(named, ['nl', 'en', 'de', 'es', 'tr', 'ja', 'zh']);
});

test('text after a name does not hide it', (t) => {
  const named = ['Portuguese (Brazil)', 'Chinese, simplified', 'French - forced', ' English [SDH]'].map(languageNamed);
  t.deepEqual(named, ['pt', 'zh', 'fr', 'en']);
});

test('a text that names no language is not a language', (t) => {
  for (const text of ['', 'en', 'dut', 'Signs & Songs', 'constructor', '(English)', 'x'.repeat(1000)])
    t.is(languageNamed(text), null);
});
