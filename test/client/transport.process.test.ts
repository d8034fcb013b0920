import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { build } from 'esbuild';
import { AnswerLate, HostError, HostUnreachable } from '../../client/host-error.ts';
import { Transport } from '../../client/transport.ts';
import { patientHttpFetch } from '../../formats/http-fetch.ts';

/** Longer than `impatient` waits. */
const lateMs = 3_000;

/** The dispatcher of Node's own `fetch`, which that makes with its first use. */
const dispatcherOf = async (): Promise<new (options: object) => unknown> => {
  await fetch('data:,').then((answer) => answer.text());
  const dispatcher = (globalThis as Record<symbol, unknown>)[Symbol.for('undici.globalDispatcher.1')];
  return (dispatcher as { readonly constructor: new (options: object) => unknown }).constructor;
};

/** Node's `fetch`, which waits for an instant instead of five minutes. */
async function impatient(): Promise<typeof fetch> {
  const Dispatcher = await dispatcherOf();
  const dispatcher = new Dispatcher({ headersTimeout: 50, bodyTimeout: 50 });
  return (input, init) => fetch(input, { ...init, dispatcher } as RequestInit);
}

interface LateHost {
  readonly transport: Transport;
  readonly requests: IncomingMessage[];
}

async function hostOf(t: ExecutionContext, answer: RequestListener): Promise<LateHost> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.closeAllConnections());
  t.teardown(() => server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = new Transport(
    { baseUrl, token: 'token' },
    {
      fetch: await impatient(),
      patientFetch: (url, { signal, ...request }) => patientHttpFetch(url, { ...request, signals: [signal] }),
    },
  );
  return { transport, requests };
}

const late: RequestListener = async (_, response) => {
  await delay(lateMs);
  response.setHeader('Content-Type', 'application/json').end('{"is":"here"}');
};

test('a late host differs from a missing one, and gets the request only once', async (t) => {
  const { transport, requests } = await hostOf(t, late);
  const error = await t.throwsAsync(transport.json('/v1/health'), { instanceOf: AnswerLate });
  t.regex(
    error?.message ?? '',
    /^the host at http:\/\/127\.0\.0\.1:\d+ has not answered within the time that fetch waits$/,
  );
  t.is(requests.length, 1);
  const gone = new Transport({ baseUrl: 'http://127.0.0.1:1', token: 'token' }, { reconnectMs: 0 });
  await t.throwsAsync(gone.json('/v1/health'), { instanceOf: HostUnreachable });
});

test('an answer that stops in its middle is late, too', async (t) => {
  const { transport } = await hostOf(t, (_, response) => {
    response.setHeader('Content-Type', 'application/json').write('{"is":');
  });
  await t.throwsAsync(transport.json('/v1/health'), { instanceOf: AnswerLate });
});

test('a client waits for long requests', async (t) => {
  const { transport, requests } = await hostOf(t, late);
  const call = { method: 'POST', json: { dryRun: true }, isLong: true } as const;
  t.deepEqual(await transport.json('/v1/garbage-collections', call), { is: 'here' });
  const [request] = requests;
  t.like(request?.headers, {
    authorization: 'Bearer token',
    'content-type': 'application/json',
    'content-length': '15',
  });
});

test('a refusal of a long request is reported like every other', async (t) => {
  const { transport } = await hostOf(t, (_, response) => {
    response.statusCode = 503;
    response.setHeader('Retry-After', '7').end('{"error":{"code":"storage_unavailable","message":"busy; wait"}}');
  });
  const error = await t.throwsAsync(transport.json('/v1/disk-use', { isLong: true }), { instanceOf: HostError });
  t.like(error, { code: 'storage_unavailable', status: 503, hint: 'wait', retryAfterMs: 7000 });
});

test('what may take long is streamed, asked again after a restart, and given up on request', async (t) => {
  let asked = 0;
  const given = new AbortController();
  const { transport } = await hostOf(t, (request, response) => {
    asked += 1;
    if (request.url === '/never') given.abort(new Error('given up'));
    else if (asked === 1) response.destroy();
    else response.end('the bundle');
  });
  t.is(await new Response(await transport.stream('/bundle', { isLong: true })).text(), 'the bundle');
  t.is(asked, 2);
  const { signal } = given;
  const reason: unknown = await transport.json('/never', { isLong: true, signal }).catch((error: unknown) => error);
  t.is(reason, signal.reason);
  t.is(asked, 3);
});

test('a missing host is reported to long requests, too', async (t) => {
  const gone = new Transport({ baseUrl: 'http://127.0.0.1:1', token: 'token' }, { reconnectMs: 0 });
  await t.throwsAsync(gone.json('/v1/disk-use', { isLong: true }), { instanceOf: HostUnreachable });
});

test('the client runs in pages, shares with the host first bytes, failures, signals, requests and proofs alone, and asks Node for little', async (t) => {
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('../..', import.meta.url)),
    entryPoints: ['client/study-host.ts'],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    external: ['node:*'],
  });
  const files = Object.keys(metafile.inputs);
  t.true(files.length > 5);
  const foreign = files.filter(
    (file) => !file.startsWith('client/') && !file.startsWith('node_modules/eventsource-parser/'),
  );
  t.deepEqual(foreign.toSorted(), [
    'contract/captions/correction-limits.ts',
    'contract/causes/refusal-parts.ts',
    'formats/first-bytes.ts',
    'formats/followed-signal.ts',
    'formats/http-fetch.ts',
    'formats/proof-message.ts',
    'formats/this-machine.ts',
  ]);
  const asked = Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
  const ofNode = new Set(asked.map(({ path, kind }) => `${path} ${kind}`));
  t.deepEqual([...ofNode].toSorted(), [
    'node:dns/promises dynamic-import',
    'node:fs dynamic-import',
    'node:http dynamic-import',
    'node:https dynamic-import',
    'node:path dynamic-import',
    'node:stream dynamic-import',
    'node:zlib dynamic-import',
  ]);
});
