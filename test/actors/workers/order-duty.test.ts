import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { OrderDuty } from '../../../actors/workers/order-duty.ts';
import { orderIdOf, taskKeyOf } from '../../../actors/workers/order-identity.ts';
import { parsedOutcome } from '../../../actors/workers/read-outcome.ts';
import { version } from '../../../contract/base/program-version.ts';
import type { WorkOrder } from '../../../contract/workers/work-order.ts';
import { OrderRefused } from '../../../executors/workers/order-queue.ts';
import { contentIdOfBytes } from '../../../receipts/core/canonical-json.ts';
import { SharedObjects } from '../../../storage/objects/shared-objects.ts';
import { SharedOutcomes } from '../../../storage/objects/shared-outcomes.ts';
import { SharedWindows } from '../../../storage/objects/shared-windows.ts';

const tool = { name: 'ffmpeg', version: '5.1', digest: `sha256:${'5'.repeat(64)}` };
const own = { tools: [tool], parameters: { 'subtitle_track.rule': 'one' } };
const media = Buffer.from('media');
const sourceContentId = contentIdOfBytes(media);
const range = { startMs: 0, endMs: 1000 };
const task = { capability: 'media.subtitles', sourceContentId, range, tracks: [] } as const;
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
    ...{ name: 'w', objects, outcomes, windows: new SharedWindows(root), ability },
    report: () => undefined,
  });
  const stop = new AbortController();
  const carryOut = (data: unknown, id = orderIdOf(order)) =>
    carrier.carryOut(data, { id, signal: stop.signal, measured: () => undefined });
  return { objects, outcomes, carryOut, stop, performed: () => performed };
}

test('an order of another version, with other tools or parameters, or that is not its id, is refused with the reason', async (t) => {
  const { objects, carryOut, performed } = await duty(t);
  await objects.putAll([{ contentId: sourceContentId, bytes: media }]);
  const refusals: readonly (readonly [unknown, RegExp])[] = [
    [{ ...order, more: 1 }, /no order that this version knows/],
    [{ ...order, version: '9.9.9' }, /^version 9\.9\.9 is asked for, and version \S+ is there$/],
    [{ ...order, tools: [{ ...tool, version: '6.0' }] }, /^ffmpeg 6\.0 \(sha256:5{12}\) is asked for, and ffmpeg 5\.1/],
    [{ ...order, tools: [{ ...tool, name: 'whisper' }] }, /^whisper 5\.1 .* and there is no whisper$/],
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

test('a tool that came to nothing is an outcome; a machine that cannot work is none', async (t) => {
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
