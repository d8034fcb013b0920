import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { type RegisteredSource, registeredSource } from '../../contract/sources/source-session.ts';
import { openVideoHost, type VideoHost } from '../../fixtures/video-host/server.ts';
import { openStore } from '../actors/reopening/stored-studies.ts';
import { checkDataRoot, processesOf } from './checks.ts';
import { type HostProcess, startHost } from './host-process.ts';
import { askRange, rangeReached, rangeStatus } from './range-client.ts';
import { isSoak } from './soak.ts';

const media = fileURLToPath(new URL('../../fixtures/sample/source/media/sample.mp4', import.meta.url));

let videos: VideoHost | undefined;
test.before(async () => {
  videos = await openVideoHost({ media, statedSeconds: 50, port: 0 });
});
test.after.always(() => videos?.close());

async function dataRoot(t: ExecutionContext): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'range-crash-')));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  return root;
}

const start = (t: ExecutionContext, root: string, crashAt?: string): Promise<HostProcess> =>
  startHost(t, root, crashAt, ['--videohost-origin', videos?.origin ?? '', '--allow-loopback-videohost']);

/** A range that no other request names, of a few seconds. */
const range = (number: number) => ({
  url: `${videos?.origin}/page.html`,
  startMs: 1000 * number,
  endMs: 1000 * number + 3000,
});

async function noProcesses(t: ExecutionContext, root: string): Promise<void> {
  for (let round = 0; round < 40 && (await processesOf(root)).length > 0; round += 1) await delay(50);
  t.deepEqual(await processesOf(root), []);
}

/** Every source that a data root which nobody uses holds, and the state of its last ingest. */
async function stored(root: string, ingestId: string | null) {
  const store = await openStore(root);
  try {
    const rows = await store.ledger.list('source');
    const sources: RegisteredSource[] = rows.map(({ value }) => registeredSource.parse(value));
    const row = ingestId === null ? undefined : store.ledger.get('snapshot', ingestId);
    const notes = (await store.ledger.list('record', 'unused/')).map(({ key }) => key);
    return { sources, state: (row as { status?: string } | undefined)?.status, notes };
  } finally {
    await store.close();
  }
}

/** A last life in peace: all that was promised is registered, and the object store holds its files and nothing else. */
async function endsWell(t: ExecutionContext, root: string, promised: readonly string[]): Promise<void> {
  const host = await start(t, root);
  for (const ingestId of promised) t.is((await rangeReached(host, ingestId)).status, 'registered');
  t.is(await host.stop(), 0, host.told().join('\n'));
  await noProcesses(t, root);
  await checkDataRoot(t, root);
  const { sources, notes } = await stored(root, null);
  t.deepEqual(notes, []);
  const named = sources.flatMap(({ files }) =>
    files.flatMap(({ path, contentId }) => (path === null ? [contentId] : [])),
  );
  const objects = await readdir(join(root, 'objects', 'sha256'), { recursive: true, withFileTypes: true });
  const held = objects.filter((entry) => entry.isFile()).map(({ name }) => `sha256:${name}`);
  t.deepEqual(held.sort(), [...new Set(named)].sort());
}

/** The points that a range passes, from the request to the registry. */
const way: string[] = [];

test.serial('without a crash a range passes a commit for each of its states', async (t) => {
  const root = await dataRoot(t);
  const host = await start(t, root, `+${Number.MAX_SAFE_INTEGER}`);
  await host.count();
  const ingestId = await askRange(host, range(0));
  t.is((await rangeReached(host, ingestId ?? '')).status, 'registered');
  t.is(await host.stop(), 0);
  way.push(...host.points().map((line) => line.slice(line.lastIndexOf(': ') + 2)));
  t.log(way.join(' '));
  t.true(way.filter((name) => name === 'commit:after').length >= 8);
  for (const name of ['object-store:imported', 'object-store:renamed', 'object-store:put']) t.true(way.includes(name));
  await endsWell(t, root, [ingestId ?? '']);
});

/**
 * Every commit on the way but the first, which is not acknowledged yet, and the moment at which media is stored; in a soak
 * also those around it.
 */
const stops = (): number[] => {
  const commits = way.flatMap((name, index) => (name === 'commit:after' ? [index + 1] : [])).slice(1, 8);
  const around = ['object-store:imported', ...(isSoak ? ['object-store:renamed', 'object-store:put'] : [])].map(
    (name) => way.indexOf(name) + 1,
  );
  return [...new Set([...commits, ...around])].sort((a, b) => a - b);
};

/** The states in which kills of both parts left a range. Commits that come together count as one, so each part alone may miss some. */
const states = new Set<string>();

for (const lane of [0, 1]) {
  test.serial(`a host that is killed at a commit or while it stores media goes on, part ${lane + 1}`, async (t) => {
    t.timeout(300_000, 'several lives on a busy machine');
    const root = await dataRoot(t);
    const promised: string[] = [];
    for (const [index, stop] of stops().entries()) {
      if (index % 2 !== lane) continue;
      const host = await start(t, root, `+${stop}`);
      for (const ingestId of promised) t.is((await rangeReached(host, ingestId)).status, 'registered');
      await host.count();
      const ingestId = await askRange(host, range(index + 1));
      t.is(await host.ended, 'SIGKILL', host.told().join('\n'));
      await noProcesses(t, root);
      if (ingestId !== null) promised.push(ingestId);
      const { state } = await stored(root, ingestId);
      if (state !== undefined) states.add(state);
      t.log(`killed at ${stop}: ${host.points().at(-1)}, ${state ?? 'not acknowledged'}`);
    }
    await endsWell(t, root, promised);
  });
}

test.serial('the kills left ranges in every state that lasts: resolving, downloading and sealing', (t) => {
  for (const state of ['resolving', 'downloading', 'sealing']) t.true(states.has(state), [...states].join());
});

for (const state of ['resolving', 'downloading'] as const) {
  test.serial(
    `a host that is killed while the tool works at ${state} leaves no process and no part of a file`,
    async (t) => {
      t.timeout(120_000, 'several lives on a busy machine');
      const root = await dataRoot(t);
      const host = await start(t, root);
      const first = (await askRange(host, { ...range(1), endMs: 45_000 })) ?? '';
      const second = (await askRange(host, range(2))) ?? '';
      const isUnderWay = async () => {
        const [now, work] = [await rangeStatus(host, first), await readdir(join(root, 'work'))];
        const wanted = state === 'resolving' ? 'process-' : 'download-';
        return now?.status === state && work.some((name) => name.startsWith(wanted));
      };
      while (!(await isUnderWay())) await delay(10);
      await delay(100);
      await host.kill();
      await noProcesses(t, root);
      t.is((await stored(root, first)).state, state);
      t.is((await stored(root, second)).state, 'queued');
      await endsWell(t, root, [first, second]);
    },
  );
}
