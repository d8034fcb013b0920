import { lookup } from 'node:dns/promises';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import test, { type ExecutionContext } from 'ava';
import { HostError, HostUnproved } from '../../client/host-error.ts';
import { StudyHost } from '../../client/study-host.ts';
import { hostProofs } from '../../http/routes/operation.ts';

// Any user of the machine may listen on a port, and pass on what comes.

const token = 'c'.repeat(64);
const facts = { device: '1', inode: '2', pid: 3, startedAt: '4' };

interface Listening {
  readonly server: Server;
  readonly port: number;
  /** The requests that have come, in order. */
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** How many connections were opened. */
  readonly connections: () => number;
}

async function listens(
  t: ExecutionContext,
  answer: (port: number) => RequestListener,
  at: { readonly port?: number; readonly address?: string } = {},
): Promise<Listening> {
  const requests: Listening['requests'] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers });
    answer((server.address() as AddressInfo).port)(request, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(at.port ?? 0, at.address ?? '127.0.0.1', resolve);
  });
  const end = () => {
    server.close();
    server.closeAllConnections();
  };
  t.teardown(end);
  return { server, port: (server.address() as AddressInfo).port, requests, connections: () => connections };
}

/** A host as far as these tests ask one. */
const asHost =
  (port: number, address = '127.0.0.1'): RequestListener =>
  (request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    const prove = hostProofs(facts, token, { address, port });
    const body =
      url.pathname === '/v1/host-proof'
        ? prove(url.searchParams.get('nonce') ?? '')
        : { schema: 'studio.host-health.v1', status: 'ok', version: '1' };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
  };

const hasToken = ({ requests }: Listening): boolean => requests.some(({ headers }) => 'authorization' in headers);

const at = (port: number, name = '127.0.0.1') => ({ baseUrl: `http://${name}:${port}`, token });

const proofsAt = ({ requests }: Listening): number =>
  requests.filter(({ path }) => path.startsWith('/v1/host-proof')).length;

test('a host proves itself on each connection before it gets the token, and again for another process', async (t) => {
  const host = await listens(t, asHost);
  const client = StudyHost.connect(at(host.port));
  t.is((await client.health()).status, 'ok');
  await client.health();
  const [first] = host.requests;
  t.regex(first?.path ?? '', /^\/v1\/host-proof\?nonce=[0-9a-f]{64}$/);
  t.false('authorization' in (first?.headers ?? {}));
  t.is(proofsAt(host), 1);
  t.is(host.connections(), 1);
  t.true(hasToken(host));
  await Promise.all([client.health(), client.health(), client.health()]);
  t.is(proofsAt(host), 3);
  t.is(host.connections(), 3);
  let process = 'first';
  const seen = StudyHost.connect(() => ({ ...at(host.port), process }));
  await seen.health();
  await seen.health();
  t.is(proofsAt(host), 4);
  process = 'second';
  await seen.health();
  t.is(proofsAt(host), 5);
});

test('where fetch is given, a host proves itself before each request, and once where its process was seen to live', async (t) => {
  const host = await listens(t, asHost);
  const client = StudyHost.connect(at(host.port), { fetch, proof: true });
  await client.health();
  await client.health();
  t.is(proofsAt(host), 2);
  let process = 'first';
  const seen = StudyHost.connect(() => ({ ...at(host.port), process }), { fetch, proof: true });
  await seen.health();
  await seen.health();
  t.is(proofsAt(host), 3);
  process = 'second';
  await seen.health();
  t.is(proofsAt(host), 4);
});

test('the token goes to the program that proved itself, or nowhere: a connection that the host closed is not opened again', async (t) => {
  const host = await listens(t, asHost);
  const client = StudyHost.connect(at(host.port));
  await client.health();
  // The host may close a connection in the moment in which it is used again, or before.
  host.server.closeAllConnections();
  t.is((await client.health()).status, 'ok');
  t.is(proofsAt(host), 2);
  for (const each of host.requests.keys()) {
    if ('authorization' in (host.requests[each]?.headers ?? {}))
      t.regex(host.requests[each - 1]?.path ?? '', /^\/v1\/host-proof/);
  }
});

test('a request that may reach the host only once takes a new connection', async (t) => {
  const host = await listens(t, asHost);
  const client = StudyHost.connect(at(host.port));
  await client.health();
  await client.pairingCode();
  t.is(proofsAt(host), 2);
});

test('a stream keeps its connection for itself, and one that was not read to its end is used no more', async (t) => {
  const host = await listens(t, (port) => (request, response) => {
    if (request.url?.includes('bundle') === true) response.write('the beginning');
    else asHost(port)(request, response);
  });
  const client = StudyHost.connect(at(host.port));
  const bundle = (await client.bundle('runtime:1')).getReader();
  t.is(Buffer.from((await bundle.read()).value ?? []).toString(), 'the beginning');
  await client.health();
  t.is(host.connections(), 2);
  await bundle.cancel();
  await client.health();
  t.is(host.connections(), 2);
  t.is(proofsAt(host), 2);
});

test('bug: the token went without a proof to a program behind another spelling of this machine', async (t) => {
  const other = await listens(t, () => (_, response) => void response.end('{}'));
  const spellings = ['0.0.0.0', '0', '127.1', '0x7f000001', '[::ffff:127.0.0.1]', '[::ffff:0.0.0.0]', 'localhost.'];
  // On many systems the own name leads to 127.0.1.1.
  const own = (await lookup(hostname()).catch(() => null))?.address;
  for (const name of own?.startsWith('127.') ? [...spellings, hostname()] : spellings) {
    const client = StudyHost.connect(at(other.port, name), { reconnectMs: 0 });
    await t.throwsAsync(client.sources(), undefined, name);
  }
  t.true(other.requests.length > 0);
  t.false(hasToken(other));
});

test('bug: whatever listened at the address got the token: a program that passes the proof of the host on gets none', async (t) => {
  const host = await listens(t, asHost);
  const relay = await listens(t, () => async (request, response) => {
    const answer = await fetch(`http://127.0.0.1:${host.port}${request.url}`);
    response.writeHead(answer.status).end(await answer.text());
  });
  const error = await t.throwsAsync(StudyHost.connect(at(relay.port)).health(), { instanceOf: HostUnproved });
  t.like(error, { code: 'unauthorized', status: 401, retryable: false });
  t.false(hasToken(relay));
});

test('a proof under another token, of no form, without an end or for another address is wrong', async (t) => {
  const answers: readonly ((port: number) => RequestListener)[] = [
    (port) => (request, response) => {
      const nonce = new URL(request.url ?? '', 'http://h').searchParams.get('nonce') ?? '';
      const other = hostProofs(facts, 'd'.repeat(64), { address: '127.0.0.1', port })(nonce);
      response.end(JSON.stringify(other));
    },
    (port) => asHost(port + 1),
    (port) => asHost(port, '::1'),
    (port) => (request, response) =>
      asHost(port)({ ...request, url: `/v1/host-proof?nonce=${'0'.repeat(64)}` } as never, response),
    () => (_request, response) => response.end('{"proof":1}'),
    () => (_request, response) => response.writeHead(401).end(),
    () => (_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write('['.repeat(65_536)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    },
  ];
  for (const answer of answers) {
    const other = await listens(t, answer);
    await t.throwsAsync(StudyHost.connect(at(other.port)).health(), { instanceOf: HostUnproved });
    t.false(hasToken(other));
  }
});

test('another program that takes the port after the host has ended gets no token', async (t) => {
  const host = await listens(t, asHost);
  const client = StudyHost.connect(at(host.port));
  await client.health();
  host.server.closeAllConnections();
  await new Promise((resolve) => host.server.close(resolve));
  const other = await listens(t, () => (_request, response) => response.end('{}'), { port: host.port });
  await t.throwsAsync(client.health(), { instanceOf: HostUnproved });
  t.false(hasToken(other));
});

test('a name is resolved first: a program at the other address of localhost gets no token', async (t) => {
  const host = await listens(t, asHost);
  const other = await listens(t, () => (_request, response) => response.end('{}'), {
    port: host.port,
    address: '::1',
  }).catch(() => null);
  const client = StudyHost.connect(at(host.port, 'localhost'));
  t.is((await client.health()).status, 'ok');
  t.true(hasToken(host));
  t.false(other !== null && hasToken(other));
});

test('a client with proof: false or a fetch of its own asks for no proof; an empty token needs one like any other', async (t) => {
  const earlier = await listens(t, () => (request, response) => {
    response.statusCode = request.url === '/v1/health' ? 200 : 401;
    response.end('{"status":"ok"}');
  });
  const refused = await t.throwsAsync(StudyHost.connect(at(earlier.port)).health(), { instanceOf: HostUnproved });
  t.is(refused?.code, 'unknown_answer');
  t.true(refused instanceof HostError);
  t.false(hasToken(earlier));
  t.is((await StudyHost.connect(at(earlier.port), { proof: false }).health()).status, 'ok');
  t.is((await StudyHost.connect(at(earlier.port), { fetch }).health()).status, 'ok');
  const host = await listens(t, asHost);
  await t.throwsAsync(StudyHost.connect({ ...at(host.port), token: '' }).health(), { instanceOf: HostUnproved });
});

test('a caller may refuse a host that knows the token', async (t) => {
  const host = await listens(t, asHost);
  const wrong = new Error('another data root');
  const client = StudyHost.connect(at(host.port), {
    onProof: (proved) => {
      t.like(proved, facts);
      throw wrong;
    },
  });
  t.is(await client.health().catch((error: unknown) => error), wrong);
  t.false(hasToken(host));
});
