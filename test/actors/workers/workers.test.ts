import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import anyTest, { type TestFn } from 'ava';
import { orderIdOf } from '../../../actors/workers/order-identity.ts';
import { StudyHost } from '../../../client/study-host.ts';
import { type WorkOrder, workOrder } from '../../../contract/workers/work-order.ts';
import { takeOrders } from '../../../executors/workers/bullmq-taker.ts';
import { OrderRefused } from '../../../executors/workers/order-queue.ts';
import { storedBytes } from '../../../receipts/core/canonical-json.ts';
import { SharedOutcomes } from '../../../storage/objects/shared-outcomes.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { openInProcess } from '../../host/host-in-process.ts';
import { GatedFfmpeg } from '../../http/gated-ffmpeg.ts';
import { QueuedHost } from './queued-host.ts';
import { redisServer } from './redis-for-tests.ts';

// One host with one queue, whose studies are of ranges that no other test studies.

const test = (redisServer === null ? anyTest.skip : anyTest.serial) as TestFn['serial'];

let queued: QueuedHost;

anyTest.before(async () => {
  queued = await QueuedHost.create();
});

anyTest.after.always(() => queued.close());

const evidenceOf = async (from: StudyHost, runtimeId: string) =>
  (await from.evidence(runtimeId)).evidence.map(({ kind, contentId }) => [kind, contentId]);

test('a study waits, whatever becomes of the queue, and is then measured as on one machine', async (t) => {
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

test('another worker takes over from one that is killed in the middle', async (t) => {
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

test('a queue that is emptied while a worker works costs nothing', async (t) => {
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

test('of two workers that both finish, one is counted', async (t) => {
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

test('a worker with other tools is told to stand back, and the study says why', async (t) => {
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

test('a worker with the recogniser of the host recognises, and one without gives the sound back', async (t) => {
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
