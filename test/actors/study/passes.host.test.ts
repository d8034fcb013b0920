import test, { type ExecutionContext } from 'ava';
import { Erasure, ReachedObjects } from '../../../actors/deletion/erasure.ts';
import { Garbage } from '../../../actors/deletion/garbage.ts';
import { LiveProgress } from '../../../actors/reopening/live-progress.ts';
import { ReadObjects } from '../../../actors/reopening/read-objects.ts';
import { studyKey } from '../../../actors/reopening/study-row.ts';
import { VerifiedRuntimes } from '../../../actors/reopening/verified-runtimes.ts';
import { SourceRegistry } from '../../../actors/sources/source-registry.ts';
import { UnusedMedia } from '../../../actors/sources/unused-media.ts';
import { FinishedOperations } from '../../../actors/study/calibration.ts';
import { KeptParts, KeptWindows } from '../../../actors/study/kept-windows.ts';
import { ListedRuntimes } from '../../../actors/study/listed-runtimes.ts';
import type { MediaOperations } from '../../../actors/study/media-operations.ts';
import { MediaSteps } from '../../../actors/study/media-steps.ts';
import { JournalHealth, StudyService } from '../../../actors/study/studies.ts';
import { EvidenceSteps, studyDefinition } from '../../../actors/study/study-definition.ts';
import { newestFirst } from '../../../actors/supervision/reads.ts';
import { storeBeforePromise } from '../../../actors/supervision/refused-write.ts';
import { systemClock } from '../../../actors/supervision/system-clock.ts';
import { ServiceError, StorageUnavailable } from '../../../contract/base/errors.ts';
import { type ReadPicture, readPictures } from '../../../contract/screentext.ts';
import { mostObservations, type WorkCohort } from '../../../contract/study/forecast.ts';
import { windowEnds } from '../../../executors/evidence/detect.ts';
import { ProcessFailure } from '../../../executors/process/process.ts';
import { contentIdOfBytes } from '../../../formats/canonical-json.ts';
import { cancellationFault, deadlineFault, type StudyInput } from '../../../machines/study-types.ts';
import { mediaRequestOf } from '../../../receipts/evidence/media-operation.ts';
import { erasingPrefix } from '../../../storage/backup/named-objects.ts';
import { indexKey } from '../../../storage/ledger/keys.ts';
import { type Ledger, LedgerError } from '../../../storage/ledger/ledger.ts';
import { restMs } from '../../../storage/objects/object-files.ts';
import type { ObjectStore } from '../../../storage/objects/object-store.ts';
import { ObjectStoreError } from '../../../storage/objects/object-store-error.ts';
import { patientLedger, patientObjectStore } from '../../../storage/patience.ts';
import { ffmpeg } from '../../receipts/evidence/stored-detections.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { acceptedAt } from '../../receipts/sources/korean-clip.ts';
import { openScratchLedger, scratchFolder } from '../../storage/ledger/scratch.ts';
import { openCaptionBench } from '../captions/caption-bench.ts';
import { newDataRoot, newStore, type StoredStage, store } from '../reopening/stored-studies.ts';
import { newBench } from '../supervision/bench.ts';
import { SimulatedClock } from '../supervision/simulated-clock.ts';
import { otherTools } from './other-tools.ts';

const one = storedStudy({ version: 1, windows: 4 });

/** The same range, and so the same pass. */
const another = storedStudy({ version: 1, windows: 4, attempt: 'another' });

/** Another range that begins at the same time: another pass, with the same first window. */
const shorter = storedStudy({ version: 1, windows: 4, asked: { range: { startMs: 0, endMs: 3_000 } } });

const { runtimeId } = one.run.record;

const input: StudyInput = { runtimeId, commandId: one.run.record.commandId };

const windowMs = 2_000;

const keyframe = { bytes: Buffer.from('a keyframe'), atMs: 1_000 };

const contentId = contentIdOfBytes(keyframe.bytes);

/** A promise that the test fulfils. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Studies of a pass, whose first window is kept as soon as it runs, and which then goes on until the test ends it. */
async function underWay(t: ExecutionContext) {
  const opened = await newStore(t);
  const { ledger } = opened;
  // Everything stored counts as stored long ago.
  const objectStore = Object.assign(opened.objectStore, { isRecent: () => false });
  for (const study of [one, another, shorter]) await store(opened, study, { commits: 1, lifecycle: 'running' });
  const clock = new SimulatedClock(Date.parse(acceptedAt));
  const registry = new SourceRegistry();
  await registry.load(ledger);
  const report = (line: string) => t.fail(line);
  const reached = new ReachedObjects({ ledger, objectStore });
  const isSource = () => true;
  const unused = new UnusedMedia({ ledger, objectStore, isRegistered: () => true, report });
  const isHeld = (id: string) => unused.isHeld(id);
  const erasure = new Erasure({
    ledger,
    objectStore,
    reached,
    isSource,
    isHeld,
    dropCopies: async () => undefined,
    clock,
    report,
  });
  t.teardown(() => erasure.stop());
  const windows = new KeptWindows(ledger, objectStore, report);
  const [first, second] = [
    { kept: gate(), cut: gate() },
    { kept: gate(), cut: gate() },
  ];
  const runs = [first, second].values();
  const operations: MediaOperations = {
    run: async ({ request }, { stored }) => {
      const { kept, cut } = runs.next().value ?? second;
      stored(contentId);
      await objectStore.put(keyframe.bytes);
      const named = [{ contentId, bytes: keyframe.bytes.length }];
      await windows.of(request, windowMs, kept.open).keep({ endMs: windowMs, state: Buffer.from('state'), named });
      await cut.opened;
      throw new Error('the pass was cut');
    },
  };
  const media = new MediaSteps({
    ledger,
    objectStore,
    registry,
    operations,
    windows,
    clock,
    report,
    content: () => new ReadObjects(objectStore, () => undefined),
    passes: { identity: otherTools.identity, windowEndsOf: ({ range }) => windowEnds(range, windowMs) },
    progress: new LiveProgress(ledger),
    calibration: null,
    board: { note: () => undefined, forget: () => undefined },
    waits: () => undefined,
    moved: () => undefined,
    abandoned: (id, contentIds) => erasure.abandon(id, contentIds),
  });
  unused.heldBy((id) => media.isHeld(id));
  const garbage = new Garbage({
    objectStore,
    reached,
    erasure,
    unused,
    isSource,
    clock,
    isInUse: () => false,
    openParts: async () => new Set(),
    figures: { collected: () => undefined },
  });
  const detect = () => media.detect(input, new AbortController().signal).catch(() => undefined);
  const running = detect();
  await first.kept.opened;
  const afterRest = async () => {
    clock.advance(restMs + 1);
    await erasure.settled();
    return objectStore.verify(contentId);
  };
  const windowRows = async () => (await ledger.list('operation')).length;
  return { ledger, objectStore, media, garbage, detect, running, cut: first.cut, second, afterRest, windowRows };
}

test('bug: a study deleted right after its cancel kept the windows of its pass for ever', async (t) => {
  const { ledger, media, running, cut, afterRest, windowRows } = await underWay(t);
  t.is(await windowRows(), 1);
  const ending = media.ended(runtimeId, { isTimeUp: false });
  // A client deletes the study while its pass is being cut.
  await ledger.commit([
    { del: 'record', key: studyKey(runtimeId) },
    { del: 'snapshot', key: runtimeId },
    { close: runtimeId },
  ]);
  cut.open();
  await Promise.all([running, ending]);
  t.is(await windowRows(), 0);
  t.is(await afterRest(), 'missing');
  t.deepEqual(await ledger.list('record', erasingPrefix), []);
});

test('bug: a study that ended while a host started took the windows of another one away', async (t) => {
  const { ledger, media, running, cut, afterRest, windowRows } = await underWay(t);
  const other = another.run.record.runtimeId;
  // No actor has been taken up yet: only the index names it.
  await ledger.commit([{ put: 'live', key: other, value: { kind: 'runtime' } }]);
  cut.open();
  await running;
  await media.ended(runtimeId, { isTimeUp: false });
  t.is(await windowRows(), 1);
  t.is(await afterRest(), 'intact');

  await ledger.commit([{ del: 'live', key: other }]);
  await media.ended(other, { isTimeUp: false });
  t.is(await windowRows(), 0);
});

test('bug: a study that ended did not wait for its pass if an earlier pass had been cut', async (t) => {
  const { media, detect, running, cut, second } = await underWay(t);
  const again = detect();
  await second.kept.opened;
  cut.open();
  await running;
  const ending = media.ended(runtimeId, { isTimeUp: true });
  // Without a pass to wait for it lets go of everything before any other work gets a turn.
  await new Promise((resolve) => setImmediate(resolve));
  t.true(media.isHeld(contentId));
  second.cut.open();
  await Promise.all([again, ending]);
  t.false(media.isHeld(contentId));
});

test('bug: the windows of a canceled study went, although another range went on from them', async (t) => {
  const { ledger, media, running, cut, afterRest, windowRows } = await underWay(t);
  const other = shorter.run.record.runtimeId;
  await ledger.commit([{ put: 'live', key: other, value: { kind: 'runtime' } }]);
  cut.open();
  await running;
  await media.ended(runtimeId, { isTimeUp: false });
  t.is(await windowRows(), 1);
  t.is(await afterRest(), 'intact');
});

test('bug: the windows of a canceled study stayed if a live one had the result already', async (t) => {
  const { ledger, media, running, cut, afterRest, windowRows } = await underWay(t);
  const other = another.run.record;
  const { operationKey } = mediaRequestOf(another.start, media.operation(another.start, 'detect'));
  await ledger.commit([
    { put: 'live', key: other.runtimeId, value: { kind: 'runtime' } },
    { put: 'operation', key: operationKey, value: { evidence: [], derivedAudio: null } },
  ]);
  cut.open();
  await running;
  await media.ended(runtimeId, { isTimeUp: false });
  t.is(await windowRows(), 1, 'the result alone');
  t.is(await afterRest(), 'missing');
});

/** True if a study that ended like this leaves its windows to another attempt. */
function leavesWindows(machineValue: string, message: string): boolean {
  const said: boolean[] = [];
  const media = { ended: async (_: string, { isTimeUp }: { isTimeUp: boolean }) => void said.push(isTimeUp) };
  const definition = studyDefinition({
    media,
    supervisor: { clock: new SimulatedClock(0) },
    progress: { forget: () => undefined },
    committed: () => undefined,
  } as never);
  const context = { ...input, reason: { code: 'executor_failed', message } };
  definition.committed(runtimeId, { snapshot: { value: machineValue, context } } as never);
  return said[0] ?? false;
}

test('bug: a study whose tool ran into a limit of its own left its windows', (t) => {
  t.true(leavesWindows('failed', deadlineFault.message));
  t.false(leavesWindows('failed', new ProcessFailure('deadline', 'ran longer than 1344000 ms').message));
  t.false(leavesWindows('interrupted', cancellationFault.message));
});

test('the windows of a study whose time was up stay for another attempt', async (t) => {
  const { media, running, cut, afterRest, windowRows } = await underWay(t);
  cut.open();
  await running;
  await media.ended(runtimeId, { isTimeUp: true });
  t.is(await windowRows(), 1);
  t.is(await afterRest(), 'intact');
});

test('bug: a garbage collection removed objects of a slow pass, and the pass failed', async (t) => {
  const { ledger, objectStore, media, garbage, running, cut } = await underWay(t);
  // As of a pass that is done at once: no window names what it has stored.
  for (const { key } of await ledger.list('operation')) await ledger.commit([{ del: 'operation', key }]);
  await garbage.collect(false);
  t.is(await objectStore.verify(contentId), 'intact');
  cut.open();
  await running;
  media.completed(runtimeId);
  await garbage.collect(false);
  t.is(await objectStore.verify(contentId), 'missing');
});

const cohort: WorkCohort = {
  capability: 'media.detect',
  detectors: 'a'.repeat(64),
  video: null,
  audioCodec: 'aac',
  subtitleCodecs: null,
};

const other: WorkCohort = { ...cohort, audioCodec: 'opus' };

const timed = (workMs: number) => ({ mediaMs: 1000, workMs });

test('a cohort keeps its newest operations, over the end of a host too, and each cohort its own', async (t) => {
  const folder = await scratchFolder(t);
  const first = await openScratchLedger(t, folder);
  const before = new FinishedOperations(first);
  for (let at = 0; at < 40; at += 1) await first.commit([await before.noted(cohort, timed(at))]);
  await first.commit([await before.noted(other, timed(7))]);
  await first.close();

  const ledger = await openScratchLedger(t, folder);
  t.teardown(() => ledger.close());
  const finished = new FinishedOperations(ledger);
  // Operations that end at the same time have rows of their own.
  const together = Array.from({ length: 40 }, (_, at) => finished.noted(cohort, timed(40 + at)));
  await ledger.commit(await Promise.all(together));
  t.deepEqual(
    await finished.of(cohort),
    Array.from({ length: mostObservations }, (_, at) => timed(79 - at)),
  );
  t.deepEqual(await finished.of(other), [timed(7)]);
  t.is((await ledger.list('observation')).length, mostObservations + 1);
});

test('a row that cannot be read is not an operation', async (t) => {
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  t.teardown(() => ledger.close());
  const finished = new FinishedOperations(ledger);
  await ledger.commit([await finished.noted(cohort, timed(1)), await finished.noted(cohort, timed(2))]);
  const [row] = await ledger.list('observation');
  await ledger.commit([{ put: 'observation', key: row?.key ?? '', value: { what: 'else' } }]);
  t.deepEqual(await finished.of(cohort), [timed(2)]);
});

const read = storedStudy({ version: 1, windows: 4 });

test('bug: studies that wanted the same part at once each paid for it', async (t) => {
  const { ledger } = await newStore(t);
  const parts = new KeptParts(ledger, { operation: 'screen.read.window', field: 'pictures', part: readPictures });
  const picture = { atMs: 0, untilMs: 0, clearMilli: 0, texts: [] };
  const makers: { resolve(made: ReadPicture[]): void; reject(fault: Error): void }[] = [];
  let kept = 0;
  const partFor = async ({ signal }: AbortController) =>
    parts.of(
      { sourceContentId: read.run.record.analysisRequest.sourceContentId, tools: [ffmpeg], parameters: {} },
      { startMs: 0, endMs: 20_000 },
      {
        make: () => new Promise((resolve, reject) => makers.push({ resolve, reject })),
        kept: () => {
          kept += 1;
        },
        signal,
      },
    );
  const madeBy = async (count: number) => {
    while (makers.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  const stopped = new AbortController();
  const first = partFor(new AbortController());
  const second = partFor(stopped);
  const third = partFor(new AbortController());
  await madeBy(1);
  // A study that stops waits no longer.
  stopped.abort(new Error('the study is over'));
  await t.throwsAsync(second, { message: 'the study is over' });
  t.is(makers.length, 1);
  // One whose server fails leaves the part to the next one.
  makers[0]?.reject(new Error('no answer'));
  await t.throwsAsync(first, { message: 'no answer' });
  await madeBy(2);
  const fourth = partFor(new AbortController());
  makers[1]?.resolve([picture]);
  t.deepEqual(await Promise.all([third, fourth]), [[picture], [picture]]);
  // Both studies have moved.
  t.deepEqual([makers.length, kept], [2, 2]);
});

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

test('a read that the system refuses is tried four times, and is not damage', async (t) => {
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
  // Damage is reported at once.
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

/** A service over stored studies. The next read of a journal waits for `next`. */
async function statusesAndPages(t: ExecutionContext, stage?: StoredStage) {
  const opened = await newStore(t);
  const runtimeId = await store(opened, study, stage);
  const other = await store(opened, another, stage);
  const reads = { pages: 0, statuses: 0, next: null as Promise<void> | null };
  const held = async (): Promise<void> => {
    const { next } = reads;
    reads.next = null;
    await next;
  };
  const ledger = Object.assign(Object.create(opened.ledger) as Ledger, {
    get: opened.ledger.get.bind(opened.ledger),
    journalHead: opened.ledger.journalHead.bind(opened.ledger),
    journalPage: async (...page: Parameters<Ledger['journalPage']>) => {
      reads.pages += 1;
      await held();
      return opened.ledger.journalPage(...page);
    },
    verifyJournal: async (id: string) => {
      await held();
      return opened.ledger.verifyJournal(id);
    },
  });
  const supervisor = {
    read: (id: string) => ledger.get('snapshot', id),
    isLive: () => {
      reads.statuses += 1;
      return false;
    },
  };
  const service = new StudyService({ ledger, supervisor } as unknown as ConstructorParameters<typeof StudyService>[0]);
  return { service, runtimeId, other, reads };
}

test('a status is made once until its runtime commits, and all who come together share it', async (t) => {
  const { service, runtimeId, other, reads } = await statusesAndPages(t);
  const [first, beside] = await Promise.all([service.status(runtimeId), service.status(runtimeId)]);
  t.is(first, beside);
  // Not a promise: it is given in the same turn.
  t.is(service.status(runtimeId), first);
  service.committed(other);
  t.is(service.status(runtimeId), first);
  service.committed(runtimeId);
  const next = await service.status(runtimeId);
  t.not(next, first);
  t.deepEqual(next, first);
  t.is(reads.statuses, 2);
});

test('a status that was made while its runtime committed goes to those who asked before, and is not kept', async (t) => {
  const { service, runtimeId } = await statusesAndPages(t);
  const before = service.status(runtimeId);
  service.committed(runtimeId);
  const after = await service.status(runtimeId);
  t.not(await before, after);
  t.is(service.status(runtimeId), after);
});

test('a status that could not be read is read again', async (t) => {
  const { service, runtimeId, reads } = await statusesAndPages(t);
  reads.next = Promise.reject(new Error('not now'));
  const asked = [service.status(runtimeId), service.status(runtimeId)];
  for (const each of asked) await t.throwsAsync(async () => each, { message: 'not now' });
  t.truthy((await service.status(runtimeId)).journalHead);
});

test('a page is given again, the same object, until its runtime commits', async (t) => {
  const { service, runtimeId, other, reads } = await statusesAndPages(t);
  const [page, beside] = await Promise.all([service.events(runtimeId, 0, 100), service.events(runtimeId, 0, 100)]);
  t.is(page, beside);
  t.is(service.events(runtimeId, 0, 100), page);
  t.not(await service.events(runtimeId, 0, 99), page);
  t.not(await service.events(other, 0, 100), page);
  service.committed(other);
  t.is(service.events(runtimeId, 0, 100), page);
  t.is(reads.pages, 3);
  service.committed(runtimeId);
  t.not(await service.events(runtimeId, 0, 100), page);
});

test('a page that was read while its runtime committed is never given again', async (t) => {
  const { service, runtimeId, reads } = await statusesAndPages(t);
  const { open, opened } = gate();
  reads.next = opened;
  const before = service.events(runtimeId, 0, 100);
  service.committed(runtimeId);
  const after = await service.events(runtimeId, 0, 100);
  open();
  t.not(await before, after);
  t.is(service.events(runtimeId, 0, 100), after);
});

test('an empty page of a runtime at work is not kept, and one that failed is read again', async (t) => {
  const { service, runtimeId, reads } = await statusesAndPages(t, { commits: 1, lifecycle: 'running' });
  const last = Number.parseInt((await service.status(runtimeId)).journalHead, 10);
  const empty = await service.events(runtimeId, last, 100);
  t.true(empty.mayGrow);
  t.not(await service.events(runtimeId, last, 100), empty);
  reads.next = Promise.reject(new Error('not now'));
  await t.throwsAsync(async () => service.events(runtimeId, 0, 100), { message: 'not now' });
  t.false((await service.events(runtimeId, 0, 100)).mayGrow);
});

test('a step whose evidence cannot be read just now does not damage the study', async (t) => {
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

test('a damaged row is named in its place, and harms no other row', async (t) => {
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
