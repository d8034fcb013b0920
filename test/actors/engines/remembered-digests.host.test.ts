import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { RememberedDigests } from '../../../actors/engines/remembered-digests.ts';
import type { Ledger, Write } from '../../../storage/ledger/ledger.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';

async function remembering(t: ExecutionContext) {
  const file = join(await scratchFolder(t), 'model.bin');
  await writeFile(file, 'first');
  const rows = new Map<string, unknown>();
  const commits: (readonly Write[])[] = [];
  const ledger: Pick<Ledger, 'get' | 'commit'> = {
    get: (_, key) => rows.get(key),
    commit: async (writes) => {
      commits.push(writes);
      for (const write of writes) if ('put' in write) rows.set(write.key, write.value);
    },
  };
  const read: string[] = [];
  const digests = () =>
    new RememberedDigests(ledger, async (each) => {
      read.push(each);
      return `sha256:${read.length}`;
    });
  return { file, rows, commits, read, digests };
}

test('the next host does not read a model that has not changed', async (t) => {
  const { file, commits, read, digests } = await remembering(t);
  const first = digests();
  t.is(await first.of(file), 'sha256:1');
  t.is(await first.of(file), 'sha256:1');
  await first.keep();
  await first.keep();
  t.is(commits.length, 1);
  t.is(await digests().of(file), 'sha256:1');
  t.deepEqual(read, [file]);
});

test('a model that changed is read again, and its digest takes the place of the one before', async (t) => {
  const { file, rows, read, digests } = await remembering(t);
  const first = digests();
  await first.of(file);
  await first.keep();
  await writeFile(file, 'another');
  const next = digests();
  t.is(await next.of(file), 'sha256:2');
  await next.keep();
  t.is(await digests().of(file), 'sha256:2');
  t.is(read.length, 2);
  t.like(rows.get('host/digests'), { digests: [{ path: file, digest: 'sha256:2' }] });
});

test('a file that changes while it is read has no remembered digest', async (t) => {
  const { file, rows, digests } = await remembering(t);
  const ledger: Pick<Ledger, 'get' | 'commit'> = { get: () => undefined, commit: async () => undefined };
  const changing = new RememberedDigests(ledger, async (each) => {
    await writeFile(each, 'written meanwhile');
    return 'sha256:0';
  });
  t.is(await changing.of(file), 'sha256:0');
  t.is(await changing.of(file), 'sha256:0');
  await changing.keep();
  rows.set('host/digests', { digests: 'a row that no host wrote' });
  t.is(await digests().of(file), 'sha256:1');
});
