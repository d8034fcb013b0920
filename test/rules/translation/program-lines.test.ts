import test from 'ava';
import { lineOfStream, streamOf } from '../../../rules/translation/program-lines.ts';
import { nastyTexts } from '../../receipts/captions/nasty-texts.ts';

const end = '[][\n]';

test('markup and signs of marks go through a program as they are, and signs of its format are escaped', (t) => {
  t.is(streamOf('<i>Hola</i> mundo'), `[\\<i\\>]Hola[\\<\\/i\\>] mundo${end}`);
  t.is(streamOf('*hola #1 ~'), `[\\*]hola [\\#]1 [\\~]${end}`);
  t.is(streamOf('{\\an8}Sí [risas] tal/cual'), `[\\{\\\\an8\\}]Sí \\[risas\\] tal\\/cual${end}`);
  t.is(streamOf('^casa$ a@b \\'), `\\^casa\\$ a\\@b \\\\${end}`);
});

test('no text ends its line, or opens a block of the format', (t) => {
  const hostile = [
    '\0',
    'hola\0mundo',
    '[][\n]',
    ']',
    '[',
    '\\',
    '\\[',
    '^$',
    'a\nb',
    '\u0085',
    '\ud800x',
    '*',
    '{',
    '<',
  ];
  for (const text of [...hostile, ...nastyTexts(7, 300)]) {
    const sent = streamOf(text);
    t.true(sent.endsWith(end));
    const line = sent.slice(0, -end.length);
    t.notRegex(line, /[\p{Cc}]/u, JSON.stringify(text));
    // Outside of whole superblanks and escapes, no sign of the format is left.
    t.notRegex(line.replaceAll(/\\.|\[(?:\\.|[^\\\]])*\]/gsu, ''), /[\\[\]^$/<>{}@+|*#~]/u, JSON.stringify(text));
    t.true(line.isWellFormed());
  }
});

test('an answer that is the line itself gives the text of the line', (t) => {
  for (const text of nastyTexts(8, 300)) {
    const row = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
    t.deepEqual(lineOfStream(streamOf(text), text), { text: row, unknownWords: [] }, JSON.stringify(text));
  }
});

test('marks are read, named once, and are never part of the text', (t) => {
  t.deepEqual(lineOfStream(`O *Shrubbery, *xyzzy e *xyzzy.${end}`, 'El Shrubbery'), {
    text: 'O Shrubbery, xyzzy e xyzzy.',
    unknownWords: ['Shrubbery', 'xyzzy'],
  });
  t.deepEqual(lineOfStream(`#dar @casa${end}`, ''), { text: 'dar casa', unknownWords: ['dar', 'casa'] });
  t.deepEqual(lineOfStream(`\\@ \\*${end}`, ''), { text: '@ *', unknownWords: [] });
  const many = Array.from({ length: 20 }, (_, at) => `*w${at}`).join(' ');
  t.is(lineOfStream(`${many}${end}`, '')?.unknownWords.length, 8);
  t.is(lineOfStream(`*${'a'.repeat(500)}${end}`, '')?.unknownWords[0]?.length, 100);
});

test('an answer without its end, or whose markup did not come back, is none', (t) => {
  t.is(lineOfStream('Olá', 'Hola'), null);
  t.is(lineOfStream(`Olá${end}`, '<i>Hola'), null);
  t.is(lineOfStream(`[\\<\\/i\\>]Olá[\\<i\\>]${end}`, '<i>Hola</i>'), null);
  t.is(lineOfStream(`[\\<i\\>]Olá[\\<i\\>]${end}`, '<i>Hola'), null);
});
