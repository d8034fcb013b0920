import test from 'ava';
import { z } from 'zod';
import { EvidenceChainError } from '../../../receipts/core/evidence-chain-error.ts';
import { reopenJson, storedJson } from '../../../receipts/core/stored-json.ts';

const schema = z.strictObject({
  facts: z.array(z.strictObject({ startMs: z.number() })),
  decision: z.union([z.strictObject({ code: z.string(), share: z.number() }), z.strictObject({ reason: z.string() })]),
});
const whole = { facts: [{ startMs: 0 }], decision: { reason: 'quiet' } };
const opened = (record: unknown) => reopenJson({ link: 'read', schema, maximumBytes: 10_000 }, storedJson(record));

function placeOf(record: unknown): string | null {
  try {
    opened(record);
    return null;
  } catch (error) {
    if (error instanceof EvidenceChainError) return error.place;
    throw error;
  }
}

test('a field that a record must not have is named as the place', (t) => {
  t.deepEqual(opened(whole), whole);
  t.is(placeOf({ ...whole, note: 'x' }), 'note');
  t.is(placeOf({ ...whole, facts: [{ startMs: 0, endMs: 1 }] }), 'facts.0.endMs');
});

test('the name of such a field is left out where it could act on a terminal', (t) => {
  t.is(placeOf({ ...whole, '\u001b[31m': 'x' }), 'a field that no such record has');
});

test('a value of several forms is named by the form that it comes nearest to', (t) => {
  t.is(placeOf({ ...whole, decision: { code: 'ko', share: '1' } }), 'decision.share');
});

test('a record that is none at all is named as a whole', (t) => {
  t.is(placeOf([]), '(whole)');
});
