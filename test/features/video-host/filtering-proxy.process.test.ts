import { once } from 'node:events';
import { createServer, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import {
  type FilteringProxy,
  openFilteringProxy,
  type ProxyOptions,
} from '../../../features/video-host/engine/filtering-proxy.ts';

async function target(
  t: ExecutionContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ origin: string; port: number; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return { origin: `http://127.0.0.1:${port}`, port, requests };
}

/** A proxy with a listener, whose port is the one that its environment names. */
type OpenProxy = FilteringProxy & { readonly environment: Readonly<Record<string, string>> };

async function proxyFor(t: ExecutionContext, options: Partial<ProxyOptions> = {}): Promise<OpenProxy> {
  const defaults = { lookup: async () => [], openOrigin: null, secret: 'secret1', maximumBytes: 1_000_000 };
  const proxy = openFilteringProxy({ ...defaults, ...options });
  t.teardown(() => proxy.close());
  const listener = createTcpServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  proxy.serve(listener);
  const environment = proxy.environmentAt(typeof address === 'object' ? (address?.port ?? 0) : 0);
  return Object.assign(proxy, { environment });
}

const portOf = ({ environment }: OpenProxy) => Number(new URL(environment.http_proxy ?? '').port);
const authorization = (secret: string) => `Basic ${Buffer.from(`tool:${secret}`).toString('base64')}`;

/** One absolute-form request through the proxy; the status and body of its answer, or null when the connection breaks. */
async function plain(
  proxy: OpenProxy,
  url: string,
  { secret = 'secret1', method = 'GET', body = '' } = {},
): Promise<{ status: number; body: string; headers: IncomingMessage['headers'] } | null> {
  const headers = { 'Proxy-Authorization': authorization(secret), 'X-Mine': 'yes', TE: 'trailers' };
  const outgoing = openRequest({ host: '127.0.0.1', port: portOf(proxy), path: url, method, headers });
  outgoing.end(body);
  try {
    const [response]: IncomingMessage[] = await once(outgoing, 'response');
    if (response === undefined) return null;
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    return { status: response.statusCode ?? 0, body: text, headers: response.headers };
  } catch {
    return null;
  }
}

/** A CONNECT through the proxy: the socket behind it and the status line. */
async function tunnel(
  proxy: OpenProxy,
  authority: string,
  secret: string | null = 'secret1',
): Promise<{ status: string; head: string; socket: Socket }> {
  const socket = connect(portOf(proxy), '127.0.0.1');
  socket.on('error', () => {});
  const shown = secret === null ? '' : `Proxy-Authorization: ${authorization(secret)}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${shown}\r\n`);
  const [first] = await once(socket.setEncoding('utf8'), 'data');
  const head = String(first);
  return { status: head.split(' ')[1] ?? '', head, socket };
}

async function echo(t: ExecutionContext): Promise<number> {
  const server = createTcpServer((socket) => socket.on('error', () => {}).pipe(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

test('a plain request goes through whole, without the headers of the hop', async (t) => {
  const host = await target(t, (request, response) => {
    response.setHeader('X-Theirs', 'yes');
    request.pipe(response);
  });
  const proxy = await proxyFor(t, { openOrigin: host.origin });
  const got = await plain(proxy, `${host.origin}/path?query=1`, { method: 'POST', body: 'hello' });
  t.is(got?.status, 200);
  t.is(got?.body, 'hello');
  t.is(got?.headers['x-theirs'], 'yes');
  const [seen] = host.requests;
  t.is(seen?.url, '/path?query=1');
  t.is(seen?.headers['x-mine'], 'yes');
  t.is(seen?.headers.host, `127.0.0.1:${host.port}`);
  t.is(seen?.headers['proxy-authorization'], undefined);
  t.is(seen?.headers.te, undefined);
  t.deepEqual(proxy.findings.lastOutcome, { kind: 'answered', status: 200 });
});

test('a client without the secret must authenticate, and reaches nothing', async (t) => {
  const host = await target(t, (_, response) => response.end('found'));
  const proxy = await proxyFor(t, { openOrigin: host.origin });
  const refused = await plain(proxy, `${host.origin}/`, { secret: 'secret2' });
  t.is(refused?.status, 407);
  t.regex(String(refused?.headers['proxy-authenticate']), /^Basic /);
  for (const secret of [null, 'wrong', '']) {
    const { status, head } = await tunnel(proxy, `127.0.0.1:${host.port}`, secret);
    t.is(status, '407');
    t.regex(head, /Proxy-Authenticate: Basic /);
  }
  t.is(host.requests.length, 0);
  t.is(proxy.findings.requests, 0);
});

test('anything but an absolute http address is refused', async (t) => {
  const proxy = await proxyFor(t);
  for (const url of [
    'ftp://8.8.8.8/',
    'https://8.8.8.8/',
    '/path',
    'http://user:word@8.8.8.8/',
    'file:///etc/hostname',
  ]) {
    t.is((await plain(proxy, url))?.status, 403, url);
  }
  for (const authority of ['8.8.8.8:25', '8.8.8.8:22', '8.8.8.8', 'user@8.8.8.8:443']) {
    const { status, socket } = await tunnel(proxy, authority);
    socket.destroy();
    t.true(['403', '400'].includes(status), `${authority}: ${status}`);
  }
  t.true(proxy.findings.refusedAddress);
});

test('private addresses are refused in every spelling, and no neighbor gets a request', async (t) => {
  const host = await target(t, (_, response) => response.end('found'));
  const proxy = await proxyFor(t, { openOrigin: 'http://127.0.0.1:1', lookup: async () => ['127.0.0.1'] });
  const spellings = ['127.0.0.1', '127.1', '0x7f.1', '2130706433', '017700000001', '[::1]', '[::ffff:127.0.0.1]'];
  for (const name of [...spellings, 'localhost', 'LOCALHOST.', '0.0.0.0', '[64:ff9b::7f00:1]', 'named.example']) {
    t.is((await plain(proxy, `http://${name}:${host.port}/`))?.status, 403, name);
    t.is((await tunnel(proxy, `${name}:${host.port}`)).status, '403', name);
  }
  t.is(host.requests.length, 0);
});

test('a name is resolved once, and a name with one private address among public ones is refused', async (t) => {
  const asked: string[] = [];
  const answers = [['8.8.8.8', '10.0.0.1'], ['127.0.0.1']];
  const lookup = async (name: string) => {
    asked.push(name);
    return answers.shift() ?? [];
  };
  const proxy = await proxyFor(t, { lookup });
  t.is((await plain(proxy, 'http://turning.example/'))?.status, 403);
  t.deepEqual(asked, ['turning.example']);
});

test('the connection goes to the address that was checked, whatever the name answers next', async (t) => {
  const host = await target(t, (_, response) => response.end('checked'));
  const answers = [['127.0.0.1'], ['10.9.9.9']];
  const lookup = async () => answers.shift() ?? [];
  const proxy = await proxyFor(t, { lookup, openOrigin: `http://turning.example:${host.port}` });
  t.is((await plain(proxy, `http://turning.example:${host.port}/`))?.body, 'checked');
  t.is((await plain(proxy, `http://turning.example:${host.port}/`))?.status, 403);
  t.is(host.requests.length, 1);
});

test('a name that the open origin stands for is loopback or nothing', async (t) => {
  const proxy = await proxyFor(t, { lookup: async () => ['8.8.8.8'], openOrigin: 'http://seam.example:4000' });
  t.is((await plain(proxy, 'http://seam.example:4000/'))?.status, 403);
});

test('a name without an address and a port without a listener are unreachable', async (t) => {
  const nobody = await proxyFor(t, {
    lookup: async () => {
      throw new Error('no such name');
    },
  });
  t.is((await plain(nobody, 'http://nobody.example/'))?.status, 502);
  t.deepEqual(nobody.findings.lastOutcome, { kind: 'host_unreachable' });
  const closed = await proxyFor(t, { openOrigin: 'http://127.0.0.1:1' });
  t.is((await plain(closed, 'http://127.0.0.1:1/'))?.status, 502);
  t.deepEqual(closed.findings.lastOutcome, { kind: 'host_unreachable' });
  t.false(closed.findings.refusedAddress);
});

test('a tunnel to the open origin carries bytes both ways, and ends with either side', async (t) => {
  const port = await echo(t);
  const proxy = await proxyFor(t, { openOrigin: `https://127.0.0.1:${port}` });
  const { status, socket } = await tunnel(proxy, `127.0.0.1:${port}`);
  t.is(status, '200');
  socket.write('there and back');
  const [back] = await once(socket, 'data');
  t.is(String(back), 'there and back');
  t.deepEqual(proxy.findings.lastOutcome, { kind: 'answered', status: null });
  socket.end();
  await once(socket, 'close');
});

test('no more bytes pass than were allowed, of all connections together', async (t) => {
  const host = await target(t, (_, response) => response.end(Buffer.alloc(60_000)));
  const proxy = await proxyFor(t, { openOrigin: host.origin, maximumBytes: 100_000 });
  t.is((await plain(proxy, `${host.origin}/`))?.body.length, 60_000);
  t.false(proxy.findings.overLimit);
  t.is(await plain(proxy, `${host.origin}/`), null);
  t.true(proxy.findings.overLimit);
});

test('a connection without a byte is ended', async (t) => {
  const host = await target(t, () => {});
  const proxy = await proxyFor(t, { openOrigin: host.origin, idleMs: 200 });
  t.is(await plain(proxy, `${host.origin}/`), null);
  const port = await echo(t);
  const other = await proxyFor(t, { openOrigin: `https://127.0.0.1:${port}`, idleMs: 200 });
  const { socket } = await tunnel(other, `127.0.0.1:${port}`);
  await once(socket, 'close');
  t.pass();
});

test('an answer that breaks off is a fault of the host; one that the tool leaves is not', async (t) => {
  const host = await target(t, (request, response) => {
    response.writeHead(200, { 'Content-Length': 100_000 });
    response.write('x'.repeat(1000), () => {
      if (request.url === '/breaks') response.destroy();
    });
  });
  const proxy = await proxyFor(t, { openOrigin: host.origin });
  t.is(await plain(proxy, `${host.origin}/breaks`), null);
  t.deepEqual(proxy.findings.lastOutcome, { kind: 'host_unreachable' });
  const headers = { 'Proxy-Authorization': authorization('secret1') };
  const left = openRequest({ host: '127.0.0.1', port: portOf(proxy), path: `${host.origin}/left`, headers });
  left.on('error', () => {});
  left.end();
  await once(left, 'response');
  left.destroy();
  await delay(100);
  t.deepEqual(proxy.findings.lastOutcome, { kind: 'answered', status: 200 });
});

test('closing ends every connection at once, and nothing listens any more', async (t) => {
  const port = await echo(t);
  const host = await target(t, () => {});
  const proxy = await proxyFor(t, { openOrigin: host.origin });
  const tunnels = await proxyFor(t, { openOrigin: `https://127.0.0.1:${port}` });
  const waiting = plain(proxy, `${host.origin}/`);
  while (host.requests.length === 0) await delay(5);
  const { socket } = await tunnel(tunnels, `127.0.0.1:${port}`);
  const gone = once(socket, 'close');
  await Promise.all([proxy.close(), tunnels.close(), proxy.close()]);
  t.is(await waiting, null);
  await gone;
  t.is(await plain(proxy, `${host.origin}/`), null);
});
