import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { version } from '../../../contract/base/program-version.ts';
import type { WorkOrder } from '../../../contract/workers.ts';
import { OrderRefused } from '../../../features/workers/engine/order-queue.ts';
import { LateOutcomes } from '../../../features/workers/open-work-orders.ts';
import { OperationFailed, orderIdOf, parsedOutcome, taskKeyOf } from '../../../features/workers/order-identity.ts';
import { SharedObjects } from '../../../features/workers/shared-objects.ts';
import { SharedOutcomes, SharedWindows } from '../../../features/workers/shared-outcomes.ts';
import { WorkerFigures, WorkOrders } from '../../../features/workers/work-orders.ts';
import { OrderDuty, orderWindows } from '../../../features/workers/worker.ts';
import { contentIdOfBytes, storedBytes } from '../../../formats/canonical-json.ts';
import { SimulatedClock } from '../../actors/supervision/simulated-clock.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';

const tool = { name: 'ffmpeg', version: '5.1', digest: `sha256:${'5'.repeat(64)}` };

const own = { tools: [tool], parameters: { 'subtitle_track.rule': 'one' } };

const media = Buffer.from('media');

const sourceContentId = contentIdOfBytes(media);

const range = { startMs: 0, endMs: 1000 };

const task = { capability: 'media.subtitles', sourceContentId, range, tracks: [], picture: null } as const;

const order: WorkOrder = {
  schema: 'studio.work-order.v1',
  version,
  operationKey: taskKeyOf({ ...task, tracks: [] }, own),
  ...own,
  task: { ...task, tracks: [] },
};

async function duty(t: ExecutionContext, perform: () => Promise<unknown> = async () => ({ found: 1 })) {
  const root = await mkdtemp(join(tmpdir(), 'duty-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const [objects, outcomes] = [new SharedObjects(root), new SharedOutcomes(root)];
  let performed = 0;
  const ability = {
    identity: () => own,
    perform: () => {
      performed += 1;
      return perform();
    },
  };
  const carrier = new OrderDuty({
    name: 'w',
    objects,
    outcomes,
    windows: new SharedWindows(root),
    ability,
    report: () => undefined,
  });
  const stop = new AbortController();
  const carryOut = (data: unknown, id = orderIdOf(order)) =>
    carrier.carryOut(data, { id, signal: stop.signal, measured: () => undefined });
  return { objects, outcomes, carryOut, stop, performed: () => performed };
}

test('an order of another version, tools, parameters or id is refused with the reason', async (t) => {
  const { objects, carryOut, performed } = await duty(t);
  await objects.putAll([{ contentId: sourceContentId, bytes: media }]);
  const refusals: readonly (readonly [unknown, RegExp])[] = [
    [{ ...order, more: 1 }, /this version does not know such an order/],
    [{ ...order, version: '9.9.9' }, /^the order needs version 9\.9\.9, and this worker has version \S+$/],
    [
      { ...order, tools: [{ ...tool, version: '6.0' }] },
      /^the order needs ffmpeg 6\.0 \(sha256:5{12}\), and this worker has ffmpeg 5\.1/,
    ],
    [
      { ...order, tools: [{ ...tool, name: 'whisper' }] },
      /^the order needs whisper 5\.1 .*, and this worker has no whisper$/,
    ],
    [{ ...order, operationKey: 'a'.repeat(64) }, /other parameters/],
  ];
  for (const [data, message] of refusals) {
    const id = orderIdOf(data as WorkOrder);
    await t.throwsAsync(carryOut(data, id), { instanceOf: OrderRefused, message });
  }
  await t.throwsAsync(carryOut(order, 'b'.repeat(64)), { instanceOf: OrderRefused, message: /not what its id says/ });
  t.is(performed(), 0);
});

test('a subtitle file that a pass reads beside the media has to be there, too', async (t) => {
  const { objects, carryOut, performed } = await duty(t);
  const lines = Buffer.from('1\n00:00:00,000 --> 00:00:01,000\nHello\n');
  const attached = { contentId: contentIdOfBytes(lines), format: 'srt' } as const;
  const tracks = [{ index: 1, codec: 'subrip', language: null, attached }];
  const asked: WorkOrder = { ...order, task: { ...task, tracks } };
  await objects.putAll([{ contentId: sourceContentId, bytes: media }]);
  const message = new RegExp(`^its input ${attached.contentId} is missing`);
  await t.throwsAsync(carryOut(asked, orderIdOf(asked)), { instanceOf: OrderRefused, message });
  await objects.putAll([{ contentId: attached.contentId, bytes: lines }]);
  await carryOut(asked, orderIdOf(asked));
  t.is(performed(), 1);
});

test('an input that is missing or damaged is refused, and one that is whole is worked on once', async (t) => {
  const { objects, outcomes, carryOut, performed } = await duty(t);
  await t.throwsAsync(carryOut(order), { instanceOf: OrderRefused, message: /is missing in the object source/ });
  await objects.putAll([{ contentId: sourceContentId, bytes: media }]);
  await carryOut(order);
  await carryOut(order);
  t.is(performed(), 1);
  const written = await outcomes.of(orderIdOf(order));
  t.deepEqual(
    written.map((found) => parsedOutcome(found).outcome),
    [{ state: 'completed', result: { found: 1 } }],
  );
});

test('a tool that fails is an outcome; a machine that cannot work gives no outcome', async (t) => {
  const failing = await duty(t, () =>
    Promise.reject({ lifecycle: 'failed', code: 'executor_failed', message: 'tool_exit: code 1' }),
  );
  await failing.objects.putAll([{ contentId: sourceContentId, bytes: media }]);
  await failing.carryOut(order);
  const [found] = await failing.outcomes.of(orderIdOf(order));
  t.deepEqual(found === undefined ? null : parsedOutcome(found).outcome, {
    state: 'failed',
    message: 'tool_exit: code 1',
  });

  const broken = await duty(t, () =>
    Promise.reject({ lifecycle: 'failed', code: 'executor_failed', message: 'launch_failed: no folder' }),
  );
  await broken.objects.putAll([{ contentId: sourceContentId, bytes: media }]);
  await t.throwsAsync(broken.carryOut(order), { message: 'launch_failed: no folder' });
  t.deepEqual(await broken.outcomes.of(orderIdOf(order)), []);
});

const lostOrder: WorkOrder = {
  schema: 'studio.work-order.v1',
  version,
  operationKey: 'a'.repeat(64),
  parameters: {},
  tools: [{ name: 'ffmpeg', version: '5.1', digest: `sha256:${'5'.repeat(64)}` }],
  task: {
    capability: 'media.subtitles',
    sourceContentId: `sha256:${'0'.repeat(64)}`,
    range: { startMs: 0, endMs: 1000 },
    tracks: [],
    picture: null,
  },
};

test('an order over which workers were lost goes on for as long as they keep windows', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'lost-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const windows = new SharedWindows(root);
  const clock = new SimulatedClock(Date.now());
  const orders = new WorkOrders({
    objects: new SharedObjects(root),
    outcomes: new SharedOutcomes(root),
    windows,
    clock,
    figures: new WorkerFigures(),
    report: () => undefined,
  });
  const id = orderIdOf(lostOrder);
  const kept = [1000, 2000];
  let notified = 0;
  // Each time that it is given, too many workers are lost over it; the first two times they came as far as a window.
  orders.use({
    notify: async () => {
      notified += 1;
      const endMs = kept.shift();
      if (endMs !== undefined) await windows.add(id, endMs, Buffer.from('measured'));
      orders.receive(id, { kind: 'lost', reason: 'stalled' });
      return 'gone';
    },
    withdraw: async () => undefined,
    workers: async () => 1,
    close: async () => undefined,
  });
  const carriedOut = orders.carriedOut(
    { order: lostOrder, provide: async () => undefined, accept: async () => null },
    { signal: new AbortController().signal, measured: () => undefined, waits: () => undefined },
  );
  await t.throwsAsync(carriedOut, { instanceOf: OperationFailed, message: 'workers were lost over it: stalled' });
  t.is(notified, 3);
});

const operationKey = 'c'.repeat(64);

const lateOrderId = 'd'.repeat(64);

const tools = [{ name: 'ffmpeg', version: '5.1', digest: `sha256:${'5'.repeat(64)}` }];

async function lateOutcomes(t: ExecutionContext, standing?: object) {
  const root = await mkdtemp(join(tmpdir(), 'late-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const outcomes = new SharedOutcomes(root);
  const windows = new SharedWindows(root);
  const clock = new SimulatedClock(Date.now());
  const figures = new WorkerFigures();
  const reported: string[] = [];
  const wanted = new Set<string>();
  const late = new LateOutcomes({
    outcomes,
    windows,
    clock,
    figures,
    pauseMs: 1000,
    ledger: { getMany: async () => [standing] },
    isWanted: (id) => wanted.has(id),
    report: (line) => void reported.push(line),
  });
  let at = 0;
  const add = (worker: string, outcome: object) => {
    const written = {
      schema: 'studio.work-outcome.v1',
      orderId: lateOrderId,
      operationKey,
      worker,
      version: '1',
      tools,
      outcome,
    };
    at += 1;
    return outcomes.add(lateOrderId, storedBytes(written), at);
  };
  const left = async () => (await outcomes.of(lateOrderId)).length;
  const aside = () => readdir(join(root, 'set-aside')).catch(() => []);
  return { late, clock, figures, reported, wanted, outcomes, windows, add, left, aside };
}

test('bug: a file in the place of an order ended every look at the outcomes of workers', async (t) => {
  const root = await scratchFolder(t);
  const outcomes = new SharedOutcomes(root);
  await mkdir(join(root, 'outcomes'));
  await writeFile(join(root, 'outcomes', lateOrderId), 'stray');
  for (const orderId of await outcomes.orders()) t.deepEqual(await outcomes.of(orderId), []);
  t.deepEqual(await outcomes.orders(), [lateOrderId]);
});

test('bug: an outcome whose place is a link to nothing kept a host from all outcomes of its order', async (t) => {
  const root = await scratchFolder(t);
  const outcomes = new SharedOutcomes(root);
  await outcomes.add(lateOrderId, Buffer.from('{}'), 1);
  await symlink(join(root, 'none'), join(root, 'outcomes', lateOrderId, '000000000000002-link.json'));
  t.deepEqual(
    (await outcomes.of(lateOrderId)).map(({ bytes }) => bytes?.toString() ?? null),
    ['{}', null],
  );
});

const completed = (result: unknown) => ({ state: 'completed', result });

const hourMs = 3_600_000;

test('a second result that agrees is removed in time; one that disagrees is set aside once', async (t) => {
  const { late, clock, figures, reported, add, left, aside } = await lateOutcomes(t, { found: 1 });
  await add('first', completed({ found: 1 }));
  await add('second', completed({ found: 1 }));
  await add('third', completed({ found: 2 }));
  await late.look();
  await late.look();
  t.is(figures.of('disagreeing'), 1);
  t.is(reported.length, 1);
  t.regex(reported[0] ?? '', /^third came to another result of operation c{64}/);
  t.is((await aside()).length, 1);
  t.is(await left(), 2);
  clock.advance(hourMs + 60_000);
  await late.look();
  t.is(await left(), 0);
  t.is(figures.of('disagreeing'), 1);
});

test('if the ledger has no result of the key, the first written result counts', async (t) => {
  const { late, figures, add, left } = await lateOutcomes(t);
  await add('first', completed({ found: 1 }));
  await add('second', completed({ found: 1 }));
  await add('third', completed({ found: 2 }));
  await late.look();
  t.is(figures.of('disagreeing'), 1);
  t.is(await left(), 2);
});

test('awaited outcomes stay, failures go soon, and unreadable ones go after a day', async (t) => {
  const { late, clock, wanted, outcomes, add, left } = await lateOutcomes(t);
  await add('first', { state: 'failed', message: 'tool_exit: code 1' });
  await outcomes.add(lateOrderId, Buffer.from('no outcome'), 99);
  clock.advance(120_000);
  wanted.add(lateOrderId);
  await late.look();
  t.is(await left(), 2);
  wanted.clear();
  await late.look();
  t.is(await left(), 1);
  clock.advance(25 * hourMs);
  await late.look();
  t.is(await left(), 0);
});

test('windows of a pass that no study waits for go a day after the last of them was kept', async (t) => {
  const { late, clock, wanted, windows } = await lateOutcomes(t);
  await windows.add(lateOrderId, 300_000, Buffer.from('measured'));
  clock.advance(23 * hourMs);
  await late.look();
  t.deepEqual(await windows.endsMs(lateOrderId), [300_000]);
  clock.advance(2 * hourMs);
  wanted.add(lateOrderId);
  await late.look();
  t.deepEqual(await windows.endsMs(lateOrderId), [300_000]);
  wanted.clear();
  await late.look();
  t.deepEqual(await windows.orders(), []);
});

test('after a damaged window, or one without an object, the pass resumes at the one before', async (t) => {
  const root = join(await scratchFolder(t), 'damaged');
  const [windows, objects, reported] = [new SharedWindows(root), new SharedObjects(root), [] as string[]];
  const [orderId, other] = ['a'.repeat(64), 'b'.repeat(64)];
  const kept = orderWindows({ windows, objects, report: (line) => void reported.push(line) }, orderId)(1000);
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
