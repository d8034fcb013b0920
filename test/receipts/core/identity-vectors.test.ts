import { readFileSync } from 'node:fs';
import test from 'ava';
import { operationIdOf, operationKeyOf } from '../../../receipts/core/operation-key.ts';
import { deletionReceiptOf } from '../../../receipts/deletion/deletion-receipt.ts';
import { coverageOf } from '../../../receipts/study/study-coverage.ts';

interface Vector {
  readonly name: string;
  readonly input: never;
  readonly expected: string;
}

const { vectors } = JSON.parse(
  readFileSync(new URL('../../../fixtures/vectors/identities.json', import.meta.url), 'utf8'),
) as { vectors: readonly Vector[] };

function golden(name: string): Vector {
  const vector = vectors.find((each) => each.name === name);
  if (vector === undefined) throw new Error(`no vector '${name}'`);
  return vector;
}

test('an operation has the golden key, and a read the golden id', (t) => {
  const detection = golden('operationKey');
  t.is(operationKeyOf(detection.input), detection.expected);
  const read = golden('operationId of a read');
  t.is(operationIdOf(read.input), read.expected);
});

test('a stretch of a range of which nothing was read has the golden id', (t) => {
  const { input, expected } = golden('coverageId');
  const { runId, ...range } = input as { runId: string; startMs: number; endMs: number };
  const [stretch] = coverageOf(runId, range, { reads: [], assessments: [] });
  t.is(stretch?.coverageId, expected);
});

test('the receipt of a deletion has the golden id, with odd signs in it', (t) => {
  const { input, expected } = golden('deletion receiptId');
  t.is(deletionReceiptOf(input).receiptId, expected);
});
