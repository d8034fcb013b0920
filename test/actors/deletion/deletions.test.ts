import { cp, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { openHost } from '../../../actors/host.ts';
import { verifyRuntime } from '../../../actors/reopening/verify-runtime.ts';
import { tombstoneCheck } from '../../../actors/supervision/deletion-rows.ts';
import type { DeletionReceipt } from '../../../contract/deletion/deletion-receipt.ts';
import { unpackStores } from '../../../fixtures/golden-store/archive.ts';
import { goldenHost } from '../../../fixtures/golden-store/contents.ts';
import names from '../../../fixtures/golden-store/names.json' with { type: 'json' };
import { checkLedger } from '../../../storage/ledger/accept-loss.ts';
import { damagedRowsOf } from '../../../storage/ledger/examine-rows.ts';
import { dataRootAt } from '../../../storage/objects/data-root-layout.ts';
import { withoutDownloader } from '../../without-downloader.ts';
import { openStore } from '../reopening/stored-studies.ts';

const environment = { ...process.env, ...withoutDownloader };
const stores = fileURLToPath(new URL('../../../fixtures/golden-store', import.meta.url));

async function copied(t: ExecutionContext): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'deletions-')));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  await cp(join(stores, 'format-1'), root, { recursive: true });
  return root;
}

async function open(t: ExecutionContext, dataRoot: string) {
  const told: string[] = [];
  const report = (line: string) => void told.push(line);
  const onFatal = (error: Error) => t.fail(error.message);
  const host = await openHost({ dataRoot, ...goldenHost, environment, report, onFatal });
  t.teardown(() => host.close());
  return { host, told };
}

const objectsIn = async (root: string): Promise<string[]> =>
  (await readdir(join(root, 'objects', 'sha256'), { recursive: true })).filter((name) => /[0-9a-f]{64}$/.test(name));

/** Deletes a runtime and then its source, and says what is left when both are erased. */
async function emptied(t: ExecutionContext, root: string, runtimeId: string): Promise<readonly DeletionReceipt[]> {
  const { host, told } = await open(t, root);
  const before = await objectsIn(root);
  const dry = await host.garbage.collect(true);
  t.deepEqual(await objectsIn(root), before, 'a dry run deletes nothing');
  const [source] = host.sources.list().rows;
  const ofRuntime = await host.deletions.runtime(runtimeId, null);
  await t.throwsAsync(async () => host.studies.events(runtimeId, 0, 1), { code: 'runtime_deleted' });
  const ofSource = await host.deletions.source(source?.sourceSessionId ?? '', 'Somebody');
  t.is(host.sources.list().rows.length, 0);
  const { removed } = await host.garbage.collect(false);
  t.deepEqual(removed.object, dry.removed.object, 'the deletions have removed what they named');
  t.deepEqual(await objectsIn(root), []);
  await host.close();
  t.deepEqual(
    told.filter((line) => line.includes('next start')),
    [],
  );
  return [ofRuntime, ofSource];
}

/** The store is whole, holds the receipts, and nothing else of what was deleted. */
async function isWhole(t: ExecutionContext, root: string, runtimeId: string): Promise<void> {
  t.deepEqual((await checkLedger(root)).faults, []);
  t.deepEqual(await damagedRowsOf(dataRootAt(root).ledger, tombstoneCheck), []);
  const store = await openStore(root);
  await t.throwsAsync(
    verifyRuntime(store, runtimeId, () => undefined),
    { code: 'runtime_deleted' },
  );
  const left: string[] = [];
  for await (const { kind, key } of store.ledger.stored()) if (key.includes(runtimeId)) left.push(`${kind} ${key}`);
  t.deepEqual(left, [`record deleted/${runtimeId}`]);
  await store.close();
}

test('the runtime and the source of a store of the first format are deleted, and only receipts stay', async (t) => {
  const root = await copied(t);
  const [ofRuntime, ofSource] = await emptied(t, root, names.runtimeId);
  t.like(ofRuntime, { operator: null, deleted: { lifecycle: 'terminal', runtimeId: names.runtimeId } });
  t.like(ofSource, { operator: 'Somebody', deleted: { ingestIds: [names.ingestId] } });
  await isWhole(t, root, names.runtimeId);
});

test('a runtime whose rows, journal and files are damaged is deleted as well', async (t) => {
  const root = await copied(t);
  const { ledger, close } = await openStore(root);
  await ledger.commit([{ put: 'record', key: `study/${names.runtimeId}`, value: { broken: true } }]);
  await ledger.eraseEvents(names.runtimeId, 2);
  await close();
  const [ofRuntime] = await emptied(t, root, names.runtimeId);
  t.like(ofRuntime, { deleted: { commandId: null, sourceSessionId: null } });
  t.true((ofRuntime?.erased.events ?? 0) > 10);
  await isWhole(t, root, names.runtimeId);
});

test('a note that something was deleted is held against the receipt that it names, and against what is there', async (t) => {
  const root = await copied(t);
  const found = async () => damagedRowsOf(dataRootAt(root).ledger, tombstoneCheck);
  const before = await openStore(root);
  const snapshot = before.ledger.get('snapshot', names.runtimeId) as object;
  await before.close();
  const [{ receiptId, deletedAt } = { receiptId: '', deletedAt: '' }] = await emptied(t, root, names.runtimeId);
  t.deepEqual(await found(), []);
  const other = names.runtimeId.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  const notes: readonly (readonly [string, object | null, string])[] = [
    [
      other,
      { receiptId, deletedAt },
      `the note that ${other} was deleted does not follow from its receipt ${receiptId}`,
    ],
    [other, {}, `the note that ${other} was deleted has the wrong shape`],
    [
      names.runtimeId,
      { receiptId, deletedAt: '2031-01-01T00:00:00.000Z' },
      `the note that ${names.runtimeId} was deleted does not follow from its receipt ${receiptId}`,
    ],
  ];
  for (const [id, note, fault] of notes) {
    const store = await openStore(root);
    await store.ledger.commit([{ put: 'record', key: `deleted/${id}`, value: note }]);
    await store.close();
    t.deepEqual(await found(), [fault]);
    const next = await openStore(root);
    await next.ledger.commit([
      { del: 'record', key: `deleted/${other}` },
      { put: 'record', key: `deleted/${names.runtimeId}`, value: { receiptId, deletedAt } },
    ]);
    await next.close();
  }
  const store = await openStore(root);
  await store.ledger.commit([{ put: 'snapshot', key: names.runtimeId, value: snapshot }]);
  await store.close();
  t.true((await found()).includes(`${names.runtimeId} was deleted, and is still there`));
});

for (const release of ['0.1.0', '0.2.0']) {
  test(`a runtime with captions and an explanation of release ${release} is deleted with all its actors`, async (t) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'deletions-')));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    unpackStores(join(stores, 'releases', release, 'stores.tar.br'), folder);
    const root = join(folder, 'language-explanation.completed');
    const store = await openStore(root);
    const [runtime] = await store.ledger.list('snapshot', 'runtime:');
    await store.close();
    const { host } = await open(t, root);
    const receipt = await host.deletions.runtime(runtime?.key ?? '', null);
    t.true(receipt.erased.rows >= 7, `${receipt.erased.rows} rows`);
    await host.garbage.collect(true);
    await host.close();
    await isWhole(t, root, runtime?.key ?? '');
  });
}
