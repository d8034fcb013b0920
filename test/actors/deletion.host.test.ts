import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readdir, realpath, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { DeletionFigures, DeletionMeasure } from '../../actors/deletion/deletion-measure.ts';
import { RowsOf } from '../../actors/deletion/deletion-scope.ts';
import { DeletionService } from '../../actors/deletion/deletions.ts';
import { Erasure, ReachedObjects } from '../../actors/deletion/erasure.ts';
import { openHost } from '../../actors/host.ts';
import { type HostOptions, KnownMachine } from '../../actors/host-types.ts';
import { revisionKey } from '../../actors/ingest/ingest-service.ts';
import { openStorage } from '../../actors/opening/open-storage.ts';
import { verifyRuntime } from '../../actors/reopening/verify-runtime.ts';
import { SourceRegistry, SourceUses } from '../../actors/sources/source-registry.ts';
import { tombstoneCheck } from '../../actors/supervision/deletion-rows.ts';
import { version } from '../../contract/base/program-version.ts';
import type { DeletionReceipt } from '../../contract/deletion.ts';
import { openLauncher } from '../../executors/process/launcher.ts';
import { MEMORY_BYTES } from '../../executors/process/process.ts';
import { unpackStores } from '../../fixtures/golden-store/archive.ts';
import { goldenHost } from '../../fixtures/golden-store/contents.ts';
import names from '../../fixtures/golden-store/names.json' with { type: 'json' };
import { erasingPrefix } from '../../storage/backup/named-objects.ts';
import { KeyedMutex } from '../../storage/keyed-mutex.ts';
import { checkLedger } from '../../storage/ledger/accept-loss.ts';
import { damagedRowsOf } from '../../storage/ledger/examine-rows.ts';
import type { Write } from '../../storage/ledger/ledger.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { restMs } from '../../storage/objects/object-files.ts';
import { openObjectStore } from '../../storage/objects/open-object-store.ts';
import { storedStudy } from '../receipts/evidence/stored-study.ts';
import { acceptedAt } from '../receipts/sources/korean-clip.ts';
import { withoutDownloader } from '../without-downloader.ts';
import { newDataRoot, newStore, openStore, store } from './reopening/stored-studies.ts';
import { SimulatedClock } from './supervision/simulated-clock.ts';

const environment = { ...process.env, ...withoutDownloader };
/** The hosts of this file share one inspection of the machine. */
const machine = new KnownMachine();

const stores = fileURLToPath(new URL('../../fixtures/golden-store', import.meta.url));

async function copied(t: ExecutionContext): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'deletions-')));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  await cp(join(stores, 'format-1'), root, { recursive: true });
  return root;
}

async function open(t: ExecutionContext, dataRoot: string) {
  const reported: string[] = [];
  const report = (line: string) => void reported.push(line);
  const onFatal = (error: Error) => t.fail(error.message);
  const host = await openHost({ features: [], dataRoot, ...goldenHost, environment, machine, report, onFatal });
  t.teardown(() => host.close());
  return { host, reported };
}

const objectsIn = async (root: string): Promise<string[]> =>
  (await readdir(join(root, 'objects', 'sha256'), { recursive: true })).filter((name) => /[0-9a-f]{64}$/.test(name));

/** Deletes a runtime and then its source, and returns the remains after both are erased. */
async function emptied(t: ExecutionContext, root: string, runtimeId: string): Promise<readonly DeletionReceipt[]> {
  const { host, reported } = await open(t, root);
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
    reported.filter((line) => line.includes('next start')),
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

test('a runtime and a source in a store of the first format are deleted down to receipts', async (t) => {
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

test('the note of a deletion is checked against its receipt and the remaining data', async (t) => {
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
  test(`a runtime of release ${release}, captioned and explained, is deleted with all its actors`, async (t) => {
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

const study = storedStudy({ version: 1, windows: 4 });

const { source } = study;

const { sessionId, revisionId } = source.session;

const newer = { ...source, session: { ...source.session, revisionId: `source-revision:${'e'.repeat(64)}` } };

const ingestId = 'owned-ingest:00000000-0000-4000-8000-000000000001';

test('bug: an ingest that registered a revision during the deletion of its source left rows', async (t) => {
  const opened = await newStore(t);
  const { ledger, objectStore } = opened;
  await store(opened, study);
  const registry = new SourceRegistry();
  await registry.load(ledger);
  await ledger.commit(registry.admitRevision(source).writes);
  const measure = new DeletionMeasure({
    ledger,
    objectStore,
    registry,
    rowsOf: new RowsOf(ledger),
    reached: new ReachedObjects({ ledger, objectStore }),
  });
  let measured = 0;
  const deletions = new DeletionService({
    actorsDeleted: () => undefined,
    ledger,
    registry,
    sourceUses: new SourceUses(),
    clock: new SimulatedClock(Date.parse(acceptedAt)),
    mutex: new KeyedMutex(),
    // At this moment no study needs it, and no ingest is live.
    needs: { ofSource: async () => null, ofLiveWork: () => null },
    measure: {
      source: async (id: string) => {
        const found = await measure.source(id);
        measured += 1;
        if (measured === 1) {
          const row: Write = {
            put: 'record',
            key: revisionKey(ingestId),
            value: { revisionId: newer.session.revisionId },
          };
          await ledger.commit([...registry.admitRevision(newer).writes, row]);
        }
        return found;
      },
    },
    figures: new DeletionFigures(),
    erasure: { notes: () => [{ put: 'record', key: 'erasing/it', value: {} }], soon: () => undefined },
    runtimeDeleted: () => undefined,
  } as never);
  const { deleted } = await deletions.source(sessionId, null);
  t.like(deleted, {
    sourceRevisionIds: [revisionId, newer.session.revisionId],
    ingestIds: [ingestId],
  });
  t.deepEqual(await ledger.list('record', 'ingest/'), []);
  t.deepEqual(await ledger.list('source'), []);
});

test('bug: objects of a canceled study that nothing else names stayed after they were at rest', async (t) => {
  const { ledger, objectStore } = await newStore(t);
  const clock = new SimulatedClock(0);
  let isRecent = true;
  const erasure = new Erasure({
    ledger,
    objectStore: Object.assign(objectStore, { isRecent: () => isRecent }),
    reached: new ReachedObjects({ ledger, objectStore }),
    isSource: () => true,
    isHeld: () => false,
    dropCopies: async () => undefined,
    clock,
    report: (line) => t.fail(line),
  });
  const unnamed = await objectStore.put(Buffer.from('a keyframe'));
  const named = await objectStore.put(Buffer.from('a keyframe that another study has as well'));
  await ledger.commit([{ put: 'record', key: 'names one', value: { named } }]);
  await erasure.abandon('runtime:cancelled', [unnamed, named, unnamed]);
  const afterRest = async () => {
    clock.advance(restMs + 1);
    await erasure.settled();
    return [await objectStore.verify(unnamed), await objectStore.verify(named)];
  };
  t.deepEqual(await afterRest(), ['intact', 'intact']);
  t.is((await ledger.list('record', erasingPrefix)).length, 1);
  isRecent = false;
  t.deepEqual(await afterRest(), ['missing', 'intact']);
  t.deepEqual(await ledger.list('record', erasingPrefix), []);
  await erasure.stop();
});

const passMedia = `sha256:${'a'.repeat(64)}`;

test('bug: a window that another version of the program kept of a pass was reached for ever', async (t) => {
  const { ledger, objectStore } = await newStore(t);
  const keep = async (key: string, program: object) => {
    const bytes = Buffer.from(`the state of ${key}`);
    const state = { contentId: await objectStore.put(bytes), bytes: bytes.length };
    const value = { sourceContentId: passMedia, ...program, window: { state, named: state } };
    await ledger.commit([{ put: 'operation', key, value }]);
    return state.contentId;
  };
  const own = await keep('own', { program: version });
  const older = await keep('older', { program: '0.3.0-older' });
  const unnamed = await keep('unnamed', {});

  const reached = new ReachedObjects({ ledger, objectStore });
  const operations = await reached.operations();
  t.deepEqual(
    operations.toSorted((a, b) => a.key.localeCompare(b.key)),
    [
      { key: 'older', source: passMedia, isOutdated: true },
      { key: 'own', source: passMedia, isOutdated: false },
      { key: 'unnamed', source: passMedia, isOutdated: true },
    ],
  );
  const spent = new Set(operations.filter(({ isOutdated }) => isOutdated).map(({ key }) => key));
  const found = await reached.find(spent);
  t.true(found.has(own));
  t.false(found.has(older));
  t.false(found.has(unnamed));
});

test('bug: fresh objects were garbage after the clock was set forward', async (t) => {
  const clock = new SimulatedClock(0);
  const options = { dataRoot: await newDataRoot(t), clock, report: t.fail, onFatal: t.fail };
  const { objectStore, ledger } = await openStorage(options as unknown as HostOptions);
  t.teardown(() => ledger.close());
  const stored = await objectStore.put(Buffer.from('abc'));
  clock.set(86_400_000);
  t.true(objectStore.isRecent(stored));
  await objectStore.put(Buffer.from('abd'));
  t.true(objectStore.isRecent(stored));
});

test('bug: a host whose data root was moved away deleted the objects of another one in its place', async (t) => {
  const [dataRoot, moved] = [await newDataRoot(t), `${await newDataRoot(t)}-moved`];
  const fatal: string[] = [];
  const options = { dataRoot, clock: new SimulatedClock(0), report: t.fail, points: () => undefined };
  const onFatal = ({ message }: Error) => void fatal.push(message);
  const { objectStore, ledger } = await openStorage({ ...options, onFatal } as unknown as HostOptions);
  t.teardown(() => ledger.close());
  const own = await objectStore.put(Buffer.from('abc'));
  await rename(dataRoot, moved);
  const other = await openObjectStore({ root: dataRoot });
  t.is(await other.put(Buffer.from('abc')), own);
  await t.throwsAsync(objectStore.discard(own), { code: 'commit_failed' });
  t.is(await other.verify(own), 'intact');
  await t.throwsAsync(ledger.commit([{ put: 'record', key: 'a', value: {} }]), { code: 'commit_failed' });
  const said = `commit_failed: ${dataRoot} is not the data root of this host any more; start a host on its new folder`;
  t.deepEqual(fatal, [said, said]);
});

test('bug: a host whose data root was moved away put objects and processes into another one in its place', async (t) => {
  const [dataRoot, moved] = [await newDataRoot(t), `${await newDataRoot(t)}-moved`];
  const options = { dataRoot, clock: new SimulatedClock(0), report: t.fail, points: () => undefined };
  let ends = 0;
  const onFatal = () => {
    ends += 1;
  };
  const { objectStore, ledger, layout } = await openStorage({ ...options, onFatal } as unknown as HostOptions);
  t.teardown(() => ledger.close());
  const file = objectStore.receive(randomUUID());
  await file.open(0);
  file.write(Buffer.from('abc'));
  await file.drained();
  await file.sync();
  await rename(dataRoot, moved);
  await openObjectStore({ root: dataRoot });
  const before = await readdir(dataRoot, { recursive: true });
  const launcher = await openLauncher({
    workRoot: layout.work,
    newId: randomUUID,
    demandInPlace: ledger.demandInPlace,
  });
  t.teardown(() => launcher.close());
  const refused = { code: 'commit_failed' };
  await t.throwsAsync(objectStore.put(Buffer.from('abd')), refused);
  t.throws(() => objectStore.receive(randomUUID()), refused);
  await t.throwsAsync(
    file.finish(3, async () => undefined),
    refused,
  );
  t.throws(() => objectStore.partial(randomUUID()), refused);
  await t.throwsAsync(objectStore.sweep(new Set()), refused);
  const sizes = { fileSizeBytes: 1, stdoutBytes: 1, stderrBytes: 1, memoryBytes: MEMORY_BYTES.version };
  const limits = { wallMs: 1000, cpuSeconds: 1, ...sizes };
  const { signal } = new AbortController();
  await t.throwsAsync(launcher.run({ tool: '/bin/true', args: [], limits, signal }), refused);
  t.is(ends, 6);
  t.deepEqual(await readdir(dataRoot, { recursive: true }), before);
});

async function openErasure(t: ExecutionContext) {
  const { ledger, objectStore } = await openStore(await newDataRoot(t));
  t.teardown(() => ledger.close());
  const clock = new SimulatedClock(0);
  const reached = new ReachedObjects({ ledger, objectStore });
  let sweeps = 0;
  const find = reached.find.bind(reached);
  reached.find = (...asked) => {
    sweeps += 1;
    return find(...asked);
  };
  const reports: string[] = [];
  const open = (): Erasure => {
    const erasure = new Erasure({
      ledger,
      objectStore: Object.assign(objectStore, { isRecent: () => false }),
      reached,
      isSource: () => true,
      isHeld: () => false,
      dropCopies: async () => undefined,
      clock,
      report: (line) => void reports.push(line),
    });
    t.teardown(() => erasure.stop());
    return erasure;
  };
  const erasure = open();
  const reported = () => reports;
  t.teardown(() => reports.some((line) => line.includes('next start')) && t.fail(reports.join()));
  /** A journal of three events and an object that nothing else names are deleted. */
  const deletes = async (name: string): Promise<string> => {
    const object = await objectStore.put(Buffer.from(`of ${name}`));
    const event = {
      producer: { kind: 'scheduler', id: 'it' },
      causationId: null,
      correlationId: null,
      type: 'told',
      data: object,
    };
    await ledger.commit([{ append: name, events: [event, event, event] }]);
    await ledger.commit([{ close: name }, ...erasure.notes(name, { journals: [name], objects: [object] })]);
    erasure.soon([name]);
    return object;
  };
  const events = async (name: string): Promise<number> => {
    let count = 0;
    for await (const _ of ledger.stored(name)) count += 1;
    return count;
  };
  return { ledger, objectStore, clock, erasure, open, reported, deletes, events, sweeps: () => sweeps };
}

test('bug: each of many deletions walked the whole ledger; one sweep takes all that came since the last', async (t) => {
  const { ledger, objectStore, clock, erasure, deletes, events, sweeps } = await openErasure(t);
  const first = await deletes('first');
  await erasure.settled();
  t.is(sweeps(), 1, 'the first one is swept at once');
  t.is(await objectStore.verify(first), 'missing');
  const objects: string[] = [];
  for (let at = 0; at < 40; at += 1) objects.push(await deletes(`run-${at}`));
  await erasure.settled();
  t.is(sweeps(), 1);
  for (let at = 0; at < 40; at += 1) t.is(await events(`run-${at}`), 0, 'events go at once');
  t.is((await ledger.list('record', erasingPrefix)).length, 40);
  // It rests for nine times as long as the sweep took, and never for longer than a quarter of an hour.
  clock.advance(restMs);
  await erasure.settled();
  t.is(sweeps(), 2);
  for (const object of objects) t.is(await objectStore.verify(object), 'missing');
  t.deepEqual(await ledger.list('record', erasingPrefix), []);
});

test('a collection of garbage begins behind every deletion, also one that waits for the next sweep', async (t) => {
  const { objectStore, erasure, deletes, sweeps } = await openErasure(t);
  await deletes('first');
  await erasure.settled();
  const second = await deletes('second');
  const seen = await erasure.alone(() => objectStore.verify(second));
  t.is(seen, 'missing');
  t.is(sweeps(), 2);
});

test('bug: the stop of a host waited for a walk over the whole ledger', async (t) => {
  const { ledger, objectStore, erasure, deletes } = await openErasure(t);
  const object = await deletes('one');
  await erasure.stop();
  // The next host goes on by the note.
  t.is((await ledger.list('record', erasingPrefix)).length, (await objectStore.verify(object)) === 'intact' ? 1 : 0);
});

test('a rewrite of the ledger that did not come to its end is done by the next host', async (t) => {
  const { ledger, clock, erasure, deletes, open } = await openErasure(t);
  const purge = ledger.purge.bind(ledger);
  const isDue = () => ledger.get('record', 'ledger-purge') !== undefined;
  // As if the host were killed in the middle, or a reader held on to an older file.
  ledger.purge = async () => false;
  await deletes('runtime:gone');
  await erasure.settled();
  t.true(isDue());
  await erasure.stop();
  let purged = 0;
  ledger.purge = (signal) => {
    purged += 1;
    return purge(signal);
  };
  const next = open();
  next.soon();
  await next.settled();
  t.deepEqual([isDue(), purged], [false, 1]);
  next.soon();
  clock.advance(restMs + 1);
  await next.settled();
  t.is(purged, 1, 'nothing is rewritten without a reason');
});

test('a rewrite of the ledger needs room on its volume, and waits for it', async (t) => {
  const { ledger, objectStore, clock, deletes, erasure, reported } = await openErasure(t);
  let free = 1_000_000;
  Object.assign(objectStore, { freeBytes: async () => free });
  await deletes('runtime:gone');
  await erasure.settled();
  t.not(ledger.get('record', 'ledger-purge'), undefined);
  t.deepEqual(reported(), [
    'the volume has no room to rewrite the ledger: words of what was deleted stay in its files until there is room',
  ]);
  free = 10_000_000_000;
  clock.advance(restMs + 1);
  await erasure.settled();
  t.is(ledger.get('record', 'ledger-purge'), undefined);
});
