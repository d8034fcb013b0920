import test, { type ExecutionContext } from 'ava';
import { SourceRegistry } from '../../../actors/sources/source-registry.ts';
import { ListedRuntimes } from '../../../actors/study/listed-runtimes.ts';
import { newestFirst } from '../../../actors/supervision/reads.ts';
import { ServiceError } from '../../../contract/base/errors.ts';
import { indexKey } from '../../../storage/ledger/keys.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { openScratchLedger, scratchFolder } from '../../storage/ledger/scratch.ts';
import { openCaptionBench } from '../captions/caption-bench.ts';
import { newDataRoot, store } from '../reopening/stored-studies.ts';

const study = storedStudy({ version: 1, windows: 4 });

interface Row {
  readonly updatedAt: number;
  readonly recorded?: object;
  readonly input: object;
  readonly snapshot: { readonly value: unknown; readonly context: object };
}

const withSnapshot = (row: Row, change: object): Row => ({ ...row, snapshot: { ...row.snapshot, ...change } });

/** Rows of the right form of storage that no host writes. */
const hostile: Readonly<Record<string, (row: Row) => object>> = {
  'a time that no date can hold': (row) => ({ ...row, updatedAt: 1e300 }),
  'a last transition that no date can hold': (row) => ({
    ...row,
    recorded: { seq: 1, at: 1e300, restarts: 0 },
  }),
  'no context': (row) => withSnapshot(row, { context: null }),
  'a reason of another form': (row) => withSnapshot(row, { context: { reason: 5 } }),
  'a state that no runtime has': (row) => withSnapshot(row, { value: 'nowhere' }),
  'a state without a name': (row) => withSnapshot(row, { value: {} }),
  'no command': (row) => ({ ...row, input: null }),
};

async function listed(t: ExecutionContext, change: (row: Row) => object) {
  const bench = await openCaptionBench(t, await newDataRoot(t));
  const { ledger, supervisor } = bench;
  const runtimeId = await store(bench.store, study);
  const row = ledger.get('snapshot', runtimeId) as Row;
  await ledger.commit([{ put: 'snapshot', key: runtimeId, value: change(row) }]);
  const runtimes = new ListedRuntimes({ ledger, supervisor, registry: new SourceRegistry() });
  const page = await runtimes.page({ after: null, limit: 10, sourceSessionId: null, lifecycle: null, label: null });
  return { runtimeId, page };
}

for (const [title, change] of Object.entries(hostile)) {
  test(`the row of a runtime with ${title} is listed as damaged`, async (t) => {
    const { runtimeId, page } = await listed(t, change);
    t.like(page, { runtimes: { length: 0 }, damaged: [runtimeId] });
  });
}

test('the row of a runtime as a host leaves it is listed', async (t) => {
  const { runtimeId, page } = await listed(t, (row) => row);
  t.like(page, { runtimes: [{ runtimeId, lifecycle: 'terminal' }], damaged: { length: 0 } });
});

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
