import test from 'ava';
import { firstMissing, shownBlocksOf } from './shown-blocks.ts';

test('the output of a block is the block behind it, unless that is in another language', (t) => {
  const page =
    '```bash\none\n```\n\n```json\n1\n```\n\n```bash\ntwo\n```\n\n```sh\nno\n```\n\n```bash\nthree\n```\n\n## Other\n\n```\nno\n```\n';
  t.deepEqual(shownBlocksOf(page), [
    { commands: 'one\n', shown: ['1'] },
    { commands: 'two\n', shown: [] },
    { commands: 'three\n', shown: [] },
  ]);
});

test('what a page shows has to come in its order, ids and what is left out aside', (t) => {
  const id = 'runtime:1c720ef2-ca28-41d5-8465-0c235613bc42';
  const other = 'runtime:3ff30e25-d808-4cc6-893f-6a422a3d7164';
  t.is(firstMissing([`study ${id}`, '…', 'end'], `a remark\nstudy ${other}\n1\n2\nend\n`), undefined);
  t.is(firstMissing(['one', 'two'], 'two\none\n'), 'two');
  t.is(firstMissing(['journal head 49'], 'journal head 57\n'), 'journal head 49');
});
