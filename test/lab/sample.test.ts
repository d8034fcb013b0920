import test from 'ava';
import { readSampleGold } from '../../fixtures/sample/gold.ts';
import { packOf } from '../../lab/sample/pack.ts';
import { samplePack } from '../features/evaluation/labeled-packs.ts';

test('the pack of the sample has the labels that the sample was built from', async (t) => {
  t.deepEqual(samplePack, packOf(await readSampleGold()));
});
