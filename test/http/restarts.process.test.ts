import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { maximumWaitMs } from '../../contract/journal.ts';
import { sourceSessionList } from '../../contract/sources/source-session.ts';
import { runtimePlan } from '../../contract/study/start.ts';
import { findUwsBinary, THIS_RUNTIME } from '../../http/listener/uws-binding.ts';
import type { WireAnswer } from '../host/wire-question.ts';
import { eventually } from '../patience.ts';
import { type AdapterFlag, adapterNames, HostContract } from './host/contract.ts';
import {
  arrived,
  ingest,
  ingestRequest,
  ingests,
  octets,
  openIngest,
  putMedia,
  reached,
  statusOf,
  storedFiles,
} from './host/ingest-steps.ts';
import { humWav } from './host/media.ts';
import {
  eventsPage,
  followed,
  heldStudy,
  plans,
  runtimeOf,
  sampleRow,
  startStudy,
  studyRequest,
} from './host/study-steps.ts';
import { StreamReader } from './streams/stream-reader.ts';

// A host process that is stopped, killed, or runs out of files, with work in every state.

const adapters: readonly AdapterFlag[] = findUwsBinary(THIS_RUNTIME) === undefined ? ['node'] : ['uws', 'node'];
const run = promisify(execFile);

/** A host process of its own for one test. */
async function opened(t: ExecutionContext, adapter: AdapterFlag): Promise<HostContract> {
  const contract = new HostContract(adapter);
  t.teardown(() => contract.close());
  await contract.open();
  return contract;
}

/** Ingests in every state; the gate is closed, and there are two workers. */
async function ingestsInEveryState(
  t: ExecutionContext,
  contract: HostContract,
  seed: number,
): Promise<readonly string[]> {
  const ended = [await ingest(t, contract, humWav(seed)), await ingest(t, contract, Buffer.from('no media'))];
  const canceled = await openIngest(t, contract, ingestRequest(5));
  await contract.post(`${ingests}/${canceled}/cancellations`, {});
  const open = await openIngest(t, contract, ingestRequest(5));
  await contract.gate.close();
  const media = [1, 2, 3].map((at) => humWav(seed + at));
  const waiting = await Promise.all(media.map(({ length }) => openIngest(t, contract, ingestRequest(length))));
  for (const [at, ingestId] of waiting.entries()) {
    t.is((await putMedia(contract, ingestId, media[at] ?? Buffer.alloc(0))).status, 202);
    if (at < 2) await reached(t, contract, ingestId, ['probing']);
  }
  return [...ended.map(({ ingestId }) => ingestId), canceled, open, ...waiting];
}

async function everything(
  t: ExecutionContext,
  contract: HostContract,
  ingestIds: readonly string[],
  runtimeIds: readonly string[],
) {
  const list = await contract.get('/v1/source-sessions');
  return {
    sources: contract.granted(t, list, 200, sourceSessionList).sourceSessions,
    ingests: await Promise.all(ingestIds.map((ingestId) => statusOf(t, contract, ingestId))),
    runtimes: await Promise.all(runtimeIds.map((runtimeId) => runtimeOf(t, contract, runtimeId))),
    journals: await Promise.all(runtimeIds.map((runtimeId) => eventsPage(t, contract, runtimeId))),
  };
}

/** Kills the host in the middle of an upload. */
async function killed(t: ExecutionContext, contract: HostContract, ingestId: string): Promise<void> {
  const { client } = contract;
  const fields = [`Content-Type: ${octets['Content-Type']}`, 'Content-Length: 50000'];
  const head = client.head(`PUT ${ingests}/${ingestId}/media`, ...fields);
  const socket = client.raw().send(head).send(Buffer.alloc(20_000));
  await arrived(contract, ingestId);
  t.deepEqual(await contract.kill(), { code: null, signal: 'SIGKILL' });
  socket.destroy();
}

/** Asks the host to stop while a client waits for the next event. */
async function stopped(t: ExecutionContext, contract: HostContract, events: string): Promise<void> {
  const { client } = contract;
  const poll = client.raw();
  // Longer than a host that stops waits for its answers.
  const journal = `/v1/runtimes/${events}&wait=${maximumWaitMs}`;
  // Both in one packet: once the first is answered, the host has the second as well.
  poll.send(client.head('GET /v1/source-sessions') + client.head(`GET ${journal}`));
  t.is((await poll.answer()).status, 200);
  const ending = contract.stop();
  t.is((await poll.answer()).status, 200);
  t.deepEqual(await ending, { code: 0, signal: null });
  poll.destroy();
}

for (const adapter of adapters) {
  for (const [how, seed] of [
    ['asked to stop', 100],
    ['killed', 120],
  ] as const) {
    test(`${adapterNames[adapter]}: a host that was ${how} goes on, and nothing acknowledged is lost`, async (t) => {
      const contract = await opened(t, adapter);
      const source = await sampleRow(t, contract);
      const finished = await startStudy(t, contract, studyRequest(source));
      await followed(t, contract, finished.runtimeId);
      const ingestIds = await ingestsInEveryState(t, contract, seed);
      const held = [1, 2, 3].map((at) =>
        studyRequest(source, { range: { startMs: seed * 10, endMs: seed * 10 + 500 + at } }),
      );
      const acks = await Promise.all(held.map((request) => startStudy(t, contract, request)));
      const runtimeIds = [finished, ...acks].map(({ runtimeId }) => runtimeId);
      await settled(t, contract, runtimeIds);
      const before = await everything(t, contract, ingestIds, runtimeIds);
      t.deepEqual(
        before.ingests.map(({ status }) => status),
        ['registered', 'failed', 'failed', 'queued', 'probing', 'probing', 'queued'],
      );
      t.deepEqual(before.runtimes.map(({ lifecycle }) => lifecycle).sort(), [
        'accepted',
        'running',
        'running',
        'terminal',
      ]);

      const cut = await openIngest(t, contract, ingestRequest(50_000));
      if (how === 'killed') await killed(t, contract, cut);
      else await stopped(t, contract, `${runtimeIds[1]}/events?after=${before.journals[1]?.journalHead}`);
      await nothingRuns(t, contract.gate.path);

      await contract.start();
      t.false((await storedFiles(contract)).some((file) => file.includes('/inbox/')));
      const after = await everything(t, contract, ingestIds, runtimeIds);
      t.deepEqual(after.sources, before.sources);
      t.deepEqual(after.ingests, before.ingests);
      t.deepEqual(after.runtimes[0], before.runtimes[0]);
      for (const [at, journal] of after.journals.entries()) {
        t.deepEqual(journal.events.slice(0, before.journals[at]?.events.length), before.journals[at]?.events);
      }
      for (const request of held) t.true(runtimeIds.includes((await startStudy(t, contract, request)).runtimeId));

      await contract.gate.open();
      for (const ingestId of ingestIds.slice(-3)) t.is((await reached(t, contract, ingestId)).status, 'registered');
      for (const [at, runtimeId] of runtimeIds.entries()) {
        const { events, last } = await followed(t, contract, runtimeId);
        t.like(last, { lifecycle: 'terminal', reason: null });
        t.deepEqual(events.slice(0, before.journals[at]?.events.length), before.journals[at]?.events);
      }
      const media = humWav(seed + 9, 3123).subarray(0, 50_000);
      t.is((await putMedia(contract, cut, media)).status, 202);
      t.is((await putMedia(contract, ingestIds[3] ?? '', Buffer.alloc(5))).status, 202);
    });
  }

  test(`${adapterNames[adapter]}: a stream is resumed without loss or doubles after a kill and after a stop`, async (t) => {
    const contract = await opened(t, adapter);
    const { runtimeId, head } = await heldStudy(t, contract, 2000);
    const path = `/v1/runtimes/${runtimeId}/events`;
    const first = await StreamReader.open(contract.client, path);
    await first.until('the events so far', ({ records }) => records === head);
    await contract.kill();
    t.is(await first.ended, 'cut');
    await contract.start();

    const resumeAt = { 'Last-Event-ID': first.lastId };
    const second = await StreamReader.open(contract.client, path, resumeAt);
    const stopped = contract.stop();
    t.is(await second.ended, 'whole');
    t.is((await stopped).code, 0);
    t.is(second.data('ended').length, 0);
    await contract.gate.open();
    await contract.start();

    const last = second.records === 0 ? first.lastId : second.lastId;
    const third = await StreamReader.open(contract.client, path, { 'Last-Event-ID': last });
    t.is(await third.ended, 'whole');
    const { events: records } = await followed(t, contract, runtimeId);
    t.deepEqual(
      [first, second, third].flatMap((stream) => stream.data('journal')),
      records,
    );
    t.is(third.data('ended').length, 1);
  });
}

test('a data root that cannot be read just now is unavailable, and nothing of that is remembered', async (t) => {
  const contract = await opened(t, adapters[0] ?? 'node');
  const { source } = await ingest(t, contract, humWav(152, 1200));
  if (source === null) throw new Error('not registered');
  const request = studyRequest(source);
  const { runtimeId } = await startStudy(t, contract, request);
  t.is((await followed(t, contract, runtimeId)).last.lifecycle, 'terminal');
  const before = await eventsPage(t, contract, runtimeId);
  // A new process knows none of the files; its one connection is open before the files run out.
  await contract.stop();
  await contract.start();
  t.is((await contract.get('/v1/source-sessions')).status, 200);
  const pid = Number((await contract.host.announced()).pid);
  const usual = await openFiles(pid);
  await limitOpenFiles(pid, `1:${usual.hard}`);
  const evidence = `/v1/runtimes/${runtimeId}/evidence`;
  for (const answer of [await contract.get(evidence), await contract.post(plans, request)]) {
    const message = contract.refused(t, answer, 'storage_unavailable', [
      'retry-after',
      'access-control-expose-headers',
    ]);
    t.regex(message, / \(EMFILE\)$/);
    t.is(answer.headers['retry-after'], '1');
  }
  await limitOpenFiles(pid, `${usual.soft}:${usual.hard}`);
  t.is((await contract.get(evidence)).status, 200);
  contract.granted(t, await contract.post(plans, request), 200, runtimePlan);
  t.deepEqual(await eventsPage(t, contract, runtimeId), before);
  t.is((await runtimeOf(t, contract, runtimeId)).lifecycle, 'terminal');
});

test('bug: without file descriptors deletions, collections and figures were faults of the host', async (t) => {
  const contract = await opened(t, adapters[0] ?? 'node');
  const { source } = await ingest(t, contract, humWav(153, 1200));
  if (source === null) throw new Error('not registered');
  const { runtimeId } = await startStudy(t, contract, studyRequest(source));
  t.is((await followed(t, contract, runtimeId)).last.lifecycle, 'terminal');
  t.is((await contract.get('/v1/source-sessions')).status, 200);
  const pid = Number((await contract.host.announced()).pid);
  const usual = await openFiles(pid);
  await limitOpenFiles(pid, `1:${usual.hard}`);
  const asked: readonly (() => Promise<WireAnswer>)[] = [
    () => contract.get('/v1/disk-use'),
    () => contract.post('/v1/garbage-collections', { dryRun: false }),
    () => contract.post('/v1/ledger-snapshots', {}),
    () => contract.get('/v1/signing-keys'),
    () => contract.ask('DELETE', `/v1/runtimes/${runtimeId}`),
  ];
  for (const ask of asked) {
    contract.refused(t, await ask(), 'storage_unavailable', ['retry-after', 'access-control-expose-headers']);
  }
  const metrics = await contract.get('/v1/metrics');
  t.is(metrics.status, 200);
  t.true(metrics.body.includes('process_cpu_seconds_total'));
  await limitOpenFiles(pid, `${usual.soft}:${usual.hard}`);
  for (const ask of asked) t.true((await ask()).status < 300);
});

/** Waits until the studies make no progress: two wait inside a pass over the media, the others for a worker. */
async function settled(t: ExecutionContext, contract: HostContract, runtimeIds: readonly string[]): Promise<void> {
  const areSettled = async () => {
    const pages = await Promise.all(runtimeIds.map((runtimeId) => eventsPage(t, contract, runtimeId)));
    return pages.filter(({ events }) => events.at(-1)?.type === 'media.operation_started').length === 2;
  };
  await eventually('the first passes of two studies', areSettled, 50);
}

/** Expects that no process of an ended host is left; what it had started dies with it, within a moment. */
async function nothingRuns(t: ExecutionContext, path: string): Promise<void> {
  const left = async () =>
    (await run('ps', ['-A', '-o', 'args='])).stdout.split('\n').filter((args) => args.includes(path));
  await t.notThrowsAsync(
    eventually('the end of what the host had started', async () => (await left()).length === 0, 100),
  );
}

/** The limits of open files of a process. */
async function openFiles(pid: number): Promise<{ readonly soft: string; readonly hard: string }> {
  const [, soft = '', hard = ''] =
    /Max open files +(\d+) +(\d+)/.exec(await readFile(`/proc/${pid}/limits`, 'utf8')) ?? [];
  return { soft, hard };
}

const limitOpenFiles = async (pid: number, limits: string): Promise<unknown> =>
  promisify(execFile)('prlimit', ['--pid', String(pid), `--nofile=${limits}`]);
