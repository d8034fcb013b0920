import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { type RegisteredSource, registeredSource } from '../../../contract/sources/source-session.ts';
import { openVideoHost, type VideoHost } from '../../../fixtures/video-host/server.ts';
import { openStore } from '../../actors/reopening/stored-studies.ts';
import { checkDataRoot, checkProcesses } from '../../crash/checks.ts';
import { CopiedLife, emptyRoot, isSoak, SharedLife } from '../../crash/copied-lives.ts';
import { type Reachable, startHost } from '../../crash/host-process.ts';
import { askRange, rangeReached, rangeStatus } from '../../crash/range-client.ts';
import { openInProcess, withDownloader } from '../../host/host-in-process.ts';

const media = fileURLToPath(new URL('../../../fixtures/sample/source/media/sample.mp4', import.meta.url));

let videos: VideoHost | undefined;
test.before(async () => {
  videos = await openVideoHost({ media, statedSeconds: 50, port: 0 });
});
test.after.always(() => videos?.close());

const flags = () => ['--videohost-origin', videos?.origin ?? '', '--allow-loopback-videohost'];

/** A host in this process, for what a death left. */
const open = (t: ExecutionContext, root: string, points?: (name: string) => void) =>
  openInProcess(t, root, { flags: flags(), environment: withDownloader, ...(points === undefined ? {} : { points }) });

/** A range that no other request names, of a few seconds. */
const range = (number: number) => ({
  url: `${videos?.origin}/page.html`,
  startMs: 1000 * number,
  endMs: 1000 * number + 3000,
});

/** Every source in an unused data root, and the state of its last ingest. */
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
async function endsWell(
  t: ExecutionContext,
  root: string,
  promised: readonly string[],
  host: Reachable & { stop(): Promise<number | string | null> },
): Promise<void> {
  for (const ingestId of promised) t.is((await rangeReached(host, ingestId)).status, 'registered');
  t.is(await host.stop(), 0, host.reported().join('\n'));
  await checkProcesses(t, root);
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

/** The durable states of the range, and the moment at which its media is stored; in a soak also the moments around it. */
const isWanted = (point: string): boolean =>
  (isSoak ? /^(commit:after|object-store:(imported|renamed|put))/ : /^(commit:after|object-store:imported)/).test(
    point,
  );

/** From the request of a range to its source, without a crash: what each death on the way leaves, and the state that it left. */
const way = new SharedLife(async (t, { folder, root }) => {
  let isCounted = false;
  const life = new CopiedLife({ root, copies: folder, isWanted, known: () => undefined });
  const host = await open(t, root, (name) => isCounted && life.point(name));
  isCounted = true;
  const ingestId = (await askRange(host, range(0))) ?? '';
  t.is((await rangeReached(host, ingestId)).status, 'registered');
  isCounted = false;
  t.is(await host.stop(), 0);
  const left: { root: string; point: string; state: string }[] = [];
  // At the first commit nothing is acknowledged yet.
  for (const { root: copy, point } of life.left.slice(1)) {
    left.push({ root: copy, point, state: (await stored(copy, ingestId)).state ?? '' });
  }
  return { root, ingestId, passed: life.passed, left };
});
test.after.always(way.remove);

test('without a crash a range passes a commit for each of its states', async (t) => {
  const { root, ingestId, passed } = await way.of(t);
  t.log(passed.join(' '));
  t.true(passed.filter((name) => name === 'commit:after').length >= 8);
  for (const name of ['object-store:imported', 'object-store:renamed', 'object-store:put']) {
    t.true(passed.includes(name));
  }
  await endsWell(t, root, [ingestId], await open(t, root));
});

for (const lane of [0, 1]) {
  test(`a host that is killed at a commit or while it stores media goes on, part ${lane + 1}`, async (t) => {
    const { ingestId, left } = await way.of(t);
    const part = left.filter((_, index) => index % 2 === lane);
    t.true(part.length >= 4);
    for (const { root, point, state } of part) {
      t.log(`died at ${point}: ${state}`);
      await endsWell(t, root, [ingestId], await open(t, root));
    }
  });
}

test('the kills left ranges in every state that lasts: resolving, downloading and sealing', async (t) => {
  // Commits that come together count as one.
  const states = new Set((await way.of(t)).left.map(({ state }) => state));
  for (const state of ['resolving', 'downloading', 'sealing']) t.true(states.has(state), [...states].join());
});

for (const state of ['resolving', 'downloading'] as const) {
  // Alone: it watches for a moment in the life of a real host.
  test.serial(`a host that is killed while its tool is at ${state} leaves no process, no part of a file`, async (t) => {
    // On a busy machine the range may have gone on before the kill: then another is killed.
    let isHit = false;
    for (let kills = 0; !isHit && kills < 10; kills += 1) isHit = await killedAt(t, state);
    t.true(isHit, `no kill came at ${state}`);
  });
}

/** Kills a host while the tool works at a state; whether the range was in it still. */
async function killedAt(t: ExecutionContext, state: 'resolving' | 'downloading'): Promise<boolean> {
  const root = await emptyRoot(t);
  const host = await startHost(t, root, undefined, flags());
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
  await checkProcesses(t, root);
  const isHit = (await stored(root, first)).state === state;
  if (isHit) t.is((await stored(root, second)).state, 'queued');
  await endsWell(t, root, [first, second], await startHost(t, root, undefined, flags()));
  return isHit;
}
