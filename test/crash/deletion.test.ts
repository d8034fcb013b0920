import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { deletionReceipt, deletions } from '../../contract/deletion/deletion-receipt.ts';
import { diskUse } from '../../contract/deletion/disk-use.ts';
import { garbageCollection } from '../../contract/deletion/garbage-collection.ts';
import { type HostInProcess, openInProcess } from '../host/host-in-process.ts';
import { checkDataRoot, checkRuntimes } from './checks.ts';
import { CrashClient, nothingPromised } from './client.ts';
import { CopiedLife, inTwoLanes, type Left } from './copied-lives.ts';
import { LaterClient } from './later-client.ts';
import { mediaNumber } from './media.ts';

const flags = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];
const way = { folder: '', runtimeId: '', other: '', sessionId: '', ingestId: '', left: [] as Left<string[]>[] };
test.after.always(() => rm(way.folder, { recursive: true, force: true }));

async function ask(host: HostInProcess, method: string, path: string, body?: object) {
  const answer = await fetch(`${host.announced?.listening}${path}`, {
    method,
    headers: { Authorization: `Bearer ${host.announced?.authorizationToken}`, 'Content-Type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as unknown };
}

const codeOf = ({ body }: { body: unknown }): string =>
  z.looseObject({ error: z.looseObject({ code: z.string() }) }).parse(body).error.code;

const remove = async (host: HostInProcess, path: string) => {
  const { status, body } = await ask(host, 'DELETE', path);
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return deletionReceipt.parse(body);
};

/** A collection begins after every erasure that was asked for has come to its end. */
const collected = async (host: HostInProcess) =>
  garbageCollection.parse((await ask(host, 'POST', '/v1/garbage-collections', { dryRun: true })).body);

const nothing = { files: 0, bytes: 0 };

test.serial('a runtime and a source are deleted, and what another runtime shares stays', async (t) => {
  way.folder = await realpath(await mkdtemp(join(tmpdir(), 'crash-deletion-')));
  const root = join(way.folder, 'way');
  await mkdir(root, { mode: 0o700 });
  const first = await openInProcess(t, root, { flags });
  const later = new LaterClient(first);
  way.runtimeId = await later.study();
  way.other = await later.study({ clientRequestId: 'other' });
  await later.caption(way.runtimeId);
  const promised = nothingPromised(1, await mediaNumber(1));
  const client = new CrashClient(first);
  await client.drive(promised);
  const { sourceSessionId } = await client.registered(promised);
  way.sessionId = sourceSessionId;
  way.ingestId = promised.ingestId ?? '';
  const studied = promised.runtime?.runtimeId ?? '';
  const inUse = await ask(first, 'DELETE', `/v1/source-sessions/${way.sessionId}`);
  t.is(inUse.status, 409);
  t.regex(JSON.stringify(inUse.body), new RegExp(`source_in_use.*1 runtime needs it: ${studied}`));
  await first.stop();

  const known: string[] = [];
  const life = new CopiedLife({
    root,
    copies: way.folder,
    isWanted: (point) => point === 'commit:after',
    known: () => [...known],
  });
  let isCounted = false;
  const host = await openInProcess(t, root, { flags, points: (name) => isCounted && life.point(name) });
  t.deepEqual((await collected(host)).removed.object, nothing, 'every object is reached');
  await remove(host, `/v1/runtimes/${studied}`);
  await collected(host);
  isCounted = true;
  const receipt = await remove(host, `/v1/runtimes/${way.runtimeId}?operator=Somebody`);
  known.push(way.runtimeId);
  t.like(receipt, { operator: 'Somebody', deleted: { kind: 'runtime', lifecycle: 'terminal' } });
  t.true(receipt.erased.events > 40 && receipt.erased.objects > 10, JSON.stringify(receipt.erased));
  await collected(host);
  const ofSource = await remove(host, `/v1/source-sessions/${way.sessionId}`);
  known.push(way.sessionId);
  t.like(ofSource.deleted, { kind: 'source', ingestIds: [way.ingestId] });
  await collected(host);
  isCounted = false;
  way.left = life.left;
  t.log(life.passed.join(' '));
  await isGone(t, host);
  t.deepEqual(await remove(host, `/v1/runtimes/${way.runtimeId}`), receipt);
  t.deepEqual(await remove(host, `/v1/source-sessions/${way.sessionId}?operator=Another`), ofSource);
  const list = deletions.parse((await ask(host, 'GET', '/v1/deletions')).body);
  t.is(list.deletions.length, 3);
  t.deepEqual(list.deletions.slice(0, 2), [ofSource, receipt]);
  await host.stop();
  await checkDataRoot(t, root);
  await checkRuntimes(t, root);
});

/** Nothing is left of what was deleted, and all of the rest is there. */
async function isGone(t: ExecutionContext, host: HostInProcess): Promise<void> {
  for (const path of ['', '/events', '/overview', '/evidence', '/caption-productions']) {
    const answer = await ask(host, 'GET', `/v1/runtimes/${way.runtimeId}${path}`);
    t.is(`${answer.status} ${codeOf(answer)}`, '410 runtime_deleted', path);
  }
  for (const path of [
    `/v1/source-sessions/${way.sessionId}/media-probe`,
    `/v1/owned-media-ingests/${way.ingestId}`,
    `/v1/runtimes?source=${way.sessionId}`,
  ]) {
    const answer = await ask(host, 'GET', path);
    t.is(`${answer.status} ${codeOf(answer)}`, '410 source_deleted', path);
  }
  for (const path of ['/v1/runtimes', '/v1/source-sessions', '/v1/owned-media-ingests']) {
    const text = JSON.stringify((await ask(host, 'GET', path)).body);
    for (const id of [way.runtimeId, way.sessionId, way.ingestId]) t.false(text.includes(id), `${path} lists ${id}`);
  }
  t.is((await ask(host, 'GET', `/v1/runtimes/${way.other}/evidence`)).status, 200);
  const { total, runtimes, sources } = diskUse.parse((await ask(host, 'GET', '/v1/disk-use')).body);
  t.deepEqual(total.unreached, nothing);
  t.deepEqual(
    runtimes.map(({ runtimeId }) => runtimeId),
    [way.other],
  );
  t.deepEqual([sources[0]?.runtimes, sources.length], [1, 1]);
}

/** Goes on with what a death left, and deletes again what was to be deleted. */
async function liveOnFrom(t: ExecutionContext, { root, point, known }: Left<string[]>): Promise<void> {
  const host = await openInProcess(t, root, { flags });
  for (const id of known) t.is((await ask(host, 'GET', `/v1/deletions`)).status, 200, id);
  await remove(host, `/v1/runtimes/${way.runtimeId}`);
  await remove(host, `/v1/source-sessions/${way.sessionId}`);
  t.deepEqual((await collected(host)).removed.object, nothing);
  await isGone(t, host);
  t.is(await host.stop(), 0);
  t.deepEqual(
    host.told().filter((line) => /damaged|next start/.test(line)),
    [],
    point,
  );
  await checkDataRoot(t, root);
  await checkRuntimes(t, root);
}

test.serial('a host that dies at any commit of a deletion goes on with it, or never began it', async (t) => {
  t.true(way.left.length >= 5);
  await inTwoLanes(way.left, (left) => liveOnFrom(t, left));
});
