import { readFileSync } from 'node:fs';
import test from 'ava';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { z } from 'zod';
import {
  canonicalJson,
  contentIdOfBytes,
  contentIdOfJson,
  hashOf,
  isCanonicalForm,
  storedBytes,
} from '../../../formats/canonical-json.ts';
import { secondsText, timeCode } from '../../../formats/readable-numbers.ts';
import { journalStart, readEvent } from '../../../receipts/journal.ts';
import { GrowingBytes } from '../../../receipts/published/explanations.ts';
import { readSealedRecord } from '../../../receipts/sources/sealed-record.ts';
import { reopenJson } from '../../../receipts/stored-records.ts';
import { reopenRuntimeStart } from '../../../receipts/study/start.ts';
import { storedStudy } from '../evidence/stored-study.ts';
import { faultPlace } from '../reopening/fault-place.ts';
import { rejection, reviewOf } from '../review/review-steps.ts';
import { storedEvents, storedRuntimeOf, writtenEvents } from './stored-content-in-memory.ts';

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

test('texts that differ only in normalization stay different', (t) => {
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
  t.is(contentIdOfJson(value), contentIdOfBytes(storedBytes(value)));
  t.not(contentIdOfJson(value), `sha256:${hashOf(value)}`);
});

test('a JSON artifact with awkward text has the golden content id', (t) => {
  const { vectors }: { vectors: { name: string; input: unknown; expected: string }[] } = read('identities.json');
  const vector = vectors.find(({ name }) => name === 'C of a JSON artifact with awkward text');
  t.is(contentIdOfJson(vector?.input), vector?.expected ?? '');
});

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** JSON that no writer of records leaves behind, in an object whose digest is right. */
const hostile: Readonly<Record<string, string>> = {
  'a number that is too large': '{"any":{"a":1e999}}',
  'lists within lists': `{"any":{"a":${nested(200_000)}}}`,
  'a field that schemas pass over': '{"any":{"__proto__":1,"a":1}}',
};

const schema = z.looseObject({ any: z.record(z.string(), z.unknown()) });

const placeOf = (read: () => unknown): string => faultPlace(read) ?? 'whole';

for (const [title, text] of Object.entries(hostile)) {
  test(`a stored record with ${title} is named as damaged`, (t) => {
    const bytes = Buffer.from(`${text}\n`);
    const shape = { link: 'evidence', schema, maximumBytes: 1_000_000 } as const;
    const read = () => reopenJson(shape, { contentId: contentIdOfBytes(bytes), bytes });
    t.is(placeOf(read), 'evidence: canonical_form');
  });

  test(`a stored event with ${title} is named as damaged`, (t) => {
    const read = () => readEvent('runtime:1', journalStart, Buffer.from(text));
    t.is(placeOf(read), 'journal: event 1: canonical_form');
  });

  test(`a start record with ${title} is refused`, (t) => {
    t.throws(() => reopenRuntimeStart(Buffer.from(text)), { code: 'stored_content_inconsistent' });
  });
}

test('a record of a source with a field that schemas pass over is malformed', (t) => {
  const bytes = Buffer.from(`${JSON.stringify(JSON.parse('{"any":{"__proto__":1,"a":1}}'), null, 2)}\n`);
  t.throws(() => readSealedRecord(schema, bytes, 'media-probe'), { code: 'record_malformed' });
});

test('a stored event that was recorded before the one in front of it is named', (t) => {
  const { runtimeId: runId, events } = storedRuntimeOf(storedStudy({ version: 1, windows: 4 }));
  const [first = Buffer.of(), second = Buffer.of()] = events;
  const { recordedAt } = readEvent(runId, journalStart, first);
  t.notThrows(() => readEvent(runId, { seq: 1, recordedAt }, second));
  const late = { seq: 1, recordedAt: '2999-01-01T00:00:00.000Z' };
  t.is(
    placeOf(() => readEvent(runId, late, second)),
    'journal: event 2: recordedAt',
  );
});

test('bug: an event with a byte that is not UTF-8 passed as the event with a replacement character', (t) => {
  const study = storedStudy({ version: 1, windows: 4 });
  const { runtimeId: runId } = study.run.record;
  const [failed = Buffer.of()] = storedEvents(writtenEvents(runId, reviewOf(study, rejection).failed));
  const event = Buffer.from(Buffer.from(failed).toString().replace('no space', 'no \uFFFD space'));
  const at = event.indexOf('\uFFFD');
  const damaged = Buffer.concat([event.subarray(0, at), Buffer.of(0xff), event.subarray(at + 3)]);
  t.notThrows(() => readEvent(runId, journalStart, event));
  t.is(
    placeOf(() => readEvent(runId, journalStart, damaged)),
    'journal: event 1: encoding',
  );
});

test('text that quotes such a field is text', (t) => {
  const bytes = Buffer.from('{"any":{"a":"\\"__proto__\\":1"}}\n');
  const shape = { link: 'evidence', schema, maximumBytes: 1_000_000 } as const;
  t.is(
    placeOf(() => reopenJson(shape, { contentId: contentIdOfBytes(bytes), bytes })),
    'whole',
  );
});

test('a list of millions of items of another shape is named before all of them are looked at', (t) => {
  let looked = 0;
  const item = z.unknown().refine(() => {
    looked += 1;
    return looked <= 5000;
  });
  const bytes = Buffer.from(`{"items":[${Array(100_000).fill('0').join(',')}]}\n`);
  const shape = {
    link: 'evidence',
    schema: z.strictObject({ items: z.array(item) }),
    maximumBytes: 1_000_000,
  } as const;
  t.regex(
    placeOf(() => reopenJson(shape, { contentId: contentIdOfBytes(bytes), bytes })),
    /^evidence: items\.\d+$/,
  );
  t.true(looked < 10_000, `${looked} items`);
});

test('what was given out stays as it was while more is added, also where the memory has to grow', (t) => {
  const growing = new GrowingBytes();
  const given: Buffer[] = [];
  let text = '';
  for (let at = 0; at < 400; at += 1) {
    given.push(growing.bytes);
    const more = `${at} 한국어 😀 ${'x'.repeat(at)}`;
    growing.add(more);
    text += more;
  }
  t.is(growing.bytes.toString('utf8'), text);
  for (const bytes of given) t.true(text.startsWith(bytes.toString('utf8')));
  t.is(given[0]?.length, 0);
});

test('a text that is longer than all memory so far is added whole', (t) => {
  const growing = new GrowingBytes();
  growing.add('a');
  growing.add('é'.repeat(100_000));
  t.is(growing.bytes.toString('utf8'), `a${'é'.repeat(100_000)}`);
});

test('times have hours only if there are any', (t) => {
  t.deepEqual([0, 62_500, 3_723_250].map(timeCode), ['0:00.000', '1:02.500', '1:02:03.250']);
});

test('lengths are written in seconds with one digit', (t) => {
  t.deepEqual([0, 41_249, 61_000].map(secondsText), ['0.0 s', '41.2 s', '61.0 s']);
});
