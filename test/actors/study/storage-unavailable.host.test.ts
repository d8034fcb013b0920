import test from 'ava';
import { VerifiedRuntimes } from '../../../actors/reopening/verified-runtimes.ts';
import { JournalHealth } from '../../../actors/study/studies.ts';
import { EvidenceSteps } from '../../../actors/study/study-definition.ts';
import { storeBeforePromise } from '../../../actors/supervision/refused-write.ts';
import { systemClock } from '../../../actors/supervision/system-clock.ts';
import { StorageUnavailable } from '../../../contract/base/errors.ts';
import { type Ledger, LedgerError } from '../../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../../storage/objects/object-store.ts';
import { ObjectStoreError } from '../../../storage/objects/object-store-error.ts';
import { patientLedger, patientObjectStore } from '../../../storage/patience.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { newStore, store } from '../reopening/stored-studies.ts';
import { newBench } from '../supervision/bench.ts';

const study = storedStudy({ version: 1, windows: 4 });

const unavailable = { instanceOf: StorageUnavailable, code: 'storage_unavailable' };

const tooManyFiles = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });

const storeFault = () => new ObjectStoreError('storage_fault', 'an object', tooManyFiles);

const ledgerFault = () => new LedgerError('store_unreadable', 'journal', tooManyFiles);

/** Fails the reads of `target` as long as `left` is above 0; everything else goes through. */
function faulty<Target extends object>(
  target: Target,
  reads: readonly string[],
  fault: () => Error,
  left: () => number,
) {
  const state = { tries: 0 };
  const made = new Proxy(target, {
    get: (_, key) => {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (!reads.includes(String(key))) return member.apply(target, args);
        state.tries += 1;
        if (state.tries <= left()) return key === 'get' ? refuse(fault()) : Promise.reject(fault());
        return member.apply(target, args);
      };
    },
  });
  return { made, state };
}

function refuse(error: Error): never {
  throw error;
}

const storeReads = ['verify', 'verifyFile', 'openFile', 'read', 'readFile'];

/** A clock whose waits are over at once. */
const hasty = { ...systemClock, setTimeout: (run: () => void) => setImmediate(run) };

const faultyStore = (objectStore: ObjectStore, left: () => number) => faulty(objectStore, storeReads, storeFault, left);

const faultyLedger = (ledger: Ledger, left: () => number) =>
  faulty(ledger, ['get', 'verifyJournal', 'journalPage'], ledgerFault, left);

test('a read that the system refuses is tried four times, and is no damage then', async (t) => {
  const opened = await newStore(t);
  await store(opened, study);
  const [contentId = ''] = study.files.keys();
  const three = faultyStore(opened.objectStore, () => 3);
  t.is(await patientObjectStore(three.made, hasty).verify(contentId), 'intact');
  t.is(three.state.tries, 4);
  const four = faultyStore(opened.objectStore, () => 4);
  const error = await t.throwsAsync(patientObjectStore(four.made, hasty).read(contentId, 1_000_000), unavailable);
  t.is(error?.message, 'the data root cannot be read just now (EMFILE)');
  t.deepEqual((error as StorageUnavailable).headers, {
    'Retry-After': '1',
    'Access-Control-Expose-Headers': 'Retry-After',
  });
  // Damage is told at once.
  const counted = faultyStore(opened.objectStore, () => 0);
  const missing = `sha256:${'0'.repeat(64)}`;
  await t.throwsAsync(patientObjectStore(counted.made, hasty).read(missing, 10), { code: 'object_missing' });
  t.is(counted.state.tries, 1);
});

test('records that cannot be written before a promise are a full volume, or unavailable', async (t) => {
  const refusing = (code: string) => ({
    putAll: () =>
      Promise.reject(new ObjectStoreError('storage_fault', 'an object', Object.assign(new Error(), { code }))),
  });
  await t.throwsAsync(storeBeforePromise(refusing('ENOSPC'), []), { code: 'insufficient_storage' });
  const error = await t.throwsAsync(storeBeforePromise(refusing('EIO'), []), unavailable);
  t.is(error?.message, 'the data root cannot be written just now (EIO)');
  const damaged = { putAll: () => Promise.reject(new ObjectStoreError('object_damaged', 'an object')) };
  await t.throwsAsync(storeBeforePromise(damaged, []), { code: 'object_damaged' });
});

test('a runtime whose files could not be read is unavailable, and served by the next request', async (t) => {
  const opened = await newStore(t);
  const runtimeId = await store(opened, study);
  let left = Number.POSITIVE_INFINITY;
  const objectStore = patientObjectStore(faultyStore(opened.objectStore, () => left).made, hasty);
  const ledgerLeft = { count: 0 };
  const ledger = patientLedger(faultyLedger(opened.ledger, () => ledgerLeft.count).made, hasty);
  const runtimes = new VerifiedRuntimes({ ledger, objectStore });
  await t.throwsAsync(runtimes.read(runtimeId), unavailable);
  left = 0;
  ledgerLeft.count = Number.POSITIVE_INFINITY;
  await t.throwsAsync(runtimes.read(runtimeId), unavailable);
  ledgerLeft.count = 0;
  t.true((await runtimes.read(runtimeId)).journalHead > 0);
});

test('a journal that could not be read once is not remembered as damaged', async (t) => {
  const opened = await newStore(t);
  const runtimeId = await store(opened, study);
  const { made } = faultyLedger(opened.ledger, () => 4);
  const health = new JournalHealth(patientLedger(made, hasty), () => false);
  const first = health.damage(runtimeId);
  const beside = health.damage(runtimeId);
  await t.throwsAsync(first, unavailable);
  await t.throwsAsync(beside, unavailable);
  t.is(await health.damage(runtimeId), null);
});

test('a step of a study whose evidence cannot be read just now is no damage of the study', async (t) => {
  const opened = await newStore(t);
  const runtimeId = await store(opened, study);
  for (const patient of [true, false]) {
    const { made } = faultyStore(opened.objectStore, () => Number.POSITIVE_INFINITY);
    const objectStore = patient ? patientObjectStore(made, hasty) : made;
    const stores = { ledger: opened.ledger, objectStore };
    const steps = new EvidenceSteps({ ...stores, runtimes: new VerifiedRuntimes(stores), clock: hasty });
    const expected = patient ? unavailable : { code: 'storage_fault' };
    await t.throwsAsync(steps.derive('assess', { runtimeId, commandId: study.run.record.commandId }), expected);
  }
});

test('an effect whose reads are refused runs again after a wait, unknown to its actor', async (t) => {
  const bench = await newBench(t);
  await bench.work('errand:a');
  await bench.settled();
  const commits = bench.ledger.commits.length;
  for (const waitMs of [1_000, 2_000, 4_000]) {
    bench.effects.at(-1)?.reject(new StorageUnavailable(storeFault()));
    await bench.settled();
    const runs = bench.effects.length;
    await bench.advance(waitMs - 1);
    t.is(bench.effects.length, runs);
    await bench.advance(1);
    t.is(bench.effects.length, runs + 1);
  }
  t.is(bench.ledger.commits.length, commits);
  t.deepEqual(bench.reports, []);
  await bench.finish(-1, { events: [], writes: [] });
  t.true(bench.ledger.commits.length > commits);
});

test('an effect that waits for the storage ends with its actor', async (t) => {
  const bench = await newBench(t);
  await bench.work('errand:a');
  await bench.settled();
  const before = bench.clock.pending;
  bench.effects[0]?.reject(new StorageUnavailable(storeFault()));
  await bench.settled();
  t.is(bench.clock.pending, before + 1);
  await bench.close();
  await bench.settled();
  t.true(bench.clock.pending <= before);
  t.is(bench.effects.length, 1);
});
