import { readFileSync } from 'node:fs';
import test from 'ava';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import {
  canonicalJson,
  contentIdOf,
  contentIdOfBytes,
  hashOf,
  isCanonicalForm,
  storedBytes,
} from '../../../receipts/core/canonical-json.ts';

interface PublishedVectors {
  readonly numbers: readonly { readonly bits: string; readonly text: string }[];
  readonly refusedNumbers: readonly string[];
  readonly documents: readonly { readonly name: string; readonly json: string; readonly canonical: string }[];
}

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../fixtures/vectors/${name}`, import.meta.url), 'utf8'));
const published: PublishedVectors = read('rfc8785.json');
const numberOf = (bits: string): number => Buffer.from(bits, 'hex').readDoubleBE(0);

for (const { bits, text } of published.numbers) {
  test(`the number with the bits ${bits} is written as ${text}`, (t) => {
    t.is(canonicalJson(numberOf(bits)), text);
  });
}

for (const { name, json, canonical } of published.documents) {
  test(`the published document for ${name} has its canonical form`, (t) => {
    t.is(canonicalJson(JSON.parse(json)), canonical);
  });
}

test('numbers that JSON cannot hold are refused', (t) => {
  for (const bits of published.refusedNumbers) t.throws(() => canonicalJson([numberOf(bits)]));
  t.throws(() => canonicalJson(undefined), { instanceOf: TypeError });
});

test('strings are written as JSON.stringify writes them', (t) => {
  for (const text of ['\ud83d\ude00', '\\ud800', '\u2028\u2029', '\u007f', '한글 \u1112\u1161', '\u0000\b\t\n\f\r']) {
    t.is(canonicalJson(text), JSON.stringify(text));
    t.is(canonicalJson({ [text]: text }), JSON.stringify({ [text]: text }));
  }
});

test('texts that differ only in normalisation stay different', (t) => {
  t.not(canonicalJson('\u00e9'), canonicalJson('e\u0301'));
});

test('keys are sorted at every depth and arrays keep their order', (t) => {
  t.is(
    canonicalJson({ b: [{ d: 1, c: 2 }, 3, 1], a: { z: null, y: true } }),
    '{"a":{"y":true,"z":null},"b":[{"c":2,"d":1},3,1]}',
  );
});

test('any JSON value has the form that the implementation of the RFC’s authors gives it', (t) => {
  const text = fc.string({ unit: 'binary', maxLength: 8 });
  // Names that count list items come first in an object, in the order of their numbers.
  const name = fc.oneof(
    text,
    fc.nat(20).map(String),
    fc.constantFrom('__proto__', 'toJSON', 'a', 'A', 'é', '\ufb33', '\u{1f600}'),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'medium' },
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(null, true, false, undefined, -0),
      tie('list'),
      tie('record'),
    ),
    list: fc.array(tie('value'), { maxLength: 6 }),
    record: fc.dictionary(name, tie('value'), { maxKeys: 6 }),
  }));
  fc.assert(
    fc.property(value, (each) => {
      const wrapped = { each };
      const canonical = canonicalJson(wrapped);
      t.is(canonical, canonicalize(wrapped) ?? '');
      t.true(isCanonicalForm(JSON.parse(canonical), canonical));
    }),
    { seed: 11, numRuns: 2000 },
  );
});

test('a text is canonical only as it is written, with whole text in it', (t) => {
  t.true(isCanonicalForm({ a: 1, b: [2] }, '{"a":1,"b":[2]}'));
  for (const text of [
    '{"b":1,"a":2}',
    '{"a": 1}',
    '{"a":1,"a":1}',
    '-0',
    '1e1',
    '"\\u0061"',
    '"\\ud800"',
    '{"\\udfff":1}',
  ]) {
    t.false(isCanonicalForm(JSON.parse(text), text), text);
  }
  t.true(isCanonicalForm('\\ud800', '"\\\\ud800"'));
});

test('the stored form ends with one newline and its content id covers it', (t) => {
  const value = { b: 1, a: '한국어' };
  t.is(storedBytes(value).toString('utf8'), '{"a":"한국어","b":1}\n');
  t.is(contentIdOf(value), contentIdOfBytes(storedBytes(value)));
  t.not(contentIdOf(value), `sha256:${hashOf(value)}`);
});

test('a JSON artifact with awkward text has the golden content id', (t) => {
  const { vectors }: { vectors: { name: string; input: unknown; expected: string }[] } = read('identities.json');
  const vector = vectors.find(({ name }) => name === 'C of a JSON artifact with awkward text');
  t.is(contentIdOf(vector?.input), vector?.expected ?? '');
});
