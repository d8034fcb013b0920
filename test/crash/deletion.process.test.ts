import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { deletionReceipt, deletions, diskUse, garbageCollection } from '../../contract/deletion.ts';
import type { HostInProcess } from '../host/host-in-process.ts';
import { checkWhole } from './checks.ts';
import { CrashClient, nothingPromised } from './client.ts';
import { CopiedLife, inTwoLanes, type Left, SharedLife } from './copied-lives.ts';
import { openInMemory } from './host-in-memory.ts';
import { askHost } from './host-process.ts';
import { LaterClient } from './later-client.ts';
import { mediaNumber } from './media.ts';

const flags = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];
async function ask(host: HostInProcess, method: string, path: string, body?: object) {
  const { status, text } = await askHost(host, method, path, body);
  return { status, body: JSON.parse(text) as unknown };
}

const codeOf = ({ body }: { body: unknown }): string =>
  z.looseObject({ error: z.looseObject({ code: z.string() }) }).parse(body).error.code;

const remove = async (host: HostInProcess, path: string) => {
  const { status, body } = await ask(host, 'DELETE', path);
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return deletionReceipt.parse(body);
};

/** A collection begins after every requested erasure has ended. */
const collected = async (host: HostInProcess) =>
  garbageCollection.parse((await ask(host, 'POST', '/v1/garbage-collections', { dryRun: true })).body);

const nothing = { files: 0, bytes: 0 };

/** The things to delete: a runtime with captions, and a source. `other` is a runtime that shares their objects and stays. */
interface Doomed {
  readonly runtimeId: string;
  readonly other: string;
  readonly sessionId: string;
  readonly ingestId: string;
}

/** A data root with two runtimes of the sample, and with an upload that has a study of its own. */
async function prepared(t: ExecutionContext, root: string): Promise<Doomed & { readonly studied: string }> {
  const host = await openInMemory(t, root, { flags });
  const later = new LaterClient(host);
  const runtimeId = await later.study();
  const other = await later.study(undefined, 'other');
  await later.caption(runtimeId);
  const promised = nothingPromised(1, mediaNumber(1));
  const client = new CrashClient(host);
  await client.drive(promised);
  const { sourceSessionId: sessionId } = await client.registered(promised);
  const studied = promised.runtime?.runtimeId ?? '';
  const inUse = await ask(host, 'DELETE', `/v1/source-sessions/${sessionId}`);
  t.is(inUse.status, 409);
  t.regex(JSON.stringify(inUse.body), new RegExp(`source_in_use.*1 runtime needs it: ${studied}`));
  await host.stop();
  return { runtimeId, other, sessionId, ingestId: promised.ingestId ?? '', studied };
}

/** Both are deleted without a crash: the remains of each death on the way, and the answers up to it. */
const way = new SharedLife(async (t, { folder, root }) => {
  const doomed = await prepared(t, root);
  const known: string[] = [];
  const isWanted = (point: string) => point === 'commit:after';
  const life = new CopiedLife({ root, copies: folder, isWanted, known: () => [...known] });
  let isCounted = false;
  const host = await openInMemory(t, root, { flags, points: (name) => isCounted && life.point(name) });
  t.deepEqual((await collected(host)).removed.object, nothing, 'every object is reached');
  await remove(host, `/v1/runtimes/${doomed.studied}`);
  await collected(host);
  isCounted = true;
  const receipt = await remove(host, `/v1/runtimes/${doomed.runtimeId}?operator=Somebody`);
  known.push(doomed.runtimeId);
  await collected(host);
  const ofSource = await remove(host, `/v1/source-sessions/${doomed.sessionId}`);
  known.push(doomed.sessionId);
  await collected(host);
  isCounted = false;
  await host.stop();
  return { doomed, receipt, ofSource, root, ...life };
});
test.after.always(way.remove);

/** Nothing is left of what was deleted, and all of the rest is there. */
async function isGone(t: ExecutionContext, host: HostInProcess, doomed: Doomed): Promise<void> {
  for (const path of ['', '/events', '/overview', '/evidence', '/caption-productions']) {
    const answer = await ask(host, 'GET', `/v1/runtimes/${doomed.runtimeId}${path}`);
    t.is(`${answer.status} ${codeOf(answer)}`, '410 runtime_deleted', path);
  }
  for (const path of [
    `/v1/source-sessions/${doomed.sessionId}/media-probe`,
    `/v1/owned-media-ingests/${doomed.ingestId}`,
    `/v1/runtimes?source=${doomed.sessionId}`,
  ]) {
    const answer = await ask(host, 'GET', path);
    t.is(`${answer.status} ${codeOf(answer)}`, '410 source_deleted', path);
  }
  for (const path of ['/v1/runtimes', '/v1/source-sessions', '/v1/owned-media-ingests']) {
    const text = JSON.stringify((await ask(host, 'GET', path)).body);
    for (const id of [doomed.runtimeId, doomed.sessionId, doomed.ingestId])
      t.false(text.includes(id), `${path} lists ${id}`);
  }
  t.is((await ask(host, 'GET', `/v1/runtimes/${doomed.other}/evidence`)).status, 200);
  const { total, runtimes, sources } = diskUse.parse((await ask(host, 'GET', '/v1/disk-use')).body);
  t.deepEqual(total.unreached, nothing);
  t.deepEqual(
    runtimes.map(({ runtimeId }) => runtimeId),
    [doomed.other],
  );
  t.deepEqual([sources[0]?.runtimes, sources.length], [1, 1]);
}

/** Goes on with what a death left, and deletes again what was to be deleted. */
async function liveOnFrom(t: ExecutionContext, doomed: Doomed, { root, point, known }: Left<string[]>): Promise<void> {
  const host = await openInMemory(t, root, { flags });
  for (const id of known) t.is((await ask(host, 'GET', `/v1/deletions`)).status, 200, id);
  await remove(host, `/v1/runtimes/${doomed.runtimeId}`);
  await remove(host, `/v1/source-sessions/${doomed.sessionId}`);
  t.deepEqual((await collected(host)).removed.object, nothing);
  await isGone(t, host, doomed);
  t.is(await host.stop(), 0);
  t.deepEqual(
    host.reported().filter((line) => /damaged|next start/.test(line)),
    [],
    point,
  );
  await checkWhole(t, root);
}

test('a runtime and a source are deleted, and objects of another runtime stay', async (t) => {
  const { doomed, receipt, ofSource, root, passed } = await way.of(t);
  t.like(receipt, { operator: 'Somebody', deleted: { kind: 'runtime', lifecycle: 'terminal' } });
  t.true(receipt.erased.events > 40 && receipt.erased.objects > 10, JSON.stringify(receipt.erased));
  t.like(ofSource.deleted, { kind: 'source', ingestIds: [doomed.ingestId] });
  t.log(passed.join(' '));
  const host = await openInMemory(t, root, { flags });
  await isGone(t, host, doomed);
  t.deepEqual(await remove(host, `/v1/runtimes/${doomed.runtimeId}`), receipt);
  t.deepEqual(await remove(host, `/v1/source-sessions/${doomed.sessionId}?operator=Another`), ofSource);
  const list = deletions.parse((await ask(host, 'GET', '/v1/deletions')).body);
  t.is(list.deletions.length, 3);
  t.deepEqual(list.deletions.slice(0, 2), [ofSource, receipt]);
  await host.stop();
  await checkWhole(t, root);
});

test('a host that dies at any commit of a deletion goes on with it, or never began it', async (t) => {
  const { doomed, left } = await way.of(t);
  t.true(left.length >= 5);
  await inTwoLanes(left, (each) => liveOnFrom(t, doomed, each));
});
