import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { mediaPasses } from '../../../actors/study/media-passes.ts';
import { actorRow } from '../../../actors/supervision/actor-row.ts';
import { StudyHost } from '../../../client/study-host.ts';
import { version } from '../../../contract/base/program-version.ts';
import { type WorkOrder, type WorkTask, workOrder } from '../../../contract/workers.ts';
import { takeOrders } from '../../../features/workers/engine/bullmq-queue.ts';
import { OrderRefused } from '../../../features/workers/engine/order-queue.ts';
import { orderIdOf, parsedOutcome, taskKeyOf } from '../../../features/workers/order-identity.ts';
import { SharedObjects } from '../../../features/workers/shared-objects.ts';
import { SharedOutcomes, SharedWindows } from '../../../features/workers/shared-outcomes.ts';
import { OrderDuty, workerAbility } from '../../../features/workers/worker.ts';
import { readSampleGold, sampleMedia } from '../../../fixtures/sample/gold.ts';
import { contentIdOfBytes, storedBytes } from '../../../formats/canonical-json.ts';
import { openStore } from '../../actors/reopening/stored-studies.ts';
import { type DetectionBench, openDetectionBench } from '../../executors/evidence/detection-for-tests.ts';
import { copyAsLeft, openInProcess } from '../../host/host-in-process.ts';
import { GatedFfmpeg } from '../../http/gated-ffmpeg.ts';
import { ended, redisServer, spawned } from '../../redis-for-tests.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';
import { unusedPort } from '../../unused-port.ts';
import { withoutDownloader } from '../../without-downloader.ts';
import { program, QueuedHost } from './queued-host.ts';

// One after the other: a worker loses its order after a second of silence, which several hosts on two cores would cause.
const withRedis = redisServer === null ? test.skip : test.serial;

const evidenceOf = async (from: StudyHost, runtimeId: string) =>
  (await from.evidence(runtimeId)).evidence.map(({ kind, contentId }) => [kind, contentId]);

withRedis('a study waits, whatever becomes of the queue, and is then measured as on one machine', async (t) => {
  const queued = await QueuedHost.create(t);
  await queued.start(t, 'data');
  const runtimeId = await queued.begun(0);
  await queued.waitsToSay(t, runtimeId, /^waiting for the work queue: /);
  t.is((await queued.situation(runtimeId)).code, 'waiting_for_a_worker');
  t.is((await queued.client.progress(runtimeId)).stage, 'queued');
  const { deadlineLeftMs } = (await queued.client.overview(runtimeId)).study;

  await queued.redis.start();
  await queued.waitsToSay(t, runtimeId, /^waiting for a worker: none is connected/);
  // It has lost everything that it received.
  await queued.redis.stop();
  await queued.waitsToSay(t, runtimeId, /^waiting for the work queue: /);
  await queued.redis.start();
  await queued.waitsToSay(t, runtimeId, /^waiting for a worker: none is connected/);
  t.is((await queued.client.overview(runtimeId)).study.deadlineLeftMs, deadlineLeftMs, 'its time stands');

  await queued.worker();
  await queued.isOver(t, runtimeId);
  t.is(await queued.counted('taken'), 2);
  t.deepEqual(await readdir(join(queued.objectSource, 'inbox')), []);

  const alone = await openInProcess(t, join(queued.folder, 'alone'), {
    environment: { MEDIA_STUDY_FFMPEG: queued.ffmpeg.path },
  });
  const { listening: baseUrl = '', authorizationToken = '' } = alone.announced ?? {};
  const other = StudyHost.connect({ baseUrl, token: authorizationToken });
  const [sample] = await other.sources();
  if (sample === undefined) throw new Error('the host has no sample');
  const study = other.study(sample, { range: { startMs: 0, endMs: 1000 }, targetLanguage: 'en' });
  const same = await study.ended();
  t.is(same.runtimeId, runtimeId);
  t.deepEqual(await evidenceOf(queued.client, runtimeId), await evidenceOf(other, same.runtimeId));
  await alone.stop();
  await queued.endsIntact(t);
});

/** A host with workers, one of which measures a study and waits at the closed gate. */
async function measuring(t: ExecutionContext) {
  const queued = await QueuedHost.open(t, 1);
  await queued.ffmpeg.close();
  const before = await queued.ffmpeg.passes();
  const runtimeId = await queued.begun(1000);
  await queued.waitsToSay(t, runtimeId, /^studying: measuring/);
  // A worker that has an order looks first for what others delivered; only then does it start ffmpeg.
  await queued.until(t, 'a pass is at the gate', async () => (await queued.ffmpeg.passes()) > before);
  const [first] = queued.workers;
  if (first === undefined) throw new Error('there is a worker');
  return { queued, runtimeId, first };
}

withRedis('another worker takes over from one that is killed in the middle', async (t) => {
  const { queued, runtimeId, first } = await measuring(t);
  await first.kill();
  const second = await queued.worker();
  await queued.ffmpeg.open();
  await queued.isOver(t, runtimeId);
  t.is(second.completed, 2);
  t.is(await queued.counted('taken'), 2);
  await queued.endsIntact(t);
});

withRedis('a queue that is emptied while a worker works costs nothing', async (t) => {
  const { queued, runtimeId } = await measuring(t);
  await queued.redis.stop();
  await queued.waitsToSay(t, runtimeId, /^waiting for the work queue: /);
  await queued.redis.start();
  await queued.ffmpeg.open();
  await queued.isOver(t, runtimeId);
  t.is(await queued.counted('taken'), 2);
  await queued.endsIntact(t);
});

withRedis('of two workers that both finish, one is counted', async (t) => {
  const { queued, runtimeId, first: slow } = await measuring(t);
  slow.freeze();
  await queued.worker();
  await queued.ffmpeg.open();
  await queued.isOver(t, runtimeId);
  t.is(await queued.counted('taken'), 2);
  slow.wake();
  await queued.until(t, 'the slow worker finishes, too', () => slow.completed > 0);
  t.is(await queued.counted('taken'), 2);
  t.is(await queued.counted('refused'), 0);
  await queued.endsIntact(t);
});

withRedis('bug: a result without one kind of evidence was kept, and failed every study with its key', async (t) => {
  const queued = await QueuedHost.open(t, 1);
  await queued.isOver(t, await queued.begun(0));
  await queued.workers[0]?.stop();
  const outcomes = new SharedOutcomes(queued.objectSource);
  // More than one, if the worker lost its order on a busy machine and delivered it again.
  let damaged = 0;
  for (const id of await outcomes.orders()) {
    for (const { name, bytes } of await outcomes.of(id)) {
      const written = JSON.parse(String(bytes));
      if (written.outcome.result.derivedAudio === null) continue;
      written.outcome.result.evidence.pop();
      await writeFile(join(queued.objectSource, 'outcomes', id, name), JSON.stringify(written));
      damaged += 1;
    }
  }
  t.true(damaged > 0);
  await queued.host.stop();
  await queued.start(t, 'another');
  const runtimeId = await queued.begun(0);
  await queued.until(t, 'the result is refused', async () => (await queued.counted('refused')) === damaged);
  await queued.worker();
  await queued.isOver(t, runtimeId);
  t.is(await queued.counted('taken'), 2);
  await queued.endsIntact(t);
});

const nothing = `sha256:${'0'.repeat(64)}`;
const gone = { kind: 'silence', state: 'available', contentId: nothing, bytes: 7 };
/** The delivery of a worker that checks nothing, in place of the requested result. */
const lies: readonly object[] = [
  { tools: [{ name: 'ffmpeg', version: '0', digest: nothing }] },
  { version: '0.0.1' },
  { outcome: { state: 'completed', result: { evidence: [gone], derivedAudio: null } } },
];

/** A worker that delivers these outcomes, and then refuses. */
function liar(t: ExecutionContext, { redis, objectSource }: QueuedHost) {
  const outcomes = new SharedOutcomes(objectSource);
  const changes = [...lies];
  return takeOrders(redis.address, {
    name: 'liar',
    leaseMs: 1000,
    report: () => undefined,
    carryOut: async (data, { id: orderId }) => {
      const order = workOrder.parse(data);
      t.is(orderIdOf(order), orderId);
      const change = changes.shift();
      if (change === undefined) throw new OrderRefused('it is tired');
      const outcome = {
        schema: 'studio.work-outcome.v1',
        orderId,
        operationKey: order.operationKey,
        worker: 'liar',
        version: order.version,
        tools: order.tools,
        outcome: { state: 'completed', result: null },
        ...change,
      };
      await outcomes.add(orderId, storedBytes(outcome), Date.now());
    },
  });
}

withRedis('a worker with other tools is told to stand back, and the study says why', async (t) => {
  const queued = await QueuedHost.open(t);
  await mkdir(join(queued.folder, 'other'));
  const other = await queued.worker({ path: (await GatedFfmpeg.create(join(queued.folder, 'other'))).path });
  const runtimeId = await queued.begun(3000);
  const refused =
    /^waiting for a worker: \S+ refused: the order needs ffmpeg \S+ \(sha256:\w{12}\), and this worker has ffmpeg/;
  await queued.waitsToSay(t, runtimeId, refused);
  t.regex(other.stderr, /refused: the order needs ffmpeg/);
  await other.stop();
  t.is(other.completed, 0);

  const lying = liar(t, queued);
  await queued.waitsToSay(t, runtimeId, /liar refused: it is tired/);
  await lying.close();
  t.is(await queued.counted('refused'), 3);
  const reported = queued.host.reported().filter((line) => line.includes('was refused'));
  t.regex(reported[0] ?? '', /liar measured with other tools/);
  t.regex(reported[1] ?? '', /liar runs version 0\.0\.1/);
  t.regex(reported[2] ?? '', /object_missing/);
  t.is((await readdir(join(queued.objectSource, 'set-aside'))).length, 3);

  // Objects in the object source are verified, too.
  const objects = join(queued.objectSource, 'objects', 'sha256');
  const [shard = ''] = (await readdir(objects)).sort();
  const [object = ''] = await readdir(join(objects, shard));
  await writeFile(join(objects, shard, object), 'damaged');
  await queued.worker();
  await queued.isOver(t, runtimeId);
  await queued.endsIntact(t);
});

withRedis('a worker with the recogniser of the host recognises, and one without gives the sound back', async (t) => {
  const queued = await QueuedHost.create(t);
  await queued.redis.start();
  const model = join(queued.folder, 'ggml-base.bin');
  await writeFile(model, 'model');
  const recognizer = ['--semantic-recognizer', 'whisper-cli', '--semantic-recognizer-model', model];
  const flags = [...recognizer, '--allow-real-semantic-evidence'];
  const standIn = fileURLToPath(new URL('../../../fixtures/executables/whisper-cli-stand-in', import.meta.url));
  const environment = { MEDIA_STUDY_WHISPER_CLI: standIn };
  await queued.start(t, 'recognising', { flags, environment });
  await queued.worker();
  const runtimeId = await queued.begun(4000);
  await queued.waitsToSay(t, runtimeId, /refused: this worker does not do semantic\.recognize\.region/);
  const able = await queued.worker({ flags, environment });
  await queued.isOver(t, runtimeId);
  t.regex(able.stderr, /semantic\.recognize\.region completed/);
  const [transcript] = (await queued.client.evidence(runtimeId, 'transcript')).evidence;
  t.is(transcript?.tool?.name, 'whisper-cli');
  t.true((transcript?.facts ?? []).some(({ kind }) => kind === 'recognised_region'));
  await queued.endsIntact(t);
});

withRedis('a study waits while the queue is full; an outcome is taken though the queue notes nothing', async (t) => {
  const queued = await QueuedHost.open(t);
  await queued.redis.limitMemory(1);
  const runtimeId = await queued.begun(0);
  await queued.waitsToSay(t, runtimeId, /^waiting for the work queue: OOM command not allowed/);
  t.is((await queued.situation(runtimeId)).code, 'waiting_for_a_worker');

  await queued.redis.limitMemory(0);
  await queued.ffmpeg.close();
  await queued.worker();
  await queued.waitsToSay(t, runtimeId, /^studying: measuring/);
  // It is full again, and takes no note of what becomes of the order.
  await queued.redis.limitMemory(1);
  await queued.ffmpeg.open();
  await queued.until(t, 'the first outcome is taken', async () => (await queued.counted('taken')) === 1);
  await queued.redis.limitMemory(0);
  await queued.isOver(t, runtimeId);
  t.is(await queued.counted('taken'), 2);
  await queued.endsIntact(t);
});

withRedis('a study over which four workers were lost fails, and the next attempt is measured', async (t) => {
  const queued = await QueuedHost.open(t);
  await queued.ffmpeg.close();
  // As long as the sample: the time of a study grows with its range, and five workers start within it on a busy machine.
  const range = { startMs: 0, endMs: (await readSampleGold()).durationMs };
  const runtimeId = await queued.begun(range.startMs, range.endMs);
  for (let nth = 0; nth < 4; nth += 1) {
    const before = await queued.ffmpeg.passes();
    const doomed = await queued.worker();
    await queued.until(t, 'the worker has begun', async () => (await queued.ffmpeg.passes()) > before);
    await doomed.kill();
  }
  // Only a worker that is there can find that another is gone.
  await queued.worker();
  await queued.until(t, 'the study has failed', async () => (await queued.client.status(runtimeId)).terminal);
  const { lifecycle, reason } = await queued.client.status(runtimeId);
  t.is(lifecycle, 'failed');
  t.like(reason, { code: 'executor_failed' });
  t.regex(reason?.message ?? '', /workers were lost over it/);
  await queued.ffmpeg.open();

  const [sample] = await queued.client.sources();
  if (sample === undefined) throw new Error('the host has no sample');
  const again = queued.client.study(sample, { range, targetLanguage: 'en', clientRequestId: 'again' });
  t.is((await again.ended()).lifecycle, 'terminal');
  await queued.endsIntact(t);
});

/** How often the study was taken up without a commit, in what a host leaves that is killed now. */
async function deathsOf(t: ExecutionContext, queued: QueuedHost, dataRoot: string, runtimeId: string) {
  const root = join(queued.folder, `${dataRoot}-left-${Date.now()}`);
  copyAsLeft(join(queued.folder, dataRoot), root);
  const { ledger } = await openStore(root);
  const [row] = await ledger.getMany('snapshot', [runtimeId]);
  await ledger.close();
  const { resumes, totalResumes } = actorRow.parse(row);
  t.true(totalResumes >= resumes);
  return { resumes, totalResumes };
}

withRedis('bug: deaths of hosts while a study waited for a worker counted against the study', async (t) => {
  const queued = await QueuedHost.create(t);
  await queued.redis.start();
  await queued.start(t, 'first');
  const runtimeId = await queued.begun(0);
  await queued.waitsToSay(t, runtimeId, /^waiting for a worker: none is connected/);
  copyAsLeft(join(queued.folder, 'first'), join(queued.folder, 'second'));

  await queued.start(t, 'second');
  await queued.waitsToSay(t, runtimeId, /^waiting for a worker: none is connected/);
  const hasMoved = async () => {
    const { resumes, totalResumes } = await deathsOf(t, queued, 'second', runtimeId);
    return totalResumes === 1 && resumes === 0;
  };
  await queued.until(t, 'the death of the first host does not count', hasMoved);
});

test('bug: a worker whose Redis is down did not end on command', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'stopped-workers-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const flags = ['--work-queue', `redis://127.0.0.1:${await unusedPort()}`, '--object-source', folder];
  const worker = spawned(process.execPath, [program, 'worker', ...flags], withoutDownloader);
  const { stderr } = worker;
  if (stderr === null) return t.fail();
  let said = '';
  while (!said.includes('does not answer')) said += (await once(stderr, 'data')).join('');
  await ended(worker, 'SIGTERM');
  t.deepEqual([worker.exitCode, worker.signalCode], [0, null], said);
});

test('bug: a worker whose terminal was closed left its folder of temporary files', async (t) => {
  const folder = await scratchFolder(t);
  const flags = ['--work-queue', `redis://127.0.0.1:${await unusedPort()}`, '--object-source', folder];
  const TMPDIR = await scratchFolder(t);
  const worker = spawned(process.execPath, [program, 'worker', ...flags], { ...withoutDownloader, TMPDIR });
  if (worker.stdout === null) return t.fail();
  await once(worker.stdout, 'data');
  await ended(worker, 'SIGHUP');
  t.deepEqual([worker.exitCode, worker.signalCode], [0, null]);
  t.deepEqual(await readdir(TMPDIR), []);
});

/** Workers of one object source, for which twenty seconds are a long range. */
async function workersOf(t: ExecutionContext, bench: DetectionBench, media: Buffer) {
  const root = await scratchFolder(t);
  const [objects, outcomes, windows] = [new SharedObjects(root), new SharedOutcomes(root), new SharedWindows(root)];
  const sourceContentId = contentIdOfBytes(media);
  await objects.putAll([{ contentId: sourceContentId, bytes: media }]);
  const windowing = { aboveMs: 12_000, lengthMs: 6_000 };
  const tools = { ffmpeg: bench.ffmpeg, ffprobe: bench.ffmpeg };
  const passes = mediaPasses({ ...bench, tools, detectorTools: await bench.detector.tools(), windowing });
  const reported: string[] = [];
  const report = (line: string): void => void reported.push(line);
  const ability = workerAbility({ passes, recognizer: null, objects, windows, report });
  const duty = new OrderDuty({ name: 'w', objects, outcomes, windows, ability, report });
  const tracks = { audioTrackIndex: 1, videoTrackIndex: 0, audioChoice: null };
  const range = { startMs: 0, endMs: 20_000 };
  const task: WorkTask = { capability: 'media.detect', sourceContentId, range, tracks };
  const own = passes.identity(task);
  const order: WorkOrder = {
    schema: 'studio.work-order.v1',
    version,
    operationKey: taskKeyOf(task, own),
    tools: [...own.tools],
    parameters: own.parameters,
    task,
  };
  const id = orderIdOf(order);
  /** Carries the order out until so much of the media was read. */
  const carryOut = async (untilMs = Number.POSITIVE_INFINITY): Promise<number[]> => {
    const stop = new AbortController();
    const seen: number[] = [];
    const measured = (completedMs: number): void => {
      seen.push(completedMs);
      if (completedMs >= untilMs) stop.abort(new Error('the worker is lost'));
    };
    await duty.carryOut(order, { id, signal: stop.signal, measured });
    return seen;
  };
  const result = async () => {
    const [found] = await outcomes.of(id);
    return found === undefined ? null : parsedOutcome(found).outcome;
  };
  return { id, windows, reported, carryOut, result };
}

test('a worker continues after the last window of a lost one, and finds the same', async (t) => {
  const media = await readFile(sampleMedia);
  const bench = await openDetectionBench();
  t.teardown(() => bench.close());
  const unharmed = await workersOf(t, bench, media);
  await unharmed.carryOut();
  t.deepEqual(await unharmed.windows.orders(), []);

  const { id, windows, reported, carryOut, result } = await workersOf(t, bench, media);
  await t.throwsAsync(carryOut(13_000), { message: 'the worker is lost' });
  t.deepEqual(await windows.endsMs(id), [12_000, 6_000]);
  t.is(await result(), null);
  const seen = await carryOut();
  t.is(seen[0], 12_000);
  t.true(reported.includes(`order ${id}: it goes on at 12000 ms`));
  t.deepEqual(await result(), await unharmed.result());
  t.deepEqual(await windows.orders(), []);
});
