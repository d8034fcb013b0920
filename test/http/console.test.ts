import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { Guard, RefusedOrigins } from '../../http/exchange/guard.ts';
import { RequestCounts } from '../../http/exchange/request-log.ts';
import { Router } from '../../http/exchange/route.ts';
import { serveExchange } from '../../http/exchange/serve-exchange.ts';
import type { Exchange } from '../../http/listener/listener.ts';
import { consoleRoutes } from '../../http/routes/console.ts';
import { MemoryWire, memoryPort } from '../host/memory-wire.ts';

const files = new Map([
  ['/', { bytes: Buffer.from('<!doctype html>'), type: 'text/html; charset=utf-8' }],
  ['/assets/console-1A.js', { bytes: Buffer.from('1;'), type: 'text/javascript; charset=utf-8' }],
]);

/** A host that has nothing but a console; how often its files were read is counted. */
async function open(t: ExecutionContext, failures: readonly Error[] = []) {
  const reads = { count: 0 };
  const readConsole = async () => {
    const failure = failures[reads.count];
    reads.count += 1;
    if (failure !== undefined) throw failure;
    return files;
  };
  const service = {
    router: new Router(consoleRoutes(readConsole)),
    refusedOrigins: new RefusedOrigins(
      () => undefined,
      () => 0,
    ),
    requests: new RequestCounts(),
    log: { report: (line: string) => void (failures.length === 0 && t.fail(line)), answered: null },
    newId: randomUUID,
  };
  const guard = new Guard(memoryPort, [], 'token');
  const client = new MemoryWire('token');
  const serve = (exchange: Exchange) => serveExchange({ guard, ...service }, exchange);
  const listener = await client.open({ host: '127.0.0.1', port: 0 }, serve, (error) => t.fail(String(error)));
  t.teardown(() => listener.close(0));
  return { client, reads };
}

test('the page needs no token and allows nothing but files of this host', async (t) => {
  const { client, reads } = await open(t);
  t.is(reads.count, 0);
  const { status, headers, body } = await client.ask('GET', '/', { token: null });
  t.is(status, 200);
  t.is(body.toString(), '<!doctype html>');
  const policy = String(headers['content-security-policy']);
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"])
    t.true(policy.split('; ').includes(rule), rule);
  for (const rule of ["frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"])
    t.true(policy.split('; ').includes(rule), rule);
  t.notRegex(policy, /unsafe|\*|http:|data:/);
  t.like(headers, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  });
  // A proxy that compresses makes the tag weak, and a cache may name several.
  for (const known of [headers.etag, `W/${headers.etag}`, `"another", ${headers.etag}`, '*']) {
    const again = await client.ask('GET', '/', { token: null, headers: { 'If-None-Match': known } });
    t.is(again.status, 304, known);
    t.is(again.body.length, 0);
  }
  t.is((await client.ask('HEAD', '/', { token: null })).status, 200);
  t.is(reads.count, 1);
});

test('bug: files of the console that could not be read once were not read again', async (t) => {
  const { client, reads } = await open(t, [new Error('EMFILE: too many open files')]);
  t.is((await client.ask('GET', '/', { token: null })).status, 500);
  t.is((await client.ask('GET', '/', { token: null })).status, 200);
  t.is((await client.ask('GET', '/assets/console-1A.js', { token: null })).status, 200);
  t.is(reads.count, 2);
});

test('an asset may be kept for ever, and pages of other origins may not use it', async (t) => {
  const { client } = await open(t);
  const path = '/assets/console-1A.js';
  const { status, headers } = await client.ask('GET', path, { token: null });
  t.is(status, 200);
  t.like(headers, {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'private, max-age=31536000, immutable',
    'cross-origin-resource-policy': 'same-origin',
  });
  const foreign = await client.ask('GET', path, { token: null, headers: { Origin: 'https://page.example' } });
  t.is(foreign.status, 403);
  const rebound = await client.ask('GET', '/', { token: null, headers: { Host: 'page.example' } });
  t.is(rebound.status, 421);
});

test('only the files of the console are open to everyone', async (t) => {
  const { client } = await open(t);
  for (const [method, path, status] of [
    ['GET', '/assets/none.js', 404],
    ['GET', '/assets/..%2Findex.html', 404],
    ['GET', '/?token=x', 400],
    ['POST', '/', 405],
    ['GET', '/assets', 401],
    ['GET', '/assets/', 401],
    ['GET', '/assets/a/b', 401],
    ['GET', '/index.html', 401],
  ] as const)
    t.is((await client.ask(method, path, { token: null })).status, status, `${method} ${path}`);
});
