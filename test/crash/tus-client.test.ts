import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { Upload } from 'tus-js-client';
import { ownedIngestStatus } from '../../contract/ingest/owned-ingest.ts';
import { humWav } from '../http/host/media.ts';
import { type HostProcess, startHost } from './host-process.ts';

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

test('an uploader made by others goes on after a cut connection and after the death of the host', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'tus-test-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
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
