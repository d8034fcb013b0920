import test from 'ava';
import { z } from 'zod';
import { failureMessage } from '../../contract/base/failure.ts';
import { contentId, identity } from '../../contract/base/grammar.ts';
import { json } from '../../http/exchange/description.ts';
import { allowedMethods, type Route, Router, read, write } from '../../http/exchange/route.ts';
import { parseTarget } from '../../http/exchange/target.ts';

const nothing = () => ({ status: 200, body: {} });
const words = { id: 'readThings', summary: 'things', answers: [json(200, z.strictObject({}))], refusals: [] };
const request = <Body>(schema: z.ZodType<Body>) => ({ ...words, request: schema, invalid }) as const;
const invalid = 'invalid_start_request';
const room = 'sources';
const routes: readonly Route[] = [
  {
    path: '/v1/things',
    room,
    GET: read({ ...words, handle: nothing }),
    POST: write({ ...request(z.unknown()), handle: nothing }),
  },
  {
    path: '/v1/things/:thingId',
    room,
    GET: read({ ...words, query: { after: z.string() }, handle: nothing }),
  },
  { path: '/v1/things/:thingId/parts/:partId', room, PUT: read({ ...words, handle: nothing }) },
  { path: '/v1/files/:fileId.vtt', room, GET: read({ ...words, handle: nothing }) },
  {
    path: '/v1/off/:thingId',
    room,
    unavailable: { code: 'videohost_local_ingest_unavailable', message: 'off: why' },
  },
];
const router = new Router(routes);
const match = (path: string) => router.match(parseTarget(path));

test('a route is found by its words, and its names get the parts between them, decoded', (t) => {
  t.true(match('/v1/things').route === routes[0]);
  t.deepEqual(match('/v1/things/a%3Ab%2Fc').params, { thingId: 'a:b/c' });
  t.deepEqual(match('/v1/things/1/parts/%F0%9F%98%80').params, { thingId: '1', partId: '😀' });
});

test('a name with an ending stands for what ends so, without the ending', (t) => {
  t.deepEqual(match('/v1/files/a%3Ab.vtt').params, { fileId: 'a:b' });
  for (const path of ['/v1/files/.vtt', '/v1/files/a.VTT', '/v1/files/a%2Evtt', '/v1/files/avtt']) {
    t.throws(() => match(path), { code: 'not_found' }, path);
  }
});

test('no other spelling finds a route, and no name stands for nothing', (t) => {
  for (const path of [
    '/',
    '/v1',
    '/v1/things/',
    '/v1/Things',
    '/v1/%74hings',
    '/v1/things//parts/1',
    '/v1/things/1/parts/',
  ]) {
    t.throws(() => match(path), { code: 'not_found' }, path);
  }
});

test('a part that cannot be decoded is told before an unknown path and before a service that is off', (t) => {
  for (const path of ['/v1/things/%', '/v1/none/%zz', '/v1/off/%e9']) {
    t.throws(() => match(path), { code: 'invalid_identity' }, path);
  }
  t.throws(() => match('/v1/off/1'), { code: 'videohost_local_ingest_unavailable', message: 'off: why' });
});

test('HEAD is allowed wherever GET is, OPTIONS everywhere', (t) => {
  t.deepEqual(routes.map(allowedMethods), [
    'GET, HEAD, POST, OPTIONS',
    'GET, HEAD, OPTIONS',
    'PUT, OPTIONS',
    'GET, HEAD, OPTIONS',
    'OPTIONS',
  ]);
});

test('a body that does not fit its schema is refused with the place of the first fault', (t) => {
  const schema = z.strictObject({ range: z.strictObject({ startMs: z.number() }) });
  const endpoint = write({ ...request(schema), handle: nothing });
  if (endpoint.body !== 'json') return t.fail();
  t.deepEqual(endpoint.parse({ range: { startMs: 1 } }), { range: { startMs: 1 } });
  const refused = (body: unknown, message: RegExp) =>
    t.throws(() => endpoint.parse(body), { code: 'invalid_start_request', message });
  refused({ range: { startMs: '1' } }, /^range\.startMs: /);
  refused({ range: { startMs: 1 }, more: 1 }, /^body: .*more/);
  refused(null, /^body: /);
});

test('a body that does not fit says where, and whether the field is missing or wrong', (t) => {
  const endpoint = write({
    ...request(z.strictObject({ pack: z.string().nullable(), inner: z.strictObject({ count: z.number() }) })),
    handle: nothing,
  });
  const said = (body: unknown): string => {
    if (endpoint.body !== 'json') throw new Error('no JSON endpoint');
    return t.throws(() => endpoint.parse(body), { code: 'invalid_start_request' })?.message ?? '';
  };
  t.regex(said({ inner: { count: 1 } }), /^pack is missing: .*string.*, or null where there is none$/);
  t.regex(said({ pack: 1, inner: { count: 1 } }), /^pack: .*string/);
  t.regex(said({ pack: null, inner: {} }), /^inner\.count is missing: .*number, received undefined$/);
  t.regex(said({ pack: null }), /^inner is missing: /);
  t.regex(said(null), /^body: /);
  t.regex(said({ pack: null, inner: { count: 1 }, more: 1 }), /^body: .*more/);
});

test('a field that does not fit a pattern is told the pattern, of which nothing is taken for a path', (t) => {
  const endpoint = write({ ...request(z.strictObject({ name: identity, id: contentId })), handle: nothing });
  const said = (body: unknown): string => {
    if (endpoint.body !== 'json') throw new Error('no JSON endpoint');
    return failureMessage(t.throws(() => endpoint.parse(body))?.message ?? '');
  };
  t.is(said({ name: 'a/b', id: 'x' }), 'name: must match ^[A-Za-z0-9][A-Za-z0-9._:-]*$');
  t.is(said({ name: 'a', id: 'x' }), 'id: must match ^sha256:[a-f0-9]{64}$');
});

test('a target that is asked for again has the same route, parts and query; one that was refused is refused again', (t) => {
  const other = new Router(routes);
  for (const target of ['/v1/things/a%3Ab?after=1', '/v1/things/a%3Ab?after=2', '/v1/things']) {
    const first = other.find(target);
    t.deepEqual({ route: first.route, params: first.params }, match(target));
    t.deepEqual(first.target, parseTarget(target));
    t.is(other.find(target), first);
  }
  for (const code of ['not_found', 'not_found']) t.throws(() => other.find('/v1/none'), { code });
  t.throws(() => other.find(null), { code: 'invalid_target' });
});

test('targets beyond those that are kept are found all the same', (t) => {
  const other = new Router(routes);
  for (const round of [1, 2]) {
    for (let id = 0; id < 2_000; id += 1) {
      t.is(other.find(`/v1/things/${id}`).params.thingId, String(id), `round ${round}`);
    }
  }
});
