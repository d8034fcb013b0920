import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { orderIdOf } from '../../../actors/workers/order-identity.ts';
import { StudyHost } from '../../../client/study-host.ts';
import { type WorkOrder, workOrder } from '../../../contract/workers/work-order.ts';
import { takeOrders } from '../../../executors/workers/bullmq-taker.ts';
import { OrderRefused } from '../../../executors/workers/order-queue.ts';
import { storedBytes } from '../../../receipts/core/canonical-json.ts';
import { SharedOutcomes } from '../../../storage/objects/shared-outcomes.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { type HostInProcess, openInProcess } from '../../crash/host-in-process.ts';
import { GatedFfmpeg } from '../../http/gated-ffmpeg.ts';
import { RedisForTests, redisServer } from './redis-for-tests.ts';
import { WorkerProcess } from './worker-process.ts';

// One host with one queue, whose studies are of ranges that no other test studies.

const test = (redisServer === null ? anyTest.skip : anyTest.serial) as TestFn['serial'];
const patienceMs = 60_000;

let folder: string;
let objectSource: string;
let redis: RedisForTests;
let ffmpeg: GatedFfmpeg;
let host: HostInProcess;
let client: StudyHost;
const workers: WorkerProcess[] = [];
const stops: (() => unknown)[] = [];

anyTest.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workers-'));
  objectSource = join(folder, 'objects');
  await mkdir(objectSource);
  ffmpeg = await GatedFfmpeg.create(folder);
  redis = await RedisForTests.create(folder);
});

anyTest.after.always(async () => {
  await Promise.all(workers.map((worker) => worker.kill()));
  for (const stop of stops) await stop();
  await redis.stop();
  await rm(folder, { recursive: true, force: true });
});

async function worker(path = ffmpeg.path): Promise<WorkerProcess> {
  const environment = { MEDIA_STUDY_FFMPEG: path };
  const started = await WorkerProcess.start({ address: redis.address, objectSource, environment });
  workers.push(started);
  return started;
}

/** Starts a study of a second of the sample. */
async function begun(startMs: number): Promise<string> {
  const [sample] = await client.sources();
  if (sample === undefined) throw new Error('the host has no sample');
  const range = { startMs, endMs: startMs + 1000 };
  const { runtimeId } = await client.study(sample, { range, targetLanguage: 'en' }).started;
  return runtimeId;
}

async function until(t: ExecutionContext, what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const last = Date.now() + patienceMs;
  while (!(await isSo())) {
    if (Date.now() > last) {
      for (const each of workers) t.log(each.stderr);
      t.log(host.told().join('\n'));
      throw new Error(`not within ${patienceMs} ms: ${what}`);
    }
    await delay(50);
  }
}

const situation = async (runtimeId: string) => (await client.overview(runtimeId)).situation;
const says = (t: ExecutionContext, runtimeId: string, text: RegExp) =>
  until(t, `${text}`, async () => text.test((await situation(runtimeId)).text));
const isOver = (t: ExecutionContext, runtimeId: string) =>
  until(t, 'the study is over', async () => (await client.status(runtimeId)).lifecycle === 'terminal');

/** How many outcomes of a verdict the host has counted. */
async function counted(verdict: string): Promise<number> {
  const line = new RegExp(`worker_outcomes_total\\{verdict="${verdict}"\\} (\\d+)`).exec(await client.metrics());
  return Number(line?.[1] ?? Number.NaN);
}

const evidenceOf = async (from: StudyHost, runtimeId: string) =>
  (await from.evidence(runtimeId)).evidence.map(({ kind, contentId }) => [kind, contentId]);

test('a study waits, whatever becomes of the queue, and is then measured as on one machine', async (t) => {
  t.timeout(3 * patienceMs, 'a busy machine');
  const flags = ['--work-queue', redis.address, '--object-source', objectSource];
  // It outlives this test.
  const lasting = { fail: t.fail, teardown: (stop: () => unknown) => void stops.push(stop) };
  host = await openInProcess(lasting, join(folder, 'data'), {
    flags,
    environment: { MEDIA_STUDY_FFMPEG: ffmpeg.path },
  });
  const { listening = '', authorizationToken: token = '' } = host.announced ?? {};
  client = StudyHost.connect({ baseUrl: listening, token });
  const runtimeId = await begun(0);
  await says(t, runtimeId, /^waiting for the work queue: /);
  t.is((await situation(runtimeId)).code, 'waiting_for_a_worker');
  t.is((await client.progress(runtimeId)).stage, 'queued');
  const { deadlineLeftMs } = (await client.overview(runtimeId)).study;

  await redis.start();
  await says(t, runtimeId, /^waiting for a worker: none is connected/);
  // It has lost everything that it was told.
  await redis.stop();
  await says(t, runtimeId, /^waiting for the work queue: /);
  await redis.start();
  await says(t, runtimeId, /^waiting for a worker: none is connected/);
  t.is((await client.overview(runtimeId)).study.deadlineLeftMs, deadlineLeftMs, 'its time stands');

  await worker();
  await isOver(t, runtimeId);
  t.is(await counted('taken'), 2);
  t.deepEqual(await readdir(join(objectSource, 'inbox')), []);

  const alone = await openInProcess(t, join(folder, 'alone'), { environment: { MEDIA_STUDY_FFMPEG: ffmpeg.path } });
  const { listening: baseUrl = '', authorizationToken = '' } = alone.announced ?? {};
  const other = StudyHost.connect({ baseUrl, token: authorizationToken });
  const [sample] = await other.sources();
  if (sample === undefined) throw new Error('the host has no sample');
  const study = other.study(sample, { range: { startMs: 0, endMs: 1000 }, targetLanguage: 'en' });
  const same = await study.ended();
  t.is(same.runtimeId, runtimeId);
  t.deepEqual(await evidenceOf(client, runtimeId), await evidenceOf(other, same.runtimeId));
  await alone.stop();
});

test('another worker takes over from one that is killed in the middle', async (t) => {
  t.timeout(2 * patienceMs, 'a busy machine');
  await ffmpeg.close();
  const runtimeId = await begun(1000);
  await says(t, runtimeId, /^studying: measuring/);
  await workers[0]?.kill();
  const second = await worker();
  await ffmpeg.open();
  await isOver(t, runtimeId);
  t.is(second.completed, 2);
  t.is(await counted('taken'), 4);
});

test('a queue that is emptied while a worker works costs nothing', async (t) => {
  t.timeout(2 * patienceMs, 'a busy machine');
  await ffmpeg.close();
  const runtimeId = await begun(5000);
  await says(t, runtimeId, /^studying: measuring/);
  await redis.stop();
  await says(t, runtimeId, /^waiting for the work queue: /);
  await redis.start();
  await ffmpeg.open();
  await isOver(t, runtimeId);
  t.is(await counted('taken'), 6);
});

test('of two workers that both finish, one is counted', async (t) => {
  t.timeout(2 * patienceMs, 'a busy machine');
  await ffmpeg.close();
  const runtimeId = await begun(2000);
  await says(t, runtimeId, /^studying: measuring/);
  const [, slow] = workers;
  if (slow === undefined) throw new Error('there is a second worker');
  const { completed } = slow;
  slow.freeze();
  await worker();
  await ffmpeg.open();
  await isOver(t, runtimeId);
  t.is(await counted('taken'), 8);
  slow.wake();
  await until(t, 'the slow worker finishes, too', () => slow.completed > completed);
  t.is(await counted('taken'), 8);
  t.is(await counted('refused'), 0);
  await Promise.all(workers.map((each) => each.kill()));
});

test('a worker with other tools is told to stand back, and the study says why', async (t) => {
  t.timeout(2 * patienceMs, 'a busy machine');
  await mkdir(join(folder, 'other'));
  const other = await worker((await GatedFfmpeg.create(join(folder, 'other'))).path);
  const runtimeId = await begun(3000);
  await says(t, runtimeId, /^waiting for a worker: \S+ refused: ffmpeg \S+ \(sha256:\w{12}\) is asked for, and ffmpeg/);
  t.regex(other.stderr, /refused: ffmpeg/);
  await other.stop();
  t.is(other.completed, 0);

  // One that believes nothing of it: what it delivers is not what the host asks for.
  const outcomes = new SharedOutcomes(objectSource);
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
  const liar = takeOrders(redis.address, {
    ...{ name: 'liar', leaseMs: 1000, report: () => undefined },
    carryOut: async (data, { id }) => {
      const order = workOrder.parse(data);
      t.is(orderIdOf(order), id);
      const lie = lies.shift();
      if (lie === undefined) throw new OrderRefused('it is tired');
      await deliver(id, order, lie);
    },
  });
  await says(t, runtimeId, /liar refused: it is tired/);
  await liar.close();
  t.is(await counted('refused'), 3);
  const told = host.told().filter((line) => line.includes('was refused'));
  t.regex(told[0] ?? '', /liar measured with other tools/);
  t.regex(told[1] ?? '', /liar runs version 0\.0\.1/);
  t.regex(told[2] ?? '', /object_missing/);
  t.is((await readdir(join(objectSource, 'set-aside'))).length, 3);

  // What lies in the object source is not believed either.
  const [shard = ''] = (await readdir(join(objectSource, 'objects', 'sha256'))).sort();
  const [object = ''] = await readdir(join(objectSource, 'objects', 'sha256', shard));
  await writeFile(join(objectSource, 'objects', 'sha256', shard, object), 'damaged');
  await worker();
  await isOver(t, runtimeId);
  await host.stop();
  await checkRuntimes(t, join(folder, 'data'));
});

test('a worker with the recogniser of the host recognises, and one without gives the sound back', async (t) => {
  t.timeout(2 * patienceMs, 'a busy machine');
  const model = join(folder, 'ggml-base.bin');
  await writeFile(model, 'model');
  const recognizer = ['--semantic-recognizer', 'whisper-cli', '--semantic-recognizer-model', model];
  const flags = [...recognizer, '--allow-real-semantic-evidence'];
  const program = fileURLToPath(new URL('../../../fixtures/executables/whisper-cli-stand-in', import.meta.url));
  const environment = { MEDIA_STUDY_FFMPEG: ffmpeg.path, MEDIA_STUDY_WHISPER_CLI: program };
  const place = ['--work-queue', redis.address, '--object-source', objectSource];
  host = await openInProcess(t, join(folder, 'recognising'), { flags: [...place, ...flags], environment });
  const { listening = '', authorizationToken: token = '' } = host.announced ?? {};
  client = StudyHost.connect({ baseUrl: listening, token });
  const runtimeId = await begun(4000);
  await says(t, runtimeId, /refused: this worker does not do semantic\.recognize\.region/);
  const able = await WorkerProcess.start({ address: redis.address, objectSource, environment, flags });
  workers.push(able);
  await isOver(t, runtimeId);
  t.regex(able.stderr, /semantic\.recognize\.region completed/);
  const [transcript] = (await client.evidence(runtimeId, 'transcript')).evidence;
  t.is(transcript?.tool?.name, 'whisper-cli');
  t.true((transcript?.facts ?? []).some(({ kind }) => kind === 'recognised_region'));
  await host.stop();
  await checkRuntimes(t, join(folder, 'recognising'));
});
