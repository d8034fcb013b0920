import { createHash } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import type { JournalEvent } from '../../../contract/journal/journal-event.ts';
import { contentIdOf as hostContentId, canonicalJson as hostJson } from '../../../receipts/core/canonical-json.ts';
import { canonicalJson } from '../../../visualizer/console/verification/canonical-json.ts';
import { contentIdOf, receiptIdOf } from '../../../visualizer/console/verification/digests.ts';
import { chainDigest } from '../../../visualizer/console/verification/journal-chain.ts';

test('the canonical JSON of the page is that of the host, for every value', (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      t.is(canonicalJson(value), hostJson(value));
    }),
    { numRuns: 200 },
  );
});

test('a content id is that of the host', async (t) => {
  const record = { b: [1, 'é', null], a: { z: -0, y: 1e21 } };
  t.is(await contentIdOf(record), hostContentId(record));
});

test('a receipt id leaves out the schema and the id itself', async (t) => {
  const hex = createHash('sha256').update('{"facts":[1,2]}').digest('hex');
  const receipt = { schema: 'studio.some.receipt.v1', receiptId: `evidence-read:${'0'.repeat(64)}`, facts: [1, 2] };
  t.is(await receiptIdOf(receipt), `evidence-read:${hex}`);
});

test('a chain begins with the runtime and takes each event in; one changed event changes it', async (t) => {
  const events = [{ seq: 1 }, { seq: 2 }] as unknown as readonly JournalEvent[];
  const link = (before: Buffer, text: string) => createHash('sha256').update(before).update(text).digest();
  const start = createHash('sha256').update('runtime:1').digest();
  t.is(await chainDigest('runtime:1', []), start.toString('hex'));
  const expected = link(link(start, '{"seq":1}'), '{"seq":2}').toString('hex');
  t.is(await chainDigest('runtime:1', events), expected);
  t.not(await chainDigest('runtime:2', events), expected);
});
