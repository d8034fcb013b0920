import test, { type ExecutionContext } from 'ava';
import { Erasure, ReachedObjects } from '../../../actors/deletion/erasure.ts';
import { Garbage } from '../../../actors/deletion/garbage.ts';
import { LiveProgress } from '../../../actors/reopening/live-progress.ts';
import { ReadObjects } from '../../../actors/reopening/read-objects.ts';
import { studyKey } from '../../../actors/reopening/study-row.ts';
import { type ScreenTexts, type ScreenTextWork, screenTextSteps } from '../../../actors/screentext/screen-texts.ts';
import { SourceRegistry } from '../../../actors/sources/source-registry.ts';
import { UnusedMedia } from '../../../actors/sources/unused-media.ts';
import { FinishedOperations } from '../../../actors/study/calibration.ts';
import { KeptWindows } from '../../../actors/study/kept-windows.ts';
import type { MediaOperations } from '../../../actors/study/media-operations.ts';
import { MediaSteps } from '../../../actors/study/media-steps.ts';
import { studyDefinition } from '../../../actors/study/study-definition.ts';
import { mostObservations, type WorkCohort } from '../../../contract/study/forecast.ts';
import { windowEnds } from '../../../executors/evidence/detect.ts';
import { ProcessFailure } from '../../../executors/process/process.ts';
import { contentIdOfBytes } from '../../../formats/canonical-json.ts';
import { cancellationFault, deadlineFault, type StudyInput } from '../../../machines/study-types.ts';
import { mediaRequestOf } from '../../../receipts/evidence/media-operation.ts';
import { erasingPrefix } from '../../../storage/backup/named-objects.ts';
import { restMs } from '../../../storage/objects/object-files.ts';
import { ffmpeg } from '../../receipts/evidence/stored-detections.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { acceptedAt } from '../../receipts/sources/korean-clip.ts';
import { openScratchLedger, scratchFolder } from '../../storage/ledger/scratch.ts';
import { newStore, store } from '../reopening/stored-studies.ts';
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
  // What was stored counts as stored long ago.
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
  const erasure = new Erasure({ ledger, objectStore, reached, isSource, isHeld, clock, report });
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
    ...{ ledger, objectStore, registry, operations, windows, clock, report },
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
    ...{ objectStore, reached, erasure, unused, isSource, clock },
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

test('bug: a study that ended did not wait for its pass where an earlier pass had been cut', async (t) => {
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

test('bug: the windows of a cancelled study went, although another range went on from them', async (t) => {
  const { ledger, media, running, cut, afterRest, windowRows } = await underWay(t);
  const other = shorter.run.record.runtimeId;
  await ledger.commit([{ put: 'live', key: other, value: { kind: 'runtime' } }]);
  cut.open();
  await running;
  await media.ended(runtimeId, { isTimeUp: false });
  t.is(await windowRows(), 1);
  t.is(await afterRest(), 'intact');
});

test('bug: the windows of a cancelled study stayed where a live one had the result already', async (t) => {
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

/** Whether a study that ended so leaves its windows to another attempt. */
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

test('bug: a collection of garbage took away what a slow pass had stored, and the pass failed', async (t) => {
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

test('a row that cannot be read is no operation', async (t) => {
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  t.teardown(() => ledger.close());
  const finished = new FinishedOperations(ledger);
  await ledger.commit([await finished.noted(cohort, timed(1)), await finished.noted(cohort, timed(2))]);
  const [row] = await ledger.list('observation');
  await ledger.commit([{ put: 'observation', key: row?.key ?? '', value: { what: 'else' } }]);
  t.deepEqual(await finished.of(cohort), [timed(2)]);
});

const read = storedStudy({ version: 1, windows: 4 });

const { runtimeId: readId, commandId } = read.run.record;

test('bug: how far a cancelled or failed reading of the screen had come stayed in memory', async (t) => {
  const opened = await newStore(t);
  const { ledger, objectStore } = opened;
  await store(opened, read, { commits: 1, lifecycle: 'running' });
  const ids = { ...read.start.ids, screenTextGrantId: 'grant:screen' };
  await ledger.commit([{ put: 'record', key: studyKey(readId), value: { ...read.start, ids } }]);
  const registry = new SourceRegistry();
  await registry.load(ledger);
  const measured = new Set<string>();
  const cancel = new AbortController();
  const screenTexts = {
    producer: () => ({ id: 'studio.screen-text', version: '2', engine: 'tesseract', tools: [ffmpeg], parameters: {} }),
    find: async ({ read }: ScreenTextWork) => {
      read(0);
      throw new ProcessFailure('aborted', 'was stopped');
    },
  };
  const steps = screenTextSteps({
    ...{ ledger, objectStore, registry },
    content: new ReadObjects(objectStore, () => undefined),
    screenTexts: screenTexts as unknown as ScreenTexts,
    progress: new LiveProgress(ledger),
    board: { note: (id) => void measured.add(id), forget: (id) => void measured.delete(id) },
    moved: () => undefined,
    report: (line) => t.fail(line),
  });
  const { events } = await steps.perform({ runtimeId: readId, commandId }, cancel.signal);
  t.is(events.at(-1)?.type, 'screen.text_failed');
  t.is(measured.size, 0);

  cancel.abort(new Error('the study was cancelled'));
  await t.throwsAsync(steps.perform({ runtimeId: readId, commandId }, cancel.signal), {
    message: 'the study was cancelled',
  });
  t.is(measured.size, 0);
});
