import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { mediaPasses } from '../../../actors/study/media-passes.ts';
import { actorRow } from '../../../actors/supervision/actor-row.ts';
import { OrderDuty } from '../../../actors/workers/order-duty.ts';
import { orderIdOf, taskKeyOf } from '../../../actors/workers/order-identity.ts';
import { orderWindows } from '../../../actors/workers/order-windows.ts';
import { parsedOutcome } from '../../../actors/workers/read-outcome.ts';
import { workerAbility } from '../../../actors/workers/worker-ability.ts';
import { StudyHost } from '../../../client/study-host.ts';
import { version } from '../../../contract/base/program-version.ts';
import { type WorkOrder, type WorkTask, workOrder } from '../../../contract/workers/work-order.ts';
import { takeOrders } from '../../../executors/workers/bullmq-taker.ts';
import { OrderRefused } from '../../../executors/workers/order-queue.ts';
import { sampleMedia } from '../../../fixtures/sample/gold.ts';
import { contentIdOfBytes, storedBytes } from '../../../receipts/core/canonical-json.ts';
import { SharedObjects } from '../../../storage/objects/shared-objects.ts';
import { SharedOutcomes } from '../../../storage/objects/shared-outcomes.ts';
import { SharedWindows } from '../../../storage/objects/shared-windows.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { type DetectionBench, openDetectionBench } from '../../executors/evidence/detection-for-tests.ts';
import { copyAsLeft, openInProcess } from '../../host/host-in-process.ts';
import { GatedFfmpeg } from '../../http/gated-ffmpeg.ts';
import { unusedPort } from '../../unused-port.ts';
import { withoutDownloader } from '../../without-downloader.ts';
import { openStore } from '../reopening/stored-studies.ts';
import { QueuedHost } from './queued-host.ts';
import { ended, redisServer, spawned } from './redis-for-tests.ts';

// One host with one queue, whose studies are of ranges that no other test studies.

const withRedis = (redisServer === null ? anyTest.skip : anyTest.serial) as TestFn['serial'];

let queued: QueuedHost;

anyTest.before(async () => {
  queued = await QueuedHost.create();
});

anyTest.after.always(() => queued.close());

const evidenceOf = async (from: StudyHost, runtimeId: string) =>
  (await from.evidence(runtimeId)).evidence.map(({ kind, contentId }) => [kind, contentId]);

withRedis('a study waits, whatever becomes of the queue, and is then measured as on one machine', async (t) => {
  await queued.start(t, 'data');
  const runtimeId = await queued.begun(0);
  await queued.says(t, runtimeId, /^waiting for the work queue: /);
  t.is((await queued.situation(runtimeId)).code, 'waiting_for_a_worker');
  t.is((await queued.client.progress(runtimeId)).stage, 'queued');
  const { deadlineLeftMs } = (await queued.client.overview(runtimeId)).study;

  await queued.redis.start();
  await queued.says(t, runtimeId, /^waiting for a worker: none is connected/);
  // It has lost everything that it was told.
  await queued.redis.stop();
  await queued.says(t, runtimeId, /^waiting for the work queue: /);
  await queued.redis.start();
  await queued.says(t, runtimeId, /^waiting for a worker: none is connected/);
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
});

withRedis('another worker takes over from one that is killed in the middle', async (t) => {
  await queued.ffmpeg.close();
  const runtimeId = await queued.begun(1000);
  await queued.says(t, runtimeId, /^studying: measuring/);
  await queued.workers[0]?.kill();
  const second = await queued.worker();
  await queued.ffmpeg.open();
  await queued.isOver(t, runtimeId);
  t.is(second.completed, 2);
  t.is(await queued.counted('taken'), 4);
});

withRedis('a queue that is emptied while a worker works costs nothing', async (t) => {
  await queued.ffmpeg.close();
  const runtimeId = await queued.begun(5000);
  await queued.says(t, runtimeId, /^studying: measuring/);
  await queued.redis.stop();
  await queued.says(t, runtimeId, /^waiting for the work queue: /);
  await queued.redis.start();
  await queued.ffmpeg.open();
  await queued.isOver(t, runtimeId);
  t.is(await queued.counted('taken'), 6);
});

withRedis('of two workers that both finish, one is counted', async (t) => {
  await queued.ffmpeg.close();
  const runtimeId = await queued.begun(2000);
  await queued.says(t, runtimeId, /^studying: measuring/);
  const [, slow] = queued.workers;
  if (slow === undefined) throw new Error('there is a second worker');
  const { completed } = slow;
  slow.freeze();
  await queued.worker();
  await queued.ffmpeg.open();
  await queued.isOver(t, runtimeId);
  t.is(await queued.counted('taken'), 8);
  slow.wake();
  await queued.until(t, 'the slow worker finishes, too', () => slow.completed > completed);
  t.is(await queued.counted('taken'), 8);
  t.is(await queued.counted('refused'), 0);
  await Promise.all(queued.workers.map((each) => each.kill()));
});

withRedis('a worker with other tools is told to stand back, and the study says why', async (t) => {
  await mkdir(join(queued.folder, 'other'));
  const other = await queued.worker({ path: (await GatedFfmpeg.create(join(queued.folder, 'other'))).path });
  const runtimeId = await queued.begun(3000);
  await queued.says(
    t,
    runtimeId,
    /^waiting for a worker: \S+ refused: ffmpeg \S+ \(sha256:\w{12}\) is asked for, and ffmpeg/,
  );
  t.regex(other.stderr, /refused: ffmpeg/);
  await other.stop();
  t.is(other.completed, 0);

  // One that checks nothing: what it delivers is not what the host asks for.
  const outcomes = new SharedOutcomes(queued.objectSource);
  const deliver = async (id: string, order: WorkOrder, change: object) => {
    const outcome = {
      ...{ schema: 'studio.work-outcome.v1', orderId: id, operationKey: order.operationKey, worker: 'liar' },
      ...{ version: order.version, tools: order.tools, outcome: { state: 'completed', result: null }, ...change },
    };
    await outcomes.add(id, storedBytes(outcome), Date.now());
  };
  const gone = { kind: 'silence', state: 'available', contentId: `sha256:${'0'.repeat(64)}`, bytes: 7 };
  const lies: object[] = [
    { tools: [{ name: 'ffmpeg', version: '0', digest: `sha256:${'0'.repeat(64)}` }] },
    { version: '0.0.1' },
    { outcome: { state: 'completed', result: { evidence: [gone], derivedAudio: null } } },
  ];
  const liar = takeOrders(queued.redis.address, {
    ...{ name: 'liar', leaseMs: 1000, report: () => undefined },
    carryOut: async (data, { id }) => {
      const order = workOrder.parse(data);
      t.is(orderIdOf(order), id);
      const lie = lies.shift();
      if (lie === undefined) throw new OrderRefused('it is tired');
      await deliver(id, order, lie);
    },
  });
  await queued.says(t, runtimeId, /liar refused: it is tired/);
  await liar.close();
  t.is(await queued.counted('refused'), 3);
  const told = queued.host.told().filter((line) => line.includes('was refused'));
  t.regex(told[0] ?? '', /liar measured with other tools/);
  t.regex(told[1] ?? '', /liar runs version 0\.0\.1/);
  t.regex(told[2] ?? '', /object_missing/);
  t.is((await readdir(join(queued.objectSource, 'set-aside'))).length, 3);

  // What lies in the object source is verified, too.
  const [shard = ''] = (await readdir(join(queued.objectSource, 'objects', 'sha256'))).sort();
  const [object = ''] = await readdir(join(queued.objectSource, 'objects', 'sha256', shard));
  await writeFile(join(queued.objectSource, 'objects', 'sha256', shard, object), 'damaged');
  await queued.worker();
  await queued.isOver(t, runtimeId);
  await queued.host.stop();
  await checkRuntimes(t, join(queued.folder, 'data'));
});

withRedis('a worker with the recogniser of the host recognises, and one without gives the sound back', async (t) => {
  const model = join(queued.folder, 'ggml-base.bin');
  await writeFile(model, 'model');
  const recognizer = ['--semantic-recognizer', 'whisper-cli', '--semantic-recognizer-model', model];
  const flags = [...recognizer, '--allow-real-semantic-evidence'];
  const program = fileURLToPath(new URL('../../../fixtures/executables/whisper-cli-stand-in', import.meta.url));
  const environment = { MEDIA_STUDY_WHISPER_CLI: program };
  await queued.start(t, 'recognising', { flags, environment });
  const runtimeId = await queued.begun(4000);
  await queued.says(t, runtimeId, /refused: this worker does not do semantic\.recognize\.region/);
  const able = await queued.worker({ flags, environment });
  await queued.isOver(t, runtimeId);
  t.regex(able.stderr, /semantic\.recognize\.region completed/);
  const [transcript] = (await queued.client.evidence(runtimeId, 'transcript')).evidence;
  t.is(transcript?.tool?.name, 'whisper-cli');
  t.true((transcript?.facts ?? []).some(({ kind }) => kind === 'recognised_region'));
  await queued.host.stop();
  await checkRuntimes(t, join(queued.folder, 'recognising'));
});

anyTest.before(async () => {
  queued = await QueuedHost.create();
});

anyTest.after.always(() => queued.close());

withRedis('a study waits while the queue is full; an outcome is taken though the queue notes nothing', async (t) => {
  await queued.redis.start();
  await queued.start(t, 'data');
  await queued.redis.limitMemory(1);
  const runtimeId = await queued.begun(0);
  await queued.says(t, runtimeId, /^waiting for the work queue: OOM command not allowed/);
  t.is((await queued.situation(runtimeId)).code, 'waiting_for_a_worker');

  await queued.redis.limitMemory(0);
  await queued.ffmpeg.close();
  await queued.worker();
  await queued.says(t, runtimeId, /^studying: measuring/);
  // It is full again, and takes no note of what becomes of the order.
  await queued.redis.limitMemory(1);
  await queued.ffmpeg.open();
  await queued.until(t, 'the first outcome is taken', async () => (await queued.counted('taken')) === 1);
  await queued.redis.limitMemory(0);
  await queued.isOver(t, runtimeId);
  t.is(await queued.counted('taken'), 2);
  await Promise.all(queued.workers.map((each) => each.kill()));
});

withRedis('a study over which four workers were lost fails, and the next attempt is measured', async (t) => {
  await queued.ffmpeg.close();
  const runtimeId = await queued.begun(1000);
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
  const range = { startMs: 1000, endMs: 2000 };
  const again = queued.client.study(sample, { range, targetLanguage: 'en', clientRequestId: 'again' });
  t.is((await again.ended()).lifecycle, 'terminal');
  await queued.host.stop();
  await checkRuntimes(t, join(queued.folder, 'data'));
});

const withRedisBeside = (redisServer === null ? anyTest.skip : anyTest) as TestFn;

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

withRedisBeside('bug: deaths of hosts while a study waited for a worker counted against the study', async (t) => {
  const queued = await QueuedHost.create();
  t.teardown(() => queued.close());
  await queued.redis.start();
  await queued.start(t, 'first');
  const runtimeId = await queued.begun(0);
  await queued.says(t, runtimeId, /^waiting for a worker: none is connected/);
  copyAsLeft(join(queued.folder, 'first'), join(queued.folder, 'second'));

  await queued.start(t, 'second');
  await queued.says(t, runtimeId, /^waiting for a worker: none is connected/);
  const hasMoved = async () => {
    const { resumes, totalResumes } = await deathsOf(t, queued, 'second', runtimeId);
    return totalResumes === 1 && resumes === 0;
  };
  await queued.until(t, 'the death of the first host does not count', hasMoved);
});

const program = fileURLToPath(new URL('../../../build/media-study.js', import.meta.url));

anyTest('bug: a worker whose Redis is down did not end when it was told to', async (t) => {
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

let bench: DetectionBench;

anyTest.before(async () => {
  bench = await openDetectionBench();
});

anyTest.after.always(() => bench.close());

/** Workers of one object source, for which twenty seconds are a long range. */
async function workersOf(media: Buffer) {
  const root = join(bench.folder, randomUUID());
  await mkdir(root);
  const [objects, outcomes, windows] = [new SharedObjects(root), new SharedOutcomes(root), new SharedWindows(root)];
  const sourceContentId = contentIdOfBytes(media);
  await objects.putAll([{ contentId: sourceContentId, bytes: media }]);
  const windowing = { aboveMs: 12_000, lengthMs: 6_000 };
  const tools = { ffmpeg: bench.ffmpeg, ffprobe: bench.ffmpeg };
  const passes = mediaPasses({ ...bench, tools, detectorTools: await bench.detector.tools(), windowing });
  const told: string[] = [];
  const report = (line: string): void => void told.push(line);
  const ability = workerAbility({ passes, recognizer: null, objects, windows, report });
  const duty = new OrderDuty({ name: 'w', objects, outcomes, windows, ability, report });
  const tracks = { audioTrackIndex: 1, videoTrackIndex: 0, audioChoice: null };
  const range = { startMs: 0, endMs: 20_000 };
  const task: WorkTask = { capability: 'media.detect', sourceContentId, range, tracks };
  const own = passes.identity(task);
  const order: WorkOrder = {
    ...{ schema: 'studio.work-order.v1', version, operationKey: taskKeyOf(task, own) },
    ...{ tools: [...own.tools], parameters: own.parameters, task },
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
  return { root, id, windows, told, carryOut, result };
}

anyTest('a worker goes on behind the last window of a lost one, and finds the same', async (t) => {
  const media = await readFile(sampleMedia);
  const unharmed = await workersOf(media);
  await unharmed.carryOut();
  t.deepEqual(await unharmed.windows.orders(), []);

  const { id, windows, told, carryOut, result } = await workersOf(media);
  await t.throwsAsync(carryOut(13_000), { message: 'the worker is lost' });
  t.deepEqual(await windows.endsMs(id), [12_000, 6_000]);
  t.is(await result(), null);
  const seen = await carryOut();
  t.is(seen[0], 12_000);
  t.true(told.includes(`order ${id}: it goes on at 12000 ms`));
  t.deepEqual(await result(), await unharmed.result());
  t.deepEqual(await windows.orders(), []);
});

anyTest('behind a window that is damaged, or lacks an object, the one before goes on', async (t) => {
  const root = join(bench.folder, 'damaged');
  const [windows, objects, told] = [new SharedWindows(root), new SharedObjects(root), [] as string[]];
  const [orderId, other] = ['a'.repeat(64), 'b'.repeat(64)];
  const kept = orderWindows({ windows, objects, report: (line) => void told.push(line) }, orderId)(1000);
  const keyframe = { contentId: contentIdOfBytes(Buffer.from('keyframe')), bytes: 8 };
  const ends = [1000, 2000, 3000];
  t.is(await kept.newest(ends), null);
  await kept.keep({ endMs: 1000, state: Buffer.from('one'), named: [] });
  await kept.keep({ endMs: 2000, state: Buffer.from('two'), named: [keyframe] });
  t.is((await kept.newest(ends))?.endMs, 1000, 'the keyframe of the second is not there');
  await objects.putAll([{ contentId: keyframe.contentId, bytes: Buffer.from('keyframe') }]);
  t.deepEqual(await kept.newest(ends), { endMs: 2000, state: Buffer.from('two') });
  t.is((await kept.newest([1000]))?.endMs, 1000, 'a window of other bounds is none');
  await kept.keep({ endMs: 3000, state: Buffer.from('three'), named: [] });
  t.deepEqual(await windows.endsMs(orderId), [3000, 2000], 'two are kept');
  const [, newest = ''] = (await readdir(join(root, 'windows', orderId))).sort();
  await writeFile(join(root, 'windows', orderId, newest), 'damaged');
  t.is((await kept.newest(ends))?.endMs, 2000);
  for (const bytes of [Buffer.from([0xc1]), Buffer.from('no window')]) {
    await windows.add(orderId, 3000, bytes);
    t.is((await kept.newest(ends))?.endMs, 2000, 'bytes that are no window are passed over');
    await rm(join(root, 'windows', orderId, (await readdir(join(root, 'windows', orderId))).sort().at(-1) ?? ''));
  }
  t.is(await orderWindows({ windows, objects, report: () => undefined }, other)(1000).newest(ends), null);
});
