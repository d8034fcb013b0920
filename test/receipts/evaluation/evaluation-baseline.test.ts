import { readFile } from 'node:fs/promises';
import test from 'ava';
import { evaluationReceipt } from '../../../contract/evaluation/evaluation-receipt.ts';
import { hashOf } from '../../../receipts/core/canonical-json.ts';
import { readBaseline } from '../../../receipts/evaluation/evaluation-receipt.ts';
import { bytesOf, fault } from './evaluation-packs.ts';

const bytes = await readFile(new URL('../../../fixtures/sample/baseline.json', import.meta.url));
const accepted = evaluationReceipt.parse(JSON.parse(bytes.toString('utf8')));
const { contentId } = accepted.pack;

test('an accepted receipt is read in any layout', (t) => {
  t.deepEqual(readBaseline(bytes, contentId), accepted);
  t.deepEqual(readBaseline(bytesOf(accepted), contentId), accepted);
});

test('its id follows from everything in it, and nothing in it is a time or an id of a run', (t) => {
  const { schema: _, receiptId, ...body } = accepted;
  t.is(receiptId, `evaluation:${hashOf(body)}`);
  t.notRegex(bytes.toString('utf8'), /\d{4}-\d{2}-\d{2}T|runtime:|[0-9a-f]{8}-[0-9a-f]{4}-/);
});

test('a changed number, a foreign field and anything that is no receipt are malformed', (t) => {
  const totals = { ...accepted.totals, cuts: null };
  t.throws(
    () => readBaseline(bytesOf({ ...accepted, totals }), contentId),
    fault('baseline_malformed', 'baseline.receiptId'),
  );
  t.throws(() => readBaseline(bytesOf({ ...accepted, at: 0 }), contentId), fault('baseline_malformed', 'baseline'));
  t.throws(
    () => readBaseline(bytesOf({ ...accepted, tools: 1 }), contentId),
    fault('baseline_malformed', 'baseline.tools'),
  );
  t.throws(() => readBaseline(Buffer.from('no'), contentId), fault('baseline_malformed', 'baseline'));
});

test('a baseline of another pack is not compared with', (t) => {
  const other = `sha256:${'0'.repeat(64)}`;
  t.throws(
    () => readBaseline(bytes, other),
    fault('baseline_of_other_pack', `baseline is of ${contentId}, this is ${other}`),
  );
});
