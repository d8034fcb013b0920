import test, { type ExecutionContext } from 'ava';
import { noEngines } from '../../../actors/engines/engine-choices.ts';
import { LiveProgress } from '../../../actors/reopening/live-progress.ts';
import { ReadObjects } from '../../../actors/reopening/read-objects.ts';
import { VerifiedRuntimes } from '../../../actors/reopening/verified-runtimes.ts';
import { verifyRuntime } from '../../../actors/reopening/verify-runtime.ts';
import { SourceRegistry, SourceUses } from '../../../actors/sources/source-registry.ts';
import { absentStep } from '../../../actors/study/granted-steps.ts';
import { KeptWindows } from '../../../actors/study/kept-windows.ts';
import { LocalOperations } from '../../../actors/study/media-operations.ts';
import { MediaSteps } from '../../../actors/study/media-steps.ts';
import { StudyService } from '../../../actors/study/studies.ts';
import { EvidenceSteps, studyDefinition } from '../../../actors/study/study-definition.ts';
import type { ActorDefinition } from '../../../actors/supervision/actor-definition.ts';
import { ProgressBoard } from '../../../actors/supervision/progress-board.ts';
import { recover } from '../../../actors/supervision/recovery.ts';
import { WorkQueue } from '../../../actors/supervision/work-queue.ts';
import type { JournalEvent } from '../../../contract/journal.ts';
import { statesOf, unchanged } from '../../../machines/migrations.ts';
import { studyMachine, studyMachineVersion } from '../../../machines/study.ts';
import { recognition } from '../../../receipts/stages/recognize.ts';
import { screenReading } from '../../../receipts/stages/screen.ts';
import { rowKey } from '../../../storage/ledger/keys.ts';
import type { Ledger } from '../../../storage/ledger/ledger.ts';
import { dataRootAt } from '../../../storage/objects/data-root.ts';
import type { ObjectStore } from '../../../storage/objects/object-store.ts';
import { clipRange } from '../../receipts/evidence/stored-detections.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { acceptedAt, clipRequest } from '../../receipts/sources/korean-clip.ts';
import { withRawRows } from '../../storage/ledger/scratch.ts';
import { openCaptionBench } from '../captions/caption-bench.ts';
import { otherTools } from '../study/other-tools.ts';
import { openSupervisor } from '../supervision/bench.ts';
import { SimulatedClock } from '../supervision/simulated-clock.ts';
import {
  type Scene as ChangedScene,
  type CutStage,
  cutAtStoring,
  type StageBench,
  testChangedRows,
} from './changed-rows.ts';
import { newDataRoot, openStore, store } from './stored-studies.ts';

type Scene = ChangedScene<StageBench>;

const approved = ({ bench, runtimeId: id }: Scene) => bench.approve(id);

const checked = ['artifact.recorded', 'caption.quality_control_decided'];

const made = ['artifact.recorded', 'artifact.recorded'];

async function approvalOf({ bench, runtimeId }: Scene) {
  const [review] = (await bench.reviews.reviews(runtimeId)).reviews;
  if (review === undefined) throw new Error('nothing was decided');
  const { reviewId, artifactId, receiptId, receiptContentId } = review;
  return { reviewId, artifactId, receiptId, receiptContentId };
}

async function check({ bench, runtimeId }: Scene) {
  const [caption] = (await bench.reads.productions(runtimeId)).captions;
  if (caption === undefined) throw new Error('there are no captions');
  const { jobId, captionArtifactId, captionContentId, receiptId, receiptContentId } = caption;
  const receipt = { captionReceiptId: receiptId, captionReceiptContentId: receiptContentId };
  await bench.captions.check(runtimeId, { candidate: { jobId, captionArtifactId, captionContentId, ...receipt } });
}

const produce = async (scene: Scene) =>
  scene.bench.captions.produce(scene.runtimeId, { approval: await approvalOf(scene) });

const cases: Readonly<Record<string, CutStage<StageBench>>> = {
  'captions that are being made': {
    leave: async (scene) => {
      const approval = await approved(scene);
      await cutAtStoring(scene, 1, () => scene.bench.captions.produce(scene.runtimeId, { approval }));
    },
    row: 'caption-production',
    said: ['caption.production_failed'],
    again: produce,
    saidAgain: ['caption.production_started', ...made, 'caption.production_completed', ...checked],
  },
  'captions that are being checked': {
    leave: async (scene) => {
      const approval = await approved(scene);
      await cutAtStoring(scene, 2, () => scene.bench.captions.produce(scene.runtimeId, { approval }));
    },
    row: 'caption-production',
    said: [],
    again: check,
    saidAgain: checked,
  },
  'captions without a check, at rest': {
    leave: async (scene) => {
      const approval = await approved(scene);
      let stored = 0;
      scene.bench.hook.storing = () => {
        stored += 1;
        if (stored === 2) throw new Error('the disk is full');
      };
      await scene.bench.captions.produce(scene.runtimeId, { approval });
    },
    row: 'caption-production',
    said: [],
    again: check,
    saidAgain: checked,
  },
};

async function openBench(t: ExecutionContext, root: string): Promise<StageBench> {
  const bench = await openCaptionBench(t, root);
  const said = async (id: string, after: number): Promise<string[]> => {
    const { events } = await bench.store.ledger.journalPage(id, after, 100);
    return events.map((bytes) => (JSON.parse(Buffer.from(bytes).toString('utf8')) as JournalEvent).type);
  };
  return { ...bench, said };
}

for (const [what, stage] of Object.entries(cases)) testChangedRows(what, stage, openBench);

const runningStudy = storedStudy({ version: 1, windows: 4 });

const { runtimeId } = runningStudy.run.record;

/** The steps of engines that this host was not started for. */
const enginesOf = (ledger: Ledger, objectStore: ObjectStore, registry: SourceRegistry, progress: LiveProgress) => {
  const content = () => new ReadObjects(objectStore, () => undefined);
  const nothing = () => undefined;
  const budgets = { pause: nothing, resume: nothing };
  const board = { note: nothing, forget: nothing };
  const steps = { ledger, objectStore, registry, progress, content, report: nothing, moved: nothing, budgets, board };
  return {
    recognize: absentStep(steps, recognition),
    readScreen: absentStep(steps, screenReading),
  };
};

/** A host that takes up what is stored in a data root, and nothing but runtimes. */
async function nextHost(t: ExecutionContext, root: string, changes: Partial<ActorDefinition<'runtime'>> = {}) {
  const { ledger: stored, objectStore } = await openStore(root);
  const report = () => undefined;
  const opened = openSupervisor(t, stored, new SimulatedClock(Date.parse(acceptedAt) + 60_000), { report });
  const { ledger, supervisor, clock, budgets, close } = opened;
  const registry = new SourceRegistry();
  await registry.load(ledger);
  const windows = new KeptWindows(ledger, objectStore, report);
  const progress = new LiveProgress(ledger);
  const runtimes = new VerifiedRuntimes({ ledger, objectStore });
  const usual = studyDefinition({
    ledger,
    supervisor,
    budgets,
    queue: new WorkQueue(1, () => undefined),
    clock,
    initialize: () => Promise.reject(new Error('not asked for')),
    media: new MediaSteps({
      ledger,
      objectStore,
      registry,
      content: () => runtimes.content(),
      passes: otherTools,
      operations: new LocalOperations(objectStore, otherTools, windows),
      windows,
      progress,
      report,
      clock,
      calibration: { noted: async () => ({ put: 'observation', key: 'cohort/00', value: {} }) },
      waits: () => undefined,
      moved: () => undefined,
      abandoned: async () => undefined,
      board: new ProgressBoard({ clock, elapsed: clock.elapsed, report }),
    }),
    granted: enginesOf(ledger, objectStore, registry, progress),
    evidence: new EvidenceSteps({ ledger, objectStore, runtimes, clock }),
    progress,
    committed: () => undefined,
  });
  const definition = { ...usual, ...changes };
  supervisor.register(definition);
  const recovered = await recover(supervisor, ledger);
  const studies = new StudyService({
    definition,
    supervisor,
    registry,
    runtimes,
    ledger,
    objectStore,
    clock,
    sourceUses: new SourceUses(),
    newId: () => {
      throw new Error('nothing begins here');
    },
    optional: [],
    engines: { choices: noEngines },
    maximumRangeMs: () => 600_000,
    maximumLive: () => 1,
  });
  /** Waits until the study has ended. */
  const ended = async (): Promise<void> => {
    while (supervisor.isLive(runtimeId)) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  return { ledger, supervisor, studies, recovered, ended, close };
}

interface Stage {
  /** How many commits of the study are on disk. */
  readonly commits: number;
  readonly state: unknown;
  readonly said: readonly string[];
}

const end = ['runtime.interrupted', 'executor.finished', 'task.transitioned'];

const stages: Readonly<Record<string, Stage>> = {
  accepted: { commits: 0, state: 'accepted', said: [] },
  initializing: { commits: 0, state: 'initializing', said: [] },
  'running.detect': { commits: 1, state: { running: 'detect' }, said: ['media.operation_failed', ...end] },
  'running.subtitles': { commits: 2, state: { running: 'subtitles' }, said: ['media.operation_failed', ...end] },
  'running.read': { commits: 3, state: { running: 'read' }, said: end },
  'running.assess': { commits: 4, state: { running: 'assess' }, said: end },
  'running.decide': { commits: 5, state: { running: 'decide' }, said: end },
  'running.admit': { commits: 6, state: { running: 'admit' }, said: end },
};

/** Stores the study as a host left it that was killed at this stage. */
async function leftAt(
  t: ExecutionContext,
  { commits, state }: Stage,
  changes: object,
  value = state,
  children = {},
): Promise<string> {
  const root = await newDataRoot(t);
  const opened = await openStore(root);
  await store(opened, runningStudy, { commits, lifecycle: 'running' });
  const row = opened.ledger.get('snapshot', runtimeId) as { snapshot: object };
  const status = typeof state === 'string' ? state : 'running';
  const left = { ...row, status, ...changes, snapshot: { ...row.snapshot, status: 'active', value, children } };
  await opened.ledger.commit([
    { put: 'snapshot', key: runtimeId, value: left },
    { put: 'live', key: runtimeId, value: { kind: 'runtime' } },
  ]);
  await opened.close();
  return root;
}

/** The events after the stage, by type; every list of the runtime reads, and all of it verifies. */
async function saidAfter(t: ExecutionContext, root: string, { commits }: Stage): Promise<string[]> {
  const opened = await openStore(root);
  const { events } = await opened.ledger.journalPage(
    runtimeId,
    runningStudy.commits.slice(0, commits).flat().length,
    100,
  );
  await t.notThrowsAsync(new VerifiedRuntimes(opened).read(runtimeId));
  await t.notThrowsAsync(verifyRuntime(opened, runtimeId, () => undefined));
  await opened.close();
  return events.map((bytes) => (JSON.parse(Buffer.from(bytes).toString('utf8')) as JournalEvent).type);
}

for (const [name, stage] of Object.entries(stages)) {
  const lost = typeof stage.state === 'string' ? 'elsewhere' : { running: 'elsewhere' };
  const rows: Readonly<Record<string, readonly [object, unknown]>> = {
    'of an older chart': [{ machineVersion: 0 }, stage.state],
    'of a newer chart': [{ machineVersion: studyMachineVersion + 1 }, lost],
    'in an unknown state': [{}, lost],
  };
  for (const [how, [changes, value]] of Object.entries(rows)) {
    test(`a runtime in ${name}, ${how}, ends in accord with its journal`, async (t) => {
      const root = await leftAt(t, stage, changes, value);
      const host = await nextHost(t, root);
      t.is(host.recovered.ended.length, 1);
      t.is(host.supervisor.read(runtimeId)?.status, 'interrupted');
      await host.close();
      t.deepEqual(await saidAfter(t, root, stage), stage.said);
    });
  }
}

const input = { runtimeId, commandId: runningStudy.run.record.commandId };

for (const step of ['detect', 'subtitles']) {
  const name = `running.${step}`;
  const stage = stages[name] as Stage;
  const children = { [step]: { snapshot: { status: 'active', input }, src: step, syncSnapshot: false } };
  test(`a runtime in ${name} whose host comes back with other tools measures again`, async (t) => {
    const root = await leftAt(t, stage, {}, stage.state, children);
    const host = await nextHost(t, root);
    t.is(host.recovered.resumed, 1);
    await host.ended();
    t.is(host.supervisor.read(runtimeId)?.status, 'terminal');
    await host.close();
    const said = await saidAfter(t, root, stage);
    const anew = ['media.operation_failed', 'media.operation_started', 'media.operation_completed'];
    t.deepEqual(said.slice(0, 3), anew);
    t.is(said.at(-1), 'task.transitioned');
  });
}

const entries = Object.fromEntries(statesOf(studyMachine).map((state) => [state, unchanged]));

const laterChart = {
  version: studyMachineVersion + 2,
  migrations: { [studyMachineVersion]: entries, [studyMachineVersion + 1]: entries },
};

for (const step of ['detect', 'subtitles', 'read', 'assess', 'decide', 'admit']) {
  const name = `running.${step}`;
  const stage = stages[name] as Stage;
  test(`a runtime in ${name}, of a chart with migrations, ends with the usual events`, async (t) => {
    const children = { [step]: { snapshot: { status: 'active', input }, src: step, syncSnapshot: false } };
    const lives = [
      { root: await leftAt(t, stage, {}, stage.state, children), changes: {} },
      // The migrations alone determine the next step.
      { root: await leftAt(t, stage, {}, stage.state), changes: laterChart },
    ];
    const said: string[][] = [];
    for (const { root, changes } of lives) {
      const host = await nextHost(t, root, changes);
      t.deepEqual(host.recovered, { resumed: 1, waiting: 0, ended: [], damaged: [], unserved: [] });
      await host.ended();
      t.like(host.supervisor.read(runtimeId), { status: 'terminal', totalResumes: 1 });
      await host.close();
      said.push(await saidAfter(t, root, stage));
    }
    t.is(said[0]?.at(-1), 'task.transitioned');
    t.deepEqual(said[1], said[0]);
  });
}

test('a runtime that version 1 of its chart left in a part of the detection ends as any other', async (t) => {
  const stage = stages['running.detect'] as Stage;
  const parts = { speech: 'measuring', silence: 'measuring', loudness: 'measuring', shots: 'measuring' };
  const children = { detect: { snapshot: { status: 'active', input }, src: 'detect', syncSnapshot: false } };
  const root = await leftAt(t, stage, { machineVersion: 1 }, { running: { detect: parts } }, children);
  const host = await nextHost(t, root);
  t.deepEqual(host.recovered, { resumed: 1, waiting: 0, ended: [], damaged: [], unserved: [] });
  await host.ended();
  t.like(host.supervisor.read(runtimeId), { status: 'terminal', machineVersion: studyMachineVersion });
  await host.close();
  t.is((await saidAfter(t, root, stage)).at(-1), 'task.transitioned');
});

test('a stored result of a pass that cannot be read is measured again, and replaced', async (t) => {
  const stage = stages['running.detect'] as Stage;
  const children = { detect: { snapshot: { status: 'active', input }, src: 'detect', syncSnapshot: false } };
  const roots = await Promise.all([1, 2].map(() => leftAt(t, stage, {}, stage.state, children)));
  const resultsOf = async (root: string) => {
    const host = await nextHost(t, root);
    await host.ended();
    t.is(host.supervisor.read(runtimeId)?.status, 'terminal');
    const results = await host.ledger.list('operation');
    await host.close();
    return results;
  };
  const [whole = '', damaged = ''] = roots;
  const results = await resultsOf(whole);
  t.true(results.length > 0);
  await withRawRows(dataRootAt(damaged).ledger, async (rows) => {
    for (const { key } of results) await rows.put(rowKey('operation', key), Buffer.from('no row'));
  });
  t.deepEqual(await resultsOf(damaged), results);
});

test('a start that meets a failed study explains how to request another attempt', async (t) => {
  const { sessionId: sourceSessionId, revisionId: sourceRevisionId } = runningStudy.source.session;
  const root = await leftAt(t, stages['running.read'] as Stage, { machineVersion: 0 });
  const host = await nextHost(t, root);
  const ack = await host.studies.start({ ...clipRequest, sourceSessionId, sourceRevisionId, range: clipRange });
  const { bytes } = await host.studies.status(runtimeId);
  const status = JSON.parse(bytes.toString('utf8'));
  const hint = '; this attempt is over: for another one send the request with a new clientRequestId';
  t.is(status.reason.message, 'version 0 of runtime can no longer be resumed');
  t.deepEqual(
    { ...ack },
    {
      ...status,
      schema: 'studio.local-runtime-start-ack.v1',
      reason: { ...status.reason, message: status.reason.message + hint },
    },
  );
  await host.close();
});
