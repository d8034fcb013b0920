import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { mediaPasses } from '../../../actors/study/media-passes.ts';
import { OrderDuty } from '../../../actors/workers/order-duty.ts';
import { orderIdOf, taskKeyOf } from '../../../actors/workers/order-identity.ts';
import { orderWindows } from '../../../actors/workers/order-windows.ts';
import { parsedOutcome } from '../../../actors/workers/read-outcome.ts';
import { workerAbility } from '../../../actors/workers/worker-ability.ts';
import { version } from '../../../contract/base/program-version.ts';
import type { WorkOrder, WorkTask } from '../../../contract/workers/work-order.ts';
import { sampleMedia } from '../../../fixtures/sample/gold.ts';
import { contentIdOfBytes } from '../../../receipts/core/canonical-json.ts';
import { SharedObjects } from '../../../storage/objects/shared-objects.ts';
import { SharedOutcomes } from '../../../storage/objects/shared-outcomes.ts';
import { SharedWindows } from '../../../storage/objects/shared-windows.ts';
import { type DetectionBench, openDetectionBench } from '../../executors/evidence/detection-for-tests.ts';

let bench: DetectionBench;

test.before(async () => {
  bench = await openDetectionBench();
});

test.after.always(() => bench.close());

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

test('a worker goes on behind the last window of one that was lost, finds the same, and leaves no window', async (t) => {
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

test('behind a window that is damaged, or that names an object that is gone, the one before goes on', async (t) => {
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
