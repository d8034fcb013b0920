import test from 'ava';
import { z } from 'zod';
import { contentIdOfBytes } from '../../../receipts/core/canonical-json.ts';
import { EvidenceChainError } from '../../../receipts/core/evidence-chain-error.ts';
import { journalStart, readEvent } from '../../../receipts/core/journal-cursor.ts';
import { reopenJson } from '../../../receipts/core/stored-json.ts';
import { readSealedRecord } from '../../../receipts/sources/sealed-record.ts';
import { reopenRuntimeStart } from '../../../receipts/start/reopen-runtime-start.ts';

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** JSON that no writer of records leaves behind, in an object whose digest is right. */
const hostile: Readonly<Record<string, string>> = {
  'a number that is too large': '{"any":{"a":1e999}}',
  'lists within lists': `{"any":{"a":${nested(200_000)}}}`,
  'a field that schemas pass over': '{"any":{"__proto__":1,"a":1}}',
};

const schema = z.looseObject({ any: z.record(z.string(), z.unknown()) });

const placeOf = (read: () => unknown): string => {
  try {
    read();
    return 'whole';
  } catch (error) {
    return error instanceof EvidenceChainError ? `${error.link}: ${error.place}` : String(error);
  }
};

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

  test(`a start record with ${title} is refused as one that contradicts itself`, (t) => {
    t.throws(() => reopenRuntimeStart(Buffer.from(text)), { code: 'stored_content_inconsistent' });
  });
}

test('a record of a source with a field that schemas pass over is malformed', (t) => {
  const bytes = Buffer.from(`${JSON.stringify(JSON.parse('{"any":{"__proto__":1,"a":1}}'), null, 2)}\n`);
  t.throws(() => readSealedRecord(schema, bytes, 'media-probe'), { code: 'record_malformed' });
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
