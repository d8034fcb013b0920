import test from 'ava';
import { runtimeStatus } from '../../../contract/study/runtime-status.ts';
import { contentIdOfBytes } from '../../../receipts/core/canonical-json.ts';
import type { HostContract } from './contract.ts';
import {
  eventsPage,
  followed,
  journalFields,
  runtimeOf,
  sampleRow,
  startStudy,
  starts,
  studyRequest,
} from './study-steps.ts';

/** Starting studies and asking where they stand. */
export function starting(contract: HostContract): void {
  test.serial(contract.title('a study is accepted, runs and ends; its command and its id tell the same'), async (t) => {
    const ack = await startStudy(t, contract, studyRequest(await sampleRow(t, contract)));
    t.like(ack, { reason: null, terminal: false });
    const { last } = await followed(t, contract, ack.runtimeId);
    t.is(last.lifecycle, 'terminal');
    const status = await runtimeOf(t, contract, ack.runtimeId);
    t.like(status, { lifecycle: 'terminal', terminal: true, reason: null, journalHead: last.journalHead });
    t.like(status, { acceptedAt: ack.acceptedAt, forecast: ack.forecast });
    t.deepEqual(status.runStartReceipt, ack.runStartReceipt);
    const { contentId, record } = ack.runStartReceipt ?? { contentId: '', record: null };
    t.is(contentId, contentIdOfBytes(Buffer.from(`${JSON.stringify(record, null, 2)}\n`)));
    const byRuntime = await contract.get(`/v1/runtimes/${ack.runtimeId}`);
    const byCommand = await contract.get(`${starts}/${ack.commandId.replace(':', '%3A')}`);
    t.deepEqual(byCommand.body, byRuntime.body);
    t.is(byCommand.headers['studio-journal-head'], byRuntime.headers['studio-journal-head']);
    contract.granted(t, byCommand, 200, runtimeStatus, journalFields);
  });

  test.serial(
    contract.title('the same request is the same study, however late and however often it comes'),
    async (t) => {
      const request = studyRequest(await sampleRow(t, contract));
      const first = await startStudy(t, contract, request);
      t.is(first.lifecycle, 'terminal');
      t.deepEqual(await startStudy(t, contract, request), first);
    },
  );

  test.serial(contract.title('equal starts that come together start one study'), async (t) => {
    const request = studyRequest(await sampleRow(t, contract), { clientRequestId: 'together' });
    const acks = await Promise.all(Array.from({ length: 12 }, () => startStudy(t, contract, request)));
    t.is(new Set(acks.map(({ runtimeId }) => runtimeId)).size, 1);
    t.is(new Set(acks.map(({ runStartReceipt }) => runStartReceipt?.contentId)).size, 1);
    const { events } = await followed(t, contract, acks[0]?.runtimeId ?? '');
    t.is(events.filter(({ type }) => type === 'task.created').length, 1);
    t.is(events.filter(({ type }) => type === 'executor.started').length, 1);
  });

  test.serial(
    contract.title('a client request id asks for an attempt of its own, and stands in its record'),
    async (t) => {
      const source = await sampleRow(t, contract);
      const attempt = (clientRequestId: string) => startStudy(t, contract, studyRequest(source, { clientRequestId }));
      const [one, two] = [await attempt('attempt-1'), await attempt('attempt-2')];
      t.not(one.runtimeId, two.runtimeId);
      t.is(one.analysisRequestId, two.analysisRequestId);
      t.is(one.runStartReceipt?.record.clientRequestId, 'attempt-1');
      t.is((await attempt('attempt-1')).runtimeId, one.runtimeId);
      for (const { runtimeId } of [one, two]) t.is((await followed(t, contract, runtimeId)).last.lifecycle, 'terminal');
      t.true((await eventsPage(t, contract, two.runtimeId)).journalHead > 0);
    },
  );

  test.serial(contract.title('commands and runtimes that nobody started are unknown'), async (t) => {
    const hex = 'a'.repeat(64);
    for (const id of [
      'x',
      hex,
      `runtime-start:${hex}0`,
      `runtime-start:${hex.toUpperCase()}`,
      `Runtime-start:${hex}`,
    ]) {
      contract.refused(t, await contract.get(`${starts}/${id}`), 'invalid_command_id');
    }
    contract.refused(t, await contract.get(`${starts}/runtime-start:${hex}`), 'unknown_command');
    for (const id of ['x', 'runtime:00000000-0000-4000-8000-000000000000', 'constructor', '__proto__', 'é']) {
      contract.refused(t, await contract.get(`/v1/runtimes/${encodeURIComponent(id)}`), 'unknown_runtime');
      contract.refused(t, await contract.get(`/v1/runtimes/${encodeURIComponent(id)}/events`), 'unknown_runtime');
    }
  });
}
