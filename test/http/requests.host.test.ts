import { readFile } from 'node:fs/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import test from 'ava';
import type { ErrorCode } from '../../contract/base/errors.ts';
import { sourceSessionList } from '../../contract/sources/source-session.ts';
import { TestHost } from '../host/test-host.ts';
import { pageOrigin } from './host/contract.ts';

// Rules for every request: its path, its guards, its id and its body.

const sources = '/v1/source-sessions';

/** Targets, routes, methods and queries. */

test('a path is exact: no other spelling reaches it', async (t) => {
  const host = await TestHost.open(t);
  const rows: [ErrorCode, string][] = [
    ['not_found', '/index.html'],
    ['not_found', '/v1'],
    ['not_found', `${sources}/`],
    ['not_found', '/V1/source-sessions'],
    ['not_found', '/v1/source%2Dsessions'],
    ['not_found', '/v1/../v1/source-sessions'],
    ['not_found', '/v1//source-sessions'],
    ['not_found', '/v1/owned-media-ingests/'],
    ['not_found', '/v1/runtimes//events'],
    ['not_found', '/v1/runtimes/a/b'],
    ['invalid_identity', '/v1/runtimes/%'],
    ['invalid_identity', '/v1/runtimes/%zz/events'],
    ['invalid_identity', '/v1/runtimes/%ED%A0%80'],
    ['unknown_runtime', '/v1/runtimes/a%2Fb'],
    ['unknown_runtime', '/v1/runtimes/%00'],
    ['unknown_runtime', '/v1/runtimes/runtime%3Anone'],
    ['unknown_ingest', '/v1/owned-media-ingests/owned-ingest%3Anone'],
    ['invalid_target', '//'],
    ['invalid_target', `/${sources}`],
    ['invalid_target', '/v1/<a>'],
    ['invalid_target', `${sources}?a=%zz`],
  ];
  for (const [code, path] of rows) host.refused(t, await host.get(path), code);
});

test('a bare question mark is not a query, and an undeclared query is refused', async (t) => {
  const host = await TestHost.open(t);
  host.granted(t, await host.get(`${sources}?`), 200, sourceSessionList);
  for (const query of ['a', 'a=1', '=', '&', 'after=0', '%61=1']) {
    host.refused(t, await host.get(`${sources}?${query}`), 'unknown_query');
  }
  host.refused(t, await host.get('/v1/runtimes/a/events?after=0&%61fter=0'), 'duplicate_query');
  host.refused(t, await host.get('/v1/runtimes/a/events?After=0'), 'unknown_query');
  host.refused(t, await host.get('/v1/runtimes/a/events?%61fter=0'), 'unknown_runtime');
});

test('a method that a path does not have is refused with those that it has', async (t) => {
  const host = await TestHost.open(t);
  const rows = {
    [sources]: 'GET, HEAD, OPTIONS',
    '/v1/owned-media-ingests': 'GET, HEAD, POST, OPTIONS',
    '/v1/owned-media-ingests/x': 'GET, HEAD, OPTIONS',
    '/v1/owned-media-ingests/x/media': 'PUT, OPTIONS',
    '/v1/owned-media-ingests/x/cancellations': 'POST, OPTIONS',
    '/v1/runtime-plans': 'POST, OPTIONS',
    '/v1/runtime-starts': 'POST, OPTIONS',
    '/v1/runtime-starts/x': 'GET, HEAD, OPTIONS',
    '/v1/runtimes': 'GET, HEAD, OPTIONS',
    '/v1/runtimes/x': 'GET, HEAD, DELETE, OPTIONS',
    '/v1/source-sessions/x': 'DELETE, OPTIONS',
    '/v1/runtimes/x/cancellations': 'POST, OPTIONS',
    '/v1/runtimes/x/events': 'GET, HEAD, OPTIONS',
  };
  for (const [path, allow] of Object.entries(rows)) {
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !allow.split(', ').includes(method));
    for (const method of methods) {
      const answer = await host.ask(method, path);
      host.refused(t, answer, 'method_not_allowed', ['allow']);
      t.is(answer.headers.allow, allow);
    }
  }
});

test('HEAD answers as GET does, without the body', async (t) => {
  const host = await TestHost.open(t);
  const rows = [sources, `${sources}?a`, '/v1/nothing', '/v1/runtimes/x', '/v1/owned-media-ingests/x', '//'];
  for (const path of rows) {
    const { status, headers, body } = await host.get(path);
    const head = await host.ask('HEAD', path);
    t.is(head.status, status);
    t.is(head.body.length, 0);
    t.is(head.headers['content-length'], String(body.length));
    const shown = ({ date: _, 'x-request-id': _id, ...others }: typeof headers) => others;
    t.deepEqual(shown(head.headers), shown(headers));
  }
  t.is((await host.ask('HEAD', '/v1/runtime-plans')).status, 405);
});

test('the description of the wire is served as it is stored, to the holder of the token', async (t) => {
  const host = await TestHost.open(t);
  const { status, headers, body } = await host.get('/v1/openapi.json');
  t.is(status, 200);
  t.is(headers['content-type'], 'application/json; charset=utf-8');
  t.true(body.equals(await readFile(new URL('../../docs/openapi.json', import.meta.url))));
  host.refused(t, await host.get('/v1/openapi.json', { token: null }), 'unauthorized', ['www-authenticate']);
});

const cors = ['access-control-allow-origin', 'access-control-expose-headers', 'vary'];

/** Host, Origin, preflight and bearer. */

test('a loopback name with the right port is this host, anything else is not', async (t) => {
  const host = await TestHost.open(t);
  const { port } = host;
  for (const name of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `LocalHost:${port}`]) {
    host.granted(t, await host.get(sources, { headers: { Host: name } }), 200, sourceSessionList);
  }
  const foreign = ['127.0.0.1', 'localhost', '127.0.0.1:1', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`];
  const odd = [`127.0.0.1:0${port}`, `127.1:${port}`, `::1:${port}`, `0.0.0.0:${port}`, `a@127.0.0.1:${port}`];
  for (const name of [...foreign, ...odd]) {
    host.refused(t, await host.get(sources, { headers: { Host: name } }), 'host_not_allowed');
  }
});

test('two Host fields are refused, in any order', async (t) => {
  const host = await TestHost.open(t);
  const own = `127.0.0.1:${host.port}`;
  for (const Host of [
    [own, 'evil.example'],
    ['evil.example', own],
    [own, own],
  ]) {
    host.refused(t, await host.get(sources, { headers: { Host }, token: null }), 'host_not_allowed');
  }
});

test('an allowed origin is named in every answer, a refused one in none', async (t) => {
  const host = await TestHost.open(t);
  const { port } = host;
  const own = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `http://${name}:${port}`);
  for (const origin of [pageOrigin, 'http://localhost:4321', ...own]) {
    const headers = { Origin: origin };
    const answer = await host.get(sources, { headers });
    host.granted(t, answer, 200, sourceSessionList, cors);
    t.is(answer.headers['access-control-allow-origin'], origin);
    t.is(answer.headers.vary, 'Origin');
    host.refused(t, await host.get('/v1/nothing', { headers }), 'not_found', cors);
    const unauthorized = await host.get(sources, { headers, token: null });
    host.refused(t, unauthorized, 'unauthorized', [...cors, 'www-authenticate']);
  }
  const strangers = [
    'null',
    'http://evil.example',
    `${pageOrigin}/`,
    'http://127.0.0.1:43210',
    'HTTP://127.0.0.1:4321',
  ];
  for (const origin of strangers) {
    host.refused(t, await host.get(sources, { headers: { Origin: origin } }), 'origin_not_allowed');
  }
});

test('a request with two origins is refused and gets no CORS fields', async (t) => {
  const host = await TestHost.open(t);
  const answer = await host.get(sources, { headers: { Origin: [pageOrigin, 'http://evil.example'] } });
  host.refused(t, answer, 'origin_not_allowed');
});

test('a preflight is answered on any path, without token and without body', async (t) => {
  const host = await TestHost.open(t);
  for (const path of [sources, '/v1/nothing', '/', '//', '/v1/runtimes/%zz?x=%zz']) {
    const answer = await host.ask('OPTIONS', path, { token: null, headers: { Origin: pageOrigin } });
    t.is(answer.status, 204);
    t.is(answer.body.length, 0);
    t.like(answer.headers, {
      'access-control-allow-origin': pageOrigin,
      vary: 'Origin',
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE, OPTIONS',
      'access-control-allow-headers': 'Authorization, Content-Type, Range, X-Request-ID',
      'access-control-max-age': '600',
    });
    t.is(answer.headers['content-type'], undefined);
  }
  host.refused(t, await host.ask('OPTIONS', sources, { token: null }), 'origin_required');
});

test('a preflight allows the fields that its path reads, and no path allows more', async (t) => {
  const host = await TestHost.open(t);
  const usual = 'Authorization, Content-Type, Range, X-Request-ID';
  for (const [path, allowed] of [
    ['/v1/events?runtimes=runtime:none', `${usual}, Last-Event-ID`],
    ['/v1/runtimes/runtime:none/events', `${usual}, Last-Event-ID`],
    ['/v1/runtimes/runtime:none/exports/bundle', `${usual}, If-None-Match`],
    ['/v1/runtimes/runtime:none/exports/cuts.edl', `${usual}, If-None-Match`],
    ['/v1/openapi.json', `${usual}, If-None-Match`],
    ['/v1/runtimes/runtime:none', usual],
  ] as const) {
    const answer = await host.ask('OPTIONS', path, { token: null, headers: { Origin: pageOrigin } });
    t.is(answer.headers['access-control-allow-headers'], allowed, path);
  }
});

test('only the exact bearer token opens', async (t) => {
  const host = await TestHost.open(t);
  const { token } = host;
  const other = token.startsWith('0') ? `1${token.slice(1)}` : `0${token.slice(1)}`;
  const wrong = ['', 'Bearer', token, `bearer ${token}`, `Bearer  ${token}`, `Basic ${token}`, `Bearer ${other}`];
  const near = [`Bearer ${token}0`, `Bearer ${token.slice(0, -1)}`, `Bearer ${token.toUpperCase()}`];
  for (const authorization of [...wrong, ...(token === token.toUpperCase() ? [] : near)]) {
    const answer = await host.get(sources, { token: null, headers: { Authorization: authorization } });
    host.refused(t, answer, 'unauthorized', ['www-authenticate']);
    t.is(answer.headers['www-authenticate'], 'Bearer');
  }
  host.refused(t, await host.get(sources, { token: null }), 'unauthorized', ['www-authenticate']);
  t.false(host.reports().join().includes(token));
});

test('a connection is accepted with the token, and with no other, nor for what needs none', async (t) => {
  const host = await TestHost.open(t);
  const accepted = async (path: string, token?: string | null) =>
    (await host.begin('GET', path, token === undefined ? {} : { token })).isAccepted();
  t.deepEqual([await accepted(sources), await accepted(`${sources}/none`)], [true, true]);
  t.deepEqual(
    [await accepted(sources, null), await accepted(sources, 'other'), await accepted('/v1/health')],
    [false, false, false],
  );
});

test('of several faults the first in the order of the checks is named', async (t) => {
  const host = await TestHost.open(t);
  const evil = { Host: 'evil.example', Origin: 'http://evil.example' };
  const stranger = { Origin: 'http://evil.example' };
  const text = { 'Content-Type': 'text/plain' };
  const over = Buffer.alloc(65_537, '{');
  const json = { 'Content-Type': 'application/json' };
  const starts = '/v1/runtime-starts';
  const unknownIngest = '/v1/owned-media-ingests/owned-ingest:none';
  const rows: [ErrorCode, string, string, Parameters<TestHost['ask']>[2]?][] = [
    ['host_not_allowed', 'GET', '//', { headers: evil, token: null }],
    ['host_not_allowed', 'OPTIONS', '/', { headers: evil }],
    ['origin_not_allowed', 'OPTIONS', '//', { headers: stranger, token: null }],
    ['origin_not_allowed', 'GET', '/v1/nothing', { headers: stranger, token: 'x' }],
    ['origin_required', 'OPTIONS', '/v1/nothing', { token: 'x' }],
    ['unauthorized', 'GET', '//?%zz', { token: 'x' }],
    ['unauthorized', 'DELETE', '/v1/nothing/%zz?x', { token: 'x' }],
    ['invalid_target', 'DELETE', '//v1/source-sessions?x'],
    ['invalid_target', 'DELETE', '/v1/nothing/%zz?%zz'],
    ['invalid_identity', 'GET', '/v1/nothing/%zz?x'],
    ['not_found', 'DELETE', '/v1/nothing?x', { body: over }],
    ['method_not_allowed', 'DELETE', '/v1/source-sessions?x'],
    ['unknown_query', 'GET', '/v1/runtimes/none/events?x=1&after=1&after=1'],
    ['duplicate_query', 'GET', '/v1/runtimes/none/events?after=x&after=y'],
    ['unknown_query', 'POST', `${starts}?x`, { headers: text, body: over }],
    ['unsupported_content_type', 'POST', starts, { headers: text, body: over }],
    ['request_body_too_large', 'POST', starts, { headers: json, body: over }],
    ['invalid_json', 'POST', starts, { headers: json, body: over.subarray(1) }],
    ['invalid_start_request', 'POST', starts, { json: { sourceSessionId: 'none' } }],
    ['invalid_ingest_request', 'POST', `${unknownIngest}/cancellations`, { json: { x: 1 } }],
    ['unknown_ingest', 'PUT', `${unknownIngest}/media`, { headers: text, body: over }],
    ['invalid_cursor', 'GET', '/v1/runtimes/none/events?after=x&limit=999&wait=9999'],
  ];
  for (const [code, method, path, question] of rows) {
    const answer = await host.ask(method, path, question);
    const extra = { unauthorized: ['www-authenticate'], method_not_allowed: ['allow'] }[code as string] ?? [];
    host.refused(t, answer, code, extra);
  }
});

const field = 'x-request-id';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id that each answer has. */

test('every answer names its request, whatever its status', async (t) => {
  const host = await TestHost.open(t);
  const asked = [
    await host.get(sources),
    await host.get(sources, { token: null }),
    await host.get('/v1/nothing'),
    await host.ask('HEAD', sources),
    await host.ask('POST', sources),
    await host.ask('OPTIONS', sources, { token: null, headers: { Origin: pageOrigin } }),
    await host.get('/v1/health', { token: null }),
  ];
  for (const { headers } of asked) t.regex(String(headers[field]), uuid);
  t.is(new Set(asked.map(({ headers }) => headers[field])).size, asked.length);
});

test("a client's own id is kept if it is one short word, and otherwise replaced", async (t) => {
  const host = await TestHost.open(t);
  for (const own of ['a', 'req-42', '0af7651916cd43dd8448eb211c80319c', `${'x'.repeat(38)}.9`]) {
    t.is((await host.get(sources, { headers: { 'X-Request-ID': own } })).headers[field], own);
    const refused = await host.get('/v1/nothing', { headers: { 'X-Request-ID': own } });
    t.is(refused.headers[field], own);
  }
  for (const odd of ['', '-a', 'a b', 'a,b', 'ä', 'x'.repeat(41), host.token]) {
    t.regex(String((await host.get(sources, { headers: { 'X-Request-ID': odd } })).headers[field]), uuid);
  }
  const twice = await host.get(sources, { headers: { 'X-Request-ID': ['a', 'b'] } });
  t.regex(String(twice.headers[field]), uuid);
});

test('a page of another origin may send the id and read it, beside what it read before', async (t) => {
  const host = await TestHost.open(t);
  const headers = { Origin: pageOrigin, 'X-Request-ID': 'of-the-page' };
  const plain = await host.get(sources, { headers });
  t.is(plain.headers[field], 'of-the-page');
  t.is(plain.headers['access-control-expose-headers'], 'X-Request-ID');
  const described = await host.get('/v1/openapi.json', { headers });
  t.is(described.headers['access-control-expose-headers'], 'ETag, X-Request-ID');
  t.is((await host.get(sources)).headers['access-control-expose-headers'], undefined);
});

const cap = 65_536;
const cancel = '/v1/owned-media-ingests/owned-ingest:none/cancellations';
const json = { 'Content-Type': 'application/json' };

/** JSON bodies: type, length, encoding, shape. A valid body reaches an ingest that does not exist. */

test('the type of a body is compared without case and parameters', async (t) => {
  const host = await TestHost.open(t);
  const body = Buffer.from('{}');
  for (const type of [
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json ;',
  ]) {
    const answer = await host.ask('POST', cancel, { body, headers: { 'Content-Type': type } });
    host.refused(t, answer, 'unknown_ingest');
  }
  for (const type of ['text/plain', 'application/jsonx', 'application/json, text/plain', 'json', '']) {
    const answer = await host.ask('POST', cancel, { body, headers: { 'Content-Type': type } });
    host.refused(t, answer, 'unsupported_content_type');
  }
  host.refused(t, await host.ask('POST', cancel, { body }), 'unsupported_content_type');
});

test('bug: a compressed JSON body was called invalid JSON', async (t) => {
  const host = await TestHost.open(t);
  const text = Buffer.from('{}');
  for (const [encoding, body] of [
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', text],
    ['identity, gzip', gzipSync(text)],
    ['GZIP', text],
  ] as const) {
    const question = { body, headers: { ...json, 'Content-Encoding': encoding } };
    host.refused(t, await host.ask('POST', cancel, question), 'unsupported_content_encoding');
  }
  for (const encoding of ['identity', 'Identity', '']) {
    const question = { body: text, headers: { ...json, 'Content-Encoding': encoding } };
    host.refused(t, await host.ask('POST', cancel, question), 'unknown_ingest');
  }
});

test('bug: a POST that names another method was done as a POST', async (t) => {
  const host = await TestHost.open(t);
  const body = Buffer.from('{}');
  for (const field of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']) {
    for (const method of ['DELETE', 'PATCH', 'get', '']) {
      const answer = await host.ask('POST', cancel, { body, headers: { ...json, [field]: method } });
      host.refused(t, answer, 'method_not_allowed', ['allow']);
    }
    const same = await host.ask('POST', cancel, { body, headers: { ...json, [field]: 'POST' } });
    host.refused(t, same, 'unknown_ingest');
  }
});

test('a body is one JSON text in UTF-8, and not empty', async (t) => {
  const host = await TestHost.open(t);
  const rows: [ErrorCode, Buffer | Buffer[] | undefined][] = [
    ['empty_request_body', undefined],
    ['empty_request_body', Buffer.alloc(0)],
    ['empty_request_body', []],
    ['invalid_json', Buffer.from(' ')],
    ['invalid_json', Buffer.from('{')],
    ['invalid_json', Buffer.from('{}{}')],
    ['invalid_json', Buffer.from("{'a':1}")],
    ['invalid_json', Buffer.from('\ufeff{}')],
    ['invalid_json', Buffer.from('{}\0')],
    ['invalid_json', Buffer.from([0x22, 0xff, 0x22])],
    ['invalid_json', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['invalid_json', Buffer.from('{}', 'utf16le')],
    ['invalid_json', Buffer.alloc(cap, '[')],
    ['unknown_ingest', Buffer.from(' {\r\n}\t')],
    ['unknown_ingest', [Buffer.from('{'), Buffer.from('}')]],
  ];
  for (const [code, body] of rows) {
    const question = body === undefined ? { headers: json } : { headers: json, body };
    host.refused(t, await host.ask('POST', cancel, question), code);
  }
});

test('a body of exactly the cap is read, one byte more is refused, announced or not', async (t) => {
  const host = await TestHost.open(t);
  const full = Buffer.alloc(cap, ' ').fill('{}', 0, 2);
  const over = Buffer.alloc(cap + 1, ' ').fill('{}', 0, 2);
  for (const [body, code] of [
    [full, 'unknown_ingest'],
    [over, 'request_body_too_large'],
  ] as const) {
    host.refused(t, await host.ask('POST', cancel, { headers: json, body }), code);
    const chunks = [body.subarray(0, 40_000), body.subarray(40_000)];
    host.refused(t, await host.ask('POST', cancel, { headers: json, body: chunks }), code);
  }
});

test('a closed object takes no other key, and a refusal stays short', async (t) => {
  const host = await TestHost.open(t);
  const long = 'k'.repeat(60_000);
  const wrong = [null, [], 'text', 1, true, { a: 1 }, { [long]: 1 }, { 'line\nbreak': 1 }];
  for (const value of wrong) {
    host.refused(t, await host.post(cancel, value), 'invalid_ingest_request');
    host.refused(t, await host.post('/v1/owned-media-ingests', value), 'invalid_ingest_request');
    host.refused(t, await host.post('/v1/runtime-plans', value), 'invalid_start_request');
  }
  const body = Buffer.from('{"__proto__":{}}');
  host.refused(t, await host.ask('POST', cancel, { headers: json, body }), 'invalid_ingest_request');
});
