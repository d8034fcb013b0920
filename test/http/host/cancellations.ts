import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { runtimeStatus } from '../../../contract/study/runtime-status.ts';
import type { HostContract } from './contract.ts';
import { eventsPage, followed, journalFields, runtimeOf, sampleRow, startStudy, studyRequest } from './study-steps.ts';

const reason = { code: 'executor_interrupted', message: 'canceled: a client canceled the study' };

/** Studies that a client cancels. The gate holds them back inside their first pass; two of them can work at once. */
export function cancellations(contract: HostContract): void {
  const cancel = (runtimeId: string, body: object = {}) =>
    contract.post(`/v1/runtimes/${runtimeId}/cancellations`, body);

  async function canceled(t: ExecutionContext, runtimeId: string): Promise<void> {
    const status = contract.granted(t, await cancel(runtimeId), 202, runtimeStatus, journalFields);
    t.like(status, { schema: 'studio.local-runtime-status.v1', runtimeId, lifecycle: 'interrupted', reason });
  }

  async function started(t: ExecutionContext, startMs: number): Promise<string> {
    const request = studyRequest(await sampleRow(t, contract), { range: { startMs, endMs: startMs + 900 } });
    return (await startStudy(t, contract, request)).runtimeId;
  }

  async function heldBack(t: ExecutionContext, runtimeId: string): Promise<void> {
    while ((await eventsPage(t, contract, runtimeId)).events.at(-1)?.type !== 'media.operation_started') {
      await setTimeout(50);
    }
  }

  test.serial(
    contract.title('a study that runs, and one that waits for a worker, end when they are canceled'),
    async (t) => {
      await contract.gate.close();
      const running = [await started(t, 4000), await started(t, 4001)];
      for (const runtimeId of running) await heldBack(t, runtimeId);
      const waiting = await started(t, 4002);
      const next = await started(t, 4003);
      t.is((await runtimeOf(t, contract, waiting)).lifecycle, 'accepted');
      await canceled(t, waiting);
      t.is((await eventsPage(t, contract, waiting)).journalHead, 0, 'its journal was never opened');
      await canceled(t, String(running[0]));
      const { events, last } = await followed(t, contract, String(running[0]));
      t.deepEqual(
        events.slice(-4).map(({ type }) => type),
        ['media.operation_failed', 'runtime.interrupted', 'executor.finished', 'task.transitioned'],
      );
      t.deepEqual(last.reason, reason);
      // Its worker is free at once, although the gate never opened.
      await heldBack(t, next);
      await contract.gate.open();
      t.is((await followed(t, contract, next)).last.lifecycle, 'terminal');
      t.is((await followed(t, contract, String(running[1]))).last.lifecycle, 'terminal');
    },
  );

  test.serial(
    contract.title('a cancellation that was answered is still there after the host was killed'),
    async (t) => {
      await contract.gate.close();
      const runtimeId = await started(t, 4010);
      await heldBack(t, runtimeId);
      await canceled(t, runtimeId);
      const before = await runtimeOf(t, contract, runtimeId);
      await contract.kill();
      await contract.gate.open();
      await contract.start();
      t.deepEqual(await runtimeOf(t, contract, runtimeId), before);
    },
  );

  test.serial(contract.title('a study is canceled once, and not after its end'), async (t) => {
    const ended = await started(t, 4020);
    await followed(t, contract, ended);
    contract.refused(t, await cancel(ended), 'runtime_already_terminal');
    await contract.gate.close();
    const runtimeId = await started(t, 4021);
    await heldBack(t, runtimeId);
    const answers = await Promise.all([cancel(runtimeId), cancel(runtimeId), cancel(runtimeId)]);
    t.deepEqual(answers.map(({ status }) => status).sort(), [202, 409, 409]);
    contract.refused(t, await cancel(runtimeId), 'runtime_already_terminal');
    await contract.gate.open();
  });

  test.serial(contract.title('a cancellation of no runtime, or with another body, is refused'), async (t) => {
    contract.refused(t, await cancel('runtime:none'), 'unknown_runtime');
    contract.refused(t, await cancel('runtime:none', { force: true }), 'invalid_cancellation_request');
  });
}
