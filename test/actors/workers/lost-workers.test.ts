import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { orderIdOf } from '../../../actors/workers/order-identity.ts';
import { OperationFailed } from '../../../actors/workers/outcome-refused.ts';
import { WorkOrders } from '../../../actors/workers/work-orders.ts';
import { WorkerFigures } from '../../../actors/workers/worker-figures.ts';
import { version } from '../../../contract/base/program-version.ts';
import type { WorkOrder } from '../../../contract/workers/work-order.ts';
import { SharedObjects } from '../../../storage/objects/shared-objects.ts';
import { SharedOutcomes } from '../../../storage/objects/shared-outcomes.ts';
import { SharedWindows } from '../../../storage/objects/shared-windows.ts';
import { SimulatedClock } from '../supervision/simulated-clock.ts';

const order: WorkOrder = {
  ...{ schema: 'studio.work-order.v1', version, operationKey: 'a'.repeat(64), parameters: {} },
  tools: [{ name: 'ffmpeg', version: '5.1', digest: `sha256:${'5'.repeat(64)}` }],
  task: {
    ...{ capability: 'media.subtitles', sourceContentId: `sha256:${'0'.repeat(64)}` },
    ...{ range: { startMs: 0, endMs: 1000 }, tracks: [] },
  },
};

test('an order over which workers were lost again and again goes on for as long as they keep windows', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'lost-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const windows = new SharedWindows(root);
  const clock = new SimulatedClock(Date.now());
  const orders = new WorkOrders({
    ...{ objects: new SharedObjects(root), outcomes: new SharedOutcomes(root), windows, clock },
    ...{ figures: new WorkerFigures(), report: () => undefined },
  });
  const id = orderIdOf(order);
  const kept = [1000, 2000];
  let rung = 0;
  // Each time that it is given, too many workers are lost over it; the first two times they came as far as a window.
  orders.use({
    ring: async () => {
      rung += 1;
      const endMs = kept.shift();
      if (endMs !== undefined) await windows.add(id, endMs, Buffer.from('measured'));
      orders.hear(id, { kind: 'lost', reason: 'stalled' });
      return 'gone';
    },
    withdraw: async () => undefined,
    workers: async () => 1,
    close: async () => undefined,
  });
  const carriedOut = orders.carriedOut(
    { order, provide: async () => undefined, accept: async () => null },
    { signal: new AbortController().signal, measured: () => undefined, waits: () => undefined },
  );
  await t.throwsAsync(carriedOut, { instanceOf: OperationFailed, message: 'workers were lost over it: stalled' });
  t.is(rung, 3);
});
