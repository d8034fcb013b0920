import test from 'ava';
import type { ErrorCode } from '../../../contract/base/error-codes.ts';
import { sourceSessionList } from '../../../contract/sources/source-session-list.ts';
import { type HostContract, pageOrigin } from './contract.ts';

const sources = '/v1/source-sessions';
const cors = ['access-control-allow-origin', 'access-control-expose-headers', 'vary'];

/** Host, Origin, preflight and bearer. */
export function guard(contract: HostContract): void {
  test.serial(contract.title('a loopback name with the right port is this host, anything else is not'), async (t) => {
    const { port } = contract.client;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `LocalHost:${port}`]) {
      contract.granted(t, await contract.get(sources, { headers: { Host: host } }), 200, sourceSessionList);
    }
    const foreign = ['127.0.0.1', 'localhost', '127.0.0.1:1', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`];
    const odd = [`127.0.0.1:0${port}`, `127.1:${port}`, `::1:${port}`, `0.0.0.0:${port}`, `a@127.0.0.1:${port}`];
    for (const host of [...foreign, ...odd]) {
      contract.refused(t, await contract.get(sources, { headers: { Host: host } }), 'host_not_allowed');
    }
  });

  test.serial(contract.title('two Host fields are refused, in whatever order they come'), async (t) => {
    const socket = contract.client.raw();
    const own = `Host: 127.0.0.1:${contract.client.port}`;
    for (const fields of [`${own}\r\nHost: evil.example`, `Host: evil.example\r\n${own}`, `${own}\r\n${own}`]) {
      const answer = await socket.send(`GET ${sources} HTTP/1.1\r\n${fields}\r\n\r\n`).answer();
      t.is(answer.status, 421);
    }
    socket.destroy();
  });

  test.serial(contract.title('an allowed origin is named in every answer, a refused one in none'), async (t) => {
    const { port } = contract.client;
    const own = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `http://${name}:${port}`);
    for (const origin of [pageOrigin, 'http://localhost:4321', ...own]) {
      const headers = { Origin: origin };
      const answer = await contract.get(sources, { headers });
      contract.granted(t, answer, 200, sourceSessionList, cors);
      t.is(answer.headers['access-control-allow-origin'], origin);
      t.is(answer.headers.vary, 'Origin');
      contract.refused(t, await contract.get('/v1/nothing', { headers }), 'not_found', cors);
      const unauthorized = await contract.get(sources, { headers, token: null });
      contract.refused(t, unauthorized, 'unauthorized', [...cors, 'www-authenticate']);
    }
    const strangers = [
      'null',
      'http://evil.example',
      `${pageOrigin}/`,
      'http://127.0.0.1:43210',
      'HTTP://127.0.0.1:4321',
    ];
    for (const origin of strangers) {
      contract.refused(t, await contract.get(sources, { headers: { Origin: origin } }), 'origin_not_allowed');
    }
  });

  test.serial(contract.title('a request with two origins is refused and gets no CORS fields'), async (t) => {
    const socket = contract.client.raw();
    const fields = [`Origin: ${pageOrigin}`, 'Origin: http://evil.example'];
    const answer = await socket.send(contract.client.head(`GET ${sources}`, ...fields)).answer();
    t.is(answer.status, 403);
    t.false(answer.headers.has('access-control-allow-origin'));
    socket.destroy();
  });

  test.serial(contract.title('a preflight is answered on any path, without token and without body'), async (t) => {
    for (const path of [sources, '/v1/nothing', '/', '//', '/v1/runtimes/%zz?x=%zz']) {
      const answer = await contract.ask('OPTIONS', path, { token: null, headers: { Origin: pageOrigin } });
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
    contract.refused(t, await contract.ask('OPTIONS', sources, { token: null }), 'origin_required');
  });

  test.serial(
    contract.title('a preflight allows the fields that its path reads, and no path allows more'),
    async (t) => {
      const usual = 'Authorization, Content-Type, Range, X-Request-ID';
      for (const [path, allowed] of [
        ['/v1/events?runtimes=runtime:none', `${usual}, Last-Event-ID`],
        ['/v1/runtimes/runtime:none/events', `${usual}, Last-Event-ID`],
        ['/v1/runtimes/runtime:none/exports/bundle', `${usual}, If-None-Match`],
        ['/v1/runtimes/runtime:none/exports/cuts.edl', `${usual}, If-None-Match`],
        ['/v1/openapi.json', `${usual}, If-None-Match`],
        ['/v1/runtimes/runtime:none', usual],
      ] as const) {
        const answer = await contract.ask('OPTIONS', path, { token: null, headers: { Origin: pageOrigin } });
        t.is(answer.headers['access-control-allow-headers'], allowed, path);
      }
    },
  );

  test.serial(contract.title('only the exact bearer token opens'), async (t) => {
    const { token } = contract.client;
    const other = token.startsWith('0') ? `1${token.slice(1)}` : `0${token.slice(1)}`;
    const wrong = ['', 'Bearer', token, `bearer ${token}`, `Bearer  ${token}`, `Basic ${token}`, `Bearer ${other}`];
    const near = [`Bearer ${token}0`, `Bearer ${token.slice(0, -1)}`, `Bearer ${token.toUpperCase()}`];
    for (const authorization of [...wrong, ...(token === token.toUpperCase() ? [] : near)]) {
      const answer = await contract.get(sources, { token: null, headers: { Authorization: authorization } });
      contract.refused(t, answer, 'unauthorized', ['www-authenticate']);
      t.is(answer.headers['www-authenticate'], 'Bearer');
    }
    contract.refused(t, await contract.get(sources, { token: null }), 'unauthorized', ['www-authenticate']);
    t.false(contract.host.stderr.includes(token));
  });

  test.serial(contract.title('of several faults the first in the order of the checks is named'), async (t) => {
    const evil = { Host: 'evil.example', Origin: 'http://evil.example' };
    const stranger = { Origin: 'http://evil.example' };
    const text = { 'Content-Type': 'text/plain' };
    const over = Buffer.alloc(65_537, '{');
    const json = { 'Content-Type': 'application/json' };
    const starts = '/v1/runtime-starts';
    const unknownIngest = '/v1/owned-media-ingests/owned-ingest:none';
    const rows: [ErrorCode, string, string, Parameters<HostContract['ask']>[2]?][] = [
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
      ['invalid_identity', 'DELETE', '/v1/videohost-local-ingests/%zz'],
      ['videohost_local_ingest_unavailable', 'DELETE', '/v1/videohost-local-ingests?x', { body: over }],
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
      const answer = await contract.ask(method, path, question);
      const extra = { unauthorized: ['www-authenticate'], method_not_allowed: ['allow'] }[code as string] ?? [];
      contract.refused(t, answer, code, extra);
    }
  });
}
