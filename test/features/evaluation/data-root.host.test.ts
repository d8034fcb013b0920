import { readdir } from 'node:fs/promises';
import test from 'ava';
import { withDataRoot } from '../../../features/evaluation/accepted-receipt.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';

test('an evaluation for which no data root is named has one of its own, which is gone afterwards', async (t) => {
  let own = '';
  const given = await scratchFolder(t);
  t.is(await withDataRoot(given, async (root) => root), given);
  t.is(
    await withDataRoot(null, async (root) => {
      own = root;
      t.deepEqual(await readdir(root), []);
      return 'evaluated';
    }),
    'evaluated',
  );
  await t.throwsAsync(readdir(own), { code: 'ENOENT' });
});
