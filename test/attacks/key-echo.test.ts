import test from 'ava';
import { keyEcho } from '../../executors/model-server/hosted-provider.ts';

const key = 'sk-Secret-of.the_Test:42';
const hexOf = (text: string) => Buffer.from(text).toString('hex');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const every = (text: string, written: (code: number) => string) =>
  [...text].map((character) => written(character.codePointAt(0) ?? 0)).join('');
const padded = (hex: string, digits: number) => hex.padStart(digits, '0');

const forms: Readonly<Record<string, string>> = {
  'as it is': `use ${key} now`,
  'in capitals': key.toUpperCase(),
  'spaced out': [...key].join(' '),
  'parted by characters without width': [...key].join('\u200b'),
  'in base64': base64(key),
  'in base64, one byte in': base64(`"${key}"`),
  'in base64, two bytes in': base64(`: ${key}, and more`),
  'in base64 for URLs': Buffer.from(`??${key}`).toString('base64url'),
  'in hex': hexOf(key),
  'in hex with capitals': hexOf(key).toUpperCase(),
  'percent-encoded': every(key, (code) => `%${padded(code.toString(16), 2)}`),
  'partly percent-encoded': encodeURIComponent(key),
  'in escapes of JSON': every(key, (code) => `\\u${padded(code.toString(16), 4)}`),
  'in escapes of JSON within JSON': JSON.stringify(every(key, (code) => `\\u${padded(code.toString(16), 4)}`)),
  'in references of HTML': every(key, (code) => (code % 2 === 0 ? `&#${code};` : `&#x${code.toString(16)};`)),
  'percent-encoded base64': encodeURIComponent(base64(key)),
};

for (const [form, text] of Object.entries(forms)) {
  test(`a key is found in a text ${form}`, (t) => {
    t.true(keyEcho(key)(text));
    t.false(keyEcho('sk-Another-Secret/43')(text));
  });
}

test('a key is found only where it really is, and not as a word within other words', (t) => {
  for (const text of [
    '',
    key.slice(0, -1),
    'sk-',
    '100% \\ud83d %F0 &#99999999; \\u12',
    'A greeting between strangers.',
  ]) {
    t.false(keyEcho(key)(text), text);
  }
  const word = keyEcho('none');
  for (const text of ['nonetheless', 'anonener', base64('none')]) t.false(word(text), text);
  for (const text of ['none', '(none)', 'n\\u006fne']) t.true(word(text), text);
  t.true(keyEcho('a.*b')('say a.*b'));
  t.false(keyEcho('a.*b')('say a-b'));
});
