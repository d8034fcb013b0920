import test, { type ExecutionContext } from 'ava';
import { SourceRegistry } from '../../../actors/sources/source-registry.ts';
import { ListedRuntimes } from '../../../actors/study/listed-runtimes.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
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
  'a time of its last transition that no date can hold': (row) => ({
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
