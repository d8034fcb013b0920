import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { StudyHost } from '../../client/study-host.ts';
import { typesOf } from './event-types.ts';

test('a host without streams is followed page by page', async (t) => {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const seq = asked.length;
    const page = { runtimeId: 'runtime:1', lifecycle: 'terminal', reason: null, terminal: true, journalHead: 2 };
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.end(JSON.stringify({ ...page, events: [{ seq, type: `event ${seq}` }], reachedHead: seq === 2 }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const old = StudyHost.connect({ baseUrl: `http://127.0.0.1:${port}`, token: '' });
  t.deepEqual(await typesOf(old.follow('runtime:1')), ['event 1', 'event 2'] as never[]);
  t.deepEqual(
    asked.map((url) => new URL(url, 'http://host').search),
    ['?after=0&limit=200&wait=8000', '?after=1&limit=200&wait=8000'],
  );
  server.closeAllConnections();
});

test('the actors of a host are followed behind the last commit after each cut', async (t) => {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const commit = 4 + asked.length;
    response.setHeader('Content-Type', 'text/event-stream');
    response.end(
      `id: 3,${commit}\nevent: actors\ndata: {"commit":${commit}}\n\nevent: progress\ndata: {}\n\nid: 3,${commit + 10}\nevent: transition\ndata: {"actorId":"a","seq":1}\n\n`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const client = StudyHost.connect({ baseUrl: `http://127.0.0.1:${port}`, token: '' });
  const seen: unknown[] = [];
  for await (const told of client.watch({ runtimes: { r: 3 }, actors: 'all' })) {
    if (told.event !== 'progress') seen.push(told);
    if (seen.length === 3) break;
  }
  t.deepEqual(
    asked.map((url) => new URL(url, 'http://host').search),
    ['?runtimes=r@3&actors=all', '?runtimes=r@3&actors=all@15'],
  );
  t.deepEqual(seen[0], { event: 'actors', data: { commit: 5 } });
  server.closeAllConnections();
});
