import { readFile } from 'node:fs/promises';
import test from 'ava';
import { evaluationPack } from '../../contract/evaluation.ts';
import { readSampleGold } from '../../fixtures/sample/gold.ts';
import { packOf } from '../../lab/sample/pack.ts';

test('the pack of the sample has the labels that the sample was built from', async (t) => {
  const stored = await readFile(new URL('../../fixtures/sample/pack.json', import.meta.url), 'utf8');
  t.deepEqual(evaluationPack.parse(JSON.parse(stored)), packOf(await readSampleGold()));
});
