import test from 'ava';
import { newestFirst } from '../../../actors/supervision/newest-first.ts';
import { ServiceError } from '../../../contract/base/service-error.ts';
import { indexKey } from '../../../storage/ledger/index-keys.ts';
import { openScratchLedger, scratchFolder } from '../../storage/ledger/scratch.ts';

const ids = Array.from({ length: 2000 }, (_, at) => `thing:${String(at).padStart(4, '0')}`);

test('a page looks at a bounded part of a list, whatever it looks for, and its cursor leads on', async (t) => {
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  t.teardown(() => ledger.close());
  await ledger.commit(ids.map((id, at) => ({ put: 'index', key: indexKey('things', at, id), value: true })));
  let lookedAt = 0;
  const found: string[] = [];
  let pages = 0;
  for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    const before = lookedAt;
    const page: Awaited<ReturnType<typeof newestFirst<string>>> = await newestFirst(
      ledger,
      ['things'],
      { after, limit: 10 },
      (id) => {
        lookedAt += 1;
        return id === 'thing:0003' ? id : null;
      },
    );
    t.true(lookedAt - before <= 512);
    found.push(...page.rows);
    after = page.nextCursor;
    pages += 1;
  }
  t.deepEqual(found, ['thing:0003']);
  t.is(lookedAt, ids.length);
  t.is(pages, 4);
});

test('what is damaged is named in its place, and harms no other row', async (t) => {
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  t.teardown(() => ledger.close());
  await ledger.commit(
    ids.slice(0, 5).map((id, at) => ({ put: 'index', key: indexKey('things', at, id), value: true })),
  );
  const rowOf = (id: string): string => {
    if (id === 'thing:0003') throw new ServiceError('stored_content_inconsistent', 'damaged');
    return id;
  };
  t.deepEqual(await newestFirst(ledger, ['things'], { after: null, limit: 2 }, rowOf), {
    rows: ['thing:0004'],
    damaged: ['thing:0003'],
    nextCursor: indexKey('things', 3, 'thing:0003').slice('things/'.length),
  });
});

test('several scopes are one list, in the order of time, page by page', async (t) => {
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  t.teardown(() => ledger.close());
  const some = ids.slice(0, 200);
  await ledger.commit(
    some.map((id, at) => ({ put: 'index', key: indexKey(at % 3 === 0 ? 'thirds' : 'others', at, id), value: true })),
  );
  const found: string[] = [];
  for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    const page: Awaited<ReturnType<typeof newestFirst<string>>> = await newestFirst(
      ledger,
      ['thirds', 'others', 'none'],
      { after, limit: 70 },
      async (id, _, scope) => `${scope} ${id}`,
    );
    found.push(...page.rows);
    after = page.nextCursor;
  }
  t.deepEqual(found, some.map((id, at) => `${at % 3 === 0 ? 'thirds' : 'others'} ${id}`).reverse());
});
