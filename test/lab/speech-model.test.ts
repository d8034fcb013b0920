import { readFile } from 'node:fs/promises';
import test from 'ava';
import { speechModelFile } from '../../executors/detector/detector-models.ts';
import { byBlocks } from '../../lab/speech-model/by-blocks.ts';
import { publishedWeights } from '../../lab/speech-model/published-weights.ts';

test('the speech model of the program is made of the published weights, byte for byte', async (t) => {
  const model = byBlocks(await publishedWeights());
  t.true(Buffer.from(model).equals(await readFile(speechModelFile)));
});

test('bytes of other content than the speech weights are refused', (t) => {
  t.throws(() => byBlocks(Uint8Array.of(58, 200, 1)), { instanceOf: RangeError, message: 'a cut model' });
  t.throws(() => byBlocks(Uint8Array.of(3)), { instanceOf: RangeError, message: 'a model of an unknown form' });
  t.throws(() => byBlocks(new Uint8Array()), { instanceOf: RangeError, message: /^a speech model without / });
});
