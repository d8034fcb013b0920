import { readFile } from 'node:fs/promises';
import test from 'ava';
import type { ErrorCode } from '../../../contract/base/error-codes.ts';
import { sourceSessionList } from '../../../contract/sources/source-session-list.ts';
import type { HostContract } from './contract.ts';

const sources = '/v1/source-sessions';

/** Targets, routes, methods and queries. */
export function paths(contract: HostContract): void {
  test.serial(contract.title('a path is exact: no other spelling reaches it'), async (t) => {
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
    for (const [code, path] of rows) contract.refused(t, await contract.get(path), code);
  });

  test.serial(
    contract.title('a bare question mark is no query, and a query that nobody declared is refused'),
    async (t) => {
      contract.granted(t, await contract.get(`${sources}?`), 200, sourceSessionList);
      for (const query of ['a', 'a=1', '=', '&', 'after=0', '%61=1']) {
        contract.refused(t, await contract.get(`${sources}?${query}`), 'unknown_query');
      }
      contract.refused(t, await contract.get('/v1/runtimes/a/events?after=0&%61fter=0'), 'duplicate_query');
      contract.refused(t, await contract.get('/v1/runtimes/a/events?After=0'), 'unknown_query');
      contract.refused(t, await contract.get('/v1/runtimes/a/events?%61fter=0'), 'unknown_runtime');
    },
  );

  test.serial(contract.title('a method that a path does not have is refused with those that it has'), async (t) => {
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
        const answer = await contract.ask(method, path);
        contract.refused(t, answer, 'method_not_allowed', ['allow']);
        t.is(answer.headers.allow, allow);
      }
    }
  });

  test.serial(contract.title('HEAD answers as GET does, without the body'), async (t) => {
    const rows = [sources, `${sources}?a`, '/v1/nothing', '/v1/runtimes/x', '/v1/owned-media-ingests/x', '//'];
    for (const path of rows) {
      const { status, headers, body } = await contract.get(path);
      const head = await contract.ask('HEAD', path);
      t.is(head.status, status);
      t.is(head.body.length, 0);
      t.is(head.headers['content-length'], String(body.length));
      const shown = ({ date: _, 'x-request-id': _id, ...others }: typeof headers) => others;
      t.deepEqual(shown(head.headers), shown(headers));
    }
    t.is((await contract.ask('HEAD', '/v1/runtime-plans')).status, 405);
  });

  test.serial(
    contract.title('the description of the wire is served as it is stored, to the holder of the token'),
    async (t) => {
      const { status, headers, body } = await contract.get('/v1/openapi.json');
      t.is(status, 200);
      t.is(headers['content-type'], 'application/json; charset=utf-8');
      t.true(body.equals(await readFile(new URL('../../../docs/openapi.json', import.meta.url))));
      contract.refused(t, await contract.get('/v1/openapi.json', { token: null }), 'unauthorized', [
        'www-authenticate',
      ]);
    },
  );

  test.serial(contract.title('the list of sources begins with the sample alone'), async (t) => {
    const { sourceSessions } = contract.granted(t, await contract.get(sources), 200, sourceSessionList);
    t.like(sourceSessions, { length: 1, 0: { sourceKind: 'owned_local', rightsScope: 'redistribution' } });
    t.true(sourceSessions[0]?.detectedLanguageEvidenceAvailable);
    t.is(sourceSessions[0]?.preflightSchema, 'studio.preflight-bundle.v3');
  });
}
