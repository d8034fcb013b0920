import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { Upload } from 'tus-js-client';
import { ownedIngestStatus } from '../../contract/ingest.ts';
import { prepareDataRoot } from '../../storage/objects/data-root.ts';
import { workFolderName } from '../../storage/objects/leftovers.ts';
import { openStore } from '../actors/reopening/stored-studies.ts';
import { openInProcess } from '../host/host-in-process.ts';
import { humWav } from '../http/host/media.ts';
import { isRefused } from '../http/listener/raw-socket.ts';
import { eventually } from '../patience.ts';
import { seededNumbers } from '../storage/ledger/scratch.ts';
import { checkDataRoot, checkProcesses, checkWhole, settle } from './checks.ts';
import { CrashClient, nothingPromised, type Promised, phaseOf } from './client.ts';
import { emptyRoot, isSoak, SharedLife } from './copied-lives.ts';
import { HostGone, type HostProcess, startHost } from './host-process.ts';
import { mediaNumber } from './media.ts';

const seed = Number(process.env.MEDIA_STUDY_TEST_SEED ?? 20_261_121);
const kills = isSoak ? 30 : 5;
const killsOfATest = isSoak ? 10 : 5;

/** The way from an upload to a decision: the points before a host listens, those to the end, and those of the kills. */
const plan = new SharedLife(async (t, { root }) => {
  let points = 0;
  const host = await openInProcess(t, root, {
    points: () => {
      points += 1;
    },
  });
  const toListening = points;
  await new CrashClient(host).drive(nothingPromised(0, mediaNumber(0)));
  await host.stop();
  const below = seededNumbers(seed);
  const border = (stretch: number) => Math.floor((stretch * points) / kills);
  const stops = Array.from({ length: kills }, (_, stretch) => {
    const from = border(stretch);
    return from + 1 + below(border(stretch + 1) - from);
  });
  t.log(`seed ${seed}: kills at ${stops.join(', ')} of ${points}`);
  return { toListening, stops };
});
test.after.always(plan.remove);

/** One life of the host that settles the past, begins something new and dies at one of the points that follow. */
async function liveUntil(
  t: ExecutionContext,
  root: string,
  [stop, toListening]: readonly [stop: number, toListening: number],
  past: readonly Promised[],
  next: Promised,
): Promise<void> {
  // The first life of a data root may die while it starts; the others are counted from when they have nothing left to do.
  const isFirst = past.length === 0;
  const host = await startHost(t, root, isFirst ? `${stop}` : `+${Math.max(1, stop - toListening)}`);
  const client = new CrashClient(host);
  try {
    await settle(t, client, past);
    if (!isFirst) await host.count();
    await client.drive(next);
    await host.kill();
  } catch (error) {
    if (!(error instanceof HostGone)) throw error;
    t.is(await host.ended, 'SIGKILL', host.reported().join('\n'));
  }
  t.log(`killed in ${phaseOf(next)} at ${host.points().at(-1)}, with ${next.events.length} events read`);
  await checkProcesses(t, root);
}

/** A life that settles the past and ends normally; returns its output. */
async function liveOn(t: ExecutionContext, root: string, past: readonly Promised[]): Promise<readonly string[]> {
  const host = await startHost(t, root);
  await settle(t, new CrashClient(host), past);
  t.is(await host.stop(), 0, host.reported().join('\n'));
  await checkProcesses(t, root);
  await checkWhole(t, root);
  return host.reported();
}

for (let first = 0; first < kills; first += killsOfATest) {
  test(`kills ${first + 1} to ${first + killsOfATest} of a real process: what was acknowledged is there and finishes`, async (t) => {
    const { stops, toListening } = await plan.of(t);
    const root = await emptyRoot(t);
    const past: Promised[] = [];
    for (const [index, stop] of stops.slice(first, first + killsOfATest).entries()) {
      const next = nothingPromised(first + index + 1, mediaNumber(first + index + 1));
      await liveUntil(t, root, [stop, toListening], past, next);
      past.push(next);
    }
    await liveOn(t, root, past);
  });
}

test('a host that is stopped in the middle of a study continues at the same state', async (t) => {
  const root = await emptyRoot(t);
  const promised = nothingPromised(0, mediaNumber(0));
  const host = await startHost(t, root);
  const client = new CrashClient(host);
  await client.ingest(promised);
  await client.start(promised);
  await client.follow(promised, () => promised.events.some((text) => text.includes('media.operation_started')));
  t.false(promised.isTerminal);
  t.is(await host.stop(), 0, host.reported().join('\n'));
  await checkProcesses(t, root);
  t.log(await liveOn(t, root, [promised]));
  t.true(promised.isTerminal);
});

test('a host that is killed in an upload leaves the ingest open and the inbox empty', async (t) => {
  const root = await emptyRoot(t);
  const promised = nothingPromised(0, mediaNumber(0));
  const host = await startHost(t, root);
  const client = new CrashClient(host);
  await client.sendHalf(promised);
  while ((await readdir(join(root, 'inbox'))).length === 0) await delay(20);
  await host.kill();
  await liveOn(t, root, [promised]);
});

test('a host that is stopped twice, and does not wait for its answers, died on request', async (t) => {
  const root = await emptyRoot(t);
  const host = await startHost(t, root);
  const promised = nothingPromised(1, mediaNumber(1));
  const client = new CrashClient(host);
  await client.ingest(promised);
  await client.start(promised);
  // An upload under way keeps the host from ending by itself.
  await client.sendHalf(nothingPromised(2, mediaNumber(2)));
  const pid = host.announced?.pid ?? 0;
  process.kill(pid, 'SIGINT');
  // It has noted the request by the time that it takes no more connections.
  const port = Number(new URL(host.announced?.listening ?? '').port);
  await eventually('the end of listening', () => isRefused(port));
  process.kill(pid, 'SIGINT');
  t.is(await host.ended, 1);
  const store = await openStore(root);
  t.teardown(() => store.close());
  t.deepEqual(await store.ledger.list('record', 'host/at-work'), []);
});

// Without /proc the owner of a process is unknown.
const isReported = existsSync('/proc/self/environ');

test('a process that an earlier host left in its private folder ends with the next start', async (t) => {
  const root = await emptyRoot(t);
  const { work } = await prepareDataRoot(root);
  const folder = join(work, workFolderName('process', randomUUID()));
  await mkdir(folder, { mode: 0o700 });
  const left = spawn('sleep', ['600'], { cwd: folder, env: { PATH: process.env.PATH, HOME: folder }, stdio: 'ignore' });
  t.teardown(() => left.kill('SIGKILL'));
  const ended = once(left, 'exit');
  const host = await startHost(t, root);
  if (isReported) t.deepEqual(await ended, [null, 'SIGKILL']);
  await host.kill();
  await checkDataRoot(t, root);
});

const chunkBytes = 64 * 1024;
const media = humWav(50, 40_000);

/** A way to the host that stays while hosts come and go, and that can be cut. */
async function openWay(t: ExecutionContext, target: () => number) {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const host = connect(target(), '127.0.0.1');
    for (const [one, other] of [
      [client, host],
      [host, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the way has no port');
  return {
    port: address.port,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

const present = (host: HostProcess) => {
  if (host.announced === null) throw new Error('the host is gone');
  const { listening, authorizationToken } = host.announced;
  return { origin: listening, port: Number(new URL(listening).port), token: authorizationToken };
};

test('a foreign uploader continues after a cut connection and after the death of the host', async (t) => {
  const root = await emptyRoot(t);
  let host = await startHost(t, root);
  const way = await openWay(t, () => present(host).port);
  let isCut = false;
  let restarted: Promise<void> | null = null;
  const asked: string[] = [];
  const restart = async () => {
    await host.kill();
    host = await startHost(t, root);
  };

  const url = await new Promise<string>((resolve, reject) => {
    const upload = new Upload(media, {
      endpoint: `http://127.0.0.1:${way.port}/v1/owned-media-uploads`,
      chunkSize: chunkBytes,
      retryDelays: Array.from({ length: 100 }, () => 100),
      metadata: {
        filename: 'hum.wav',
        label: 'A hum',
        rightsHolder: 'The tester',
        rightsScope: 'local_processing',
        ownershipAttested: 'true',
      },
      onBeforeRequest: async (request) => {
        await restarted;
        const { origin, token } = present(host);
        request.setHeader('Authorization', `Bearer ${token}`);
        request.setHeader('Host', new URL(origin).host);
        asked.push(`${request.getMethod()} ${request.getHeader('Upload-Offset') ?? ''}`);
      },
      onProgress: (sent) => {
        if (!isCut && sent > 2 * chunkBytes) {
          isCut = true;
          way.cut();
        } else if (isCut && restarted === null && sent > 6 * chunkBytes) {
          restarted = restart();
        }
      },
      onSuccess: () => resolve(String(upload.url)),
      onError: reject,
    });
    upload.start();
  });

  t.true(isCut && restarted !== null);
  t.is(asked.filter((request) => request === 'PATCH 0').length, 1, asked.join(', '));
  t.true(asked.filter((request) => request.startsWith('HEAD')).length >= 2, asked.join(', '));
  const { origin, token } = present(host);
  const path = new URL(url).pathname.replace(/\/upload$/, '');
  for (;;) {
    const answer = await fetch(`${origin}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    const status = ownedIngestStatus.parse(await answer.json());
    if (status.status === 'registered' || status.status === 'failed') {
      t.like(status, { status: 'registered', source: { label: 'A hum' } });
      break;
    }
    await delay(50);
  }
  t.is(await host.stop(), 0);
});
