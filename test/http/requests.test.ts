import test from 'ava';
import { z } from 'zod';
import { errorRemedies, failureMessage, withRemedy } from '../../contract/base/errors.ts';
import { contentId, identity } from '../../contract/base/grammar.ts';
import { requestFault, requestWords } from '../../contract/base/request-fault.ts';
import { exportNames } from '../../contract/exports.ts';
import { namedValues } from '../../http/exchange/answer.ts';
import { json } from '../../http/exchange/description.ts';
import { Guard, isOriginOfProgram, RefusedOrigins, refusedBy } from '../../http/exchange/guard.ts';
import { bodyLimit, declaredLength, expectJson } from '../../http/exchange/request-body.ts';
import { allowedMethods, type Route, Router, read, write } from '../../http/exchange/route.ts';
import { parseTarget } from '../../http/exchange/target.ts';
import { FlatHead } from '../../http/listener/message-head.ts';
import { askedKinds } from '../../http/routes/audit.ts';

// A request on its way to its endpoint: who may send it, which path it names, and its body.

const token = '0123456789abcdef'.repeat(4);
const authorization = ['authorization', `Bearer ${token}`];
const head = (method: string, ...fields: readonly string[]) => new FlatHead(method, '/', fields);
const own = (host: string, ...fields: readonly string[]) => head('GET', 'host', host, ...authorization, ...fields);

const codeOf = (guard: Guard, request: FlatHead): unknown => {
  const body: unknown = guard.check(request)?.body;
  return body instanceof Object && 'error' in body && body.error instanceof Object && 'code' in body.error
    ? body.error.code
    : null;
};

test('on port 80 the Host may have or omit the port, elsewhere the port must be there', (t) => {
  const usual = new Guard(80, [], token);
  for (const host of ['localhost', 'localhost:80', '[::1]', '127.0.0.1:80']) t.is(codeOf(usual, own(host)), null, host);
  const other = new Guard(4312, [], token);
  for (const host of ['localhost', 'localhost:80', '[::1]', '::1:4312', '']) {
    t.is(codeOf(other, own(host)), 'host_not_allowed', host);
  }
  t.is(codeOf(other, own('[::1]:4312')), null);
});

test('the own origins are allowed beside those that are given, and only they get CORS fields', (t) => {
  const guard = new Guard(80, ['https://page.example'], token);
  for (const origin of ['https://page.example', 'http://localhost', 'http://127.0.0.1', 'http://[::1]']) {
    const request = own('localhost', 'origin', origin);
    t.is(codeOf(guard, request), null, origin);
    t.deepEqual(guard.corsHeaders(request), { 'Access-Control-Allow-Origin': origin, Vary: 'Origin' });
  }
  for (const origin of ['http://localhost:80', 'https://localhost', 'http://page.example', 'null', '']) {
    const request = own('localhost', 'origin', origin);
    t.is(codeOf(guard, request), 'origin_not_allowed', origin);
    t.is(guard.corsHeaders(request)?.['Access-Control-Allow-Origin'], undefined);
  }
});

test('two origins are invalid, even if the first of them is allowed', (t) => {
  const guard = new Guard(4312, ['https://page.example'], token);
  const request = own('localhost:4312', 'origin', 'https://page.example', 'origin', 'https://page.example');
  t.is(codeOf(guard, request), 'origin_not_allowed');
  t.is(guard.corsHeaders(request)?.['Access-Control-Allow-Origin'], undefined);
});

test('two Authorization fields are invalid, even if each of them opens', (t) => {
  const guard = new Guard(4312, [], token);
  t.is(codeOf(guard, own('localhost:4312')), null);
  t.is(codeOf(guard, own('localhost:4312', ...authorization)), 'unauthorized');
});

test('a preflight needs an origin and no token', (t) => {
  const guard = new Guard(4312, ['https://page.example'], token);
  t.is(codeOf(guard, head('OPTIONS', 'host', 'localhost:4312')), 'origin_required');
  t.is(guard.check(head('OPTIONS', 'host', 'localhost:4312', 'origin', 'https://page.example'))?.status, 204);
});

test('a token of another length, another case or another scheme does not open', (t) => {
  const guard = new Guard(4312, [], token);
  const asked = (value: string) => codeOf(guard, head('GET', 'host', 'localhost:4312', 'authorization', value));
  t.is(asked(`Bearer ${token}`), null);
  for (const value of [
    '',
    'Bearer ',
    `Bearer ${token}a`,
    `bearer ${token}`,
    `Bearer ${token.toUpperCase()}`,
    'é'.repeat(36),
  ]) {
    t.is(asked(value), 'unauthorized', value);
  }
  t.is(codeOf(guard, head('GET', 'host', 'localhost:4312')), 'unauthorized');
});

function refusals() {
  const lines: string[] = [];
  let now = 0;
  const origins = new RefusedOrigins(
    (line) => void lines.push(line),
    () => now,
  );
  const pass = (ms: number): void => {
    now += ms;
  };
  return { origins, lines, pass };
}

test('a refused origin is named with the option that allows it, and not again within a minute', (t) => {
  const { origins, lines, pass } = refusals();
  for (let time = 0; time < 60; time += 1) {
    origins.note('https://page.example:8443');
    pass(999);
  }
  t.is(lines.length, 1);
  t.true(lines[0]?.endsWith('--allowed-origin https://page.example:8443'));
  pass(60);
  origins.note('https://page.example:8443');
  t.is(lines.length, 2);
});

test('a page that invents origins fills neither the memory nor the log', (t) => {
  const { origins, lines, pass } = refusals();
  for (let at = 0; at < 1_000; at += 1) origins.note(`http://${at}.example`);
  t.is(lines.length, 16);
  pass(60_000);
  origins.note('http://page.example');
  t.is(lines.length, 17);
});

test('programs with a scheme of their own are allowed by their exact origins, and no other is', (t) => {
  const origins = ['tauri://localhost', 'app://obsidian.md', 'vscode-webview://1a2b', 'chrome-extension://abcdef'];
  for (const origin of origins) t.true(isOriginOfProgram(origin), origin);
  for (const other of [
    'null',
    'file://',
    'file://x',
    'app://',
    'app://*',
    'app://a/b',
    'app:a',
    'APP://a',
    'data://x',
  ]) {
    t.false(isOriginOfProgram(other), other);
  }
  const programs = new Guard(4312, ['tauri://localhost'], token);
  const asked = (origin: string) => codeOf(programs, head('GET', 'host', 'localhost:4312', 'origin', origin));
  t.deepEqual(['tauri://localhost', 'tauri://localhos', 'tauri://LOCALHOST', 'null'].map(asked), [
    'unauthorized',
    'origin_not_allowed',
    'origin_not_allowed',
    'origin_not_allowed',
  ]);
  const { origins: refused, lines } = refusals();
  refused.note('tauri://localhost');
  t.true(lines[0]?.endsWith('start the host with --allowed-origin tauri://localhost'));
});

test('a preflight gets harmless headers only if it asks, and what it does not get has a line for the operator', (t) => {
  const guard = new Guard(4312, [], token);
  const origin = ['host', 'localhost:4312', 'origin', 'http://localhost:4312'] as const;
  const preflight = (...fields: string[]) => {
    const asking = head('OPTIONS', ...origin, ...fields);
    return { asking, headers: guard.check(asking)?.headers ?? {} };
  };
  const usual = preflight().headers;
  const asks = (list: string) => preflight('access-control-request-headers', list);
  t.deepEqual(asks('authorization, range').headers, usual);
  const traced = asks('authorization,traceparent, Baggage,x-other');
  t.is(
    traced.headers['Access-Control-Allow-Headers'],
    `${usual['Access-Control-Allow-Headers']}, traceparent, baggage`,
  );
  t.deepEqual(refusedBy(traced.headers, traced.asking), ['the header x-other']);
  const patch = preflight('access-control-request-method', 'PATCH');
  t.deepEqual(refusedBy(patch.headers, patch.asking), ['the method PATCH']);
  const put = preflight('access-control-request-method', 'PUT');
  t.deepEqual(refusedBy(put.headers, put.asking), []);
  const { origins, lines } = refusals();
  for (let time = 0; time < 3; time += 1) origins.notePreflight('http://localhost:4312', ['the header x-other']);
  t.deepEqual(lines, [
    'refused a preflight of the origin http://localhost:4312: pages cannot send the header x-other; its browser does not send the request, so leave that out',
  ]);
});

test('an invalid origin is quoted and cut', (t) => {
  const { origins, lines } = refusals();
  origins.note('null');
  origins.note(`http://x.example\u001b[31m${'y'.repeat(500)}`);
  t.true(lines[0]?.includes('"null"'));
  t.false(lines[0]?.includes('--allowed-origin'));
  t.false(lines[1]?.includes('\u001b'));
  t.true((lines[1]?.length ?? 0) < 400);
});

const invalidTarget = { name: 'ServiceError', code: 'invalid_target' };

test('a path keeps its parts as they were sent, a query is decoded', (t) => {
  t.deepEqual(parseTarget('/v1/a%3Ab/?x=%3A&y=a+b&z&=&x=2'), {
    segments: ['v1', 'a%3Ab', ''],
    query: [
      ['x', ':'],
      ['y', 'a b'],
      ['z', ''],
      ['', ''],
      ['x', '2'],
    ],
  });
});

test('a bare question mark is not a query, a second one belongs to it', (t) => {
  t.deepEqual(parseTarget('/?'), { segments: [''], query: [] });
  t.deepEqual(parseTarget('/a??b=c=d'), { segments: ['a'], query: [['?b', 'c=d']] });
});

test('an address without a path on this host is refused', (t) => {
  const odd = ['//', '//host/path', '/a b', '/a#b', '/a\\b', '/<a>', '/é', '/\u0000', '/\u007f', 'a', '', '*'];
  for (const raw of [null, 'http://127.0.0.1/', ...odd]) t.throws(() => parseTarget(raw), invalidTarget, String(raw));
});

test('a query that cannot be decoded is refused', (t) => {
  for (const query of ['%', '%zz=1', 'a=%e9', 'a=%ED%A0%80'])
    t.throws(() => parseTarget(`/a?${query}`), invalidTarget, query);
});

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

test('a name with an ending matches everything with that ending', (t) => {
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

test('an undecodable part is reported before an unknown path and before a disabled service', (t) => {
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

test('a refusal of a body names the field, and whether it is missing or wrong', (t) => {
  const endpoint = write({
    ...request(z.strictObject({ pack: z.string().nullable(), inner: z.strictObject({ count: z.number() }) })),
    handle: nothing,
  });
  const said = (body: unknown): string => {
    if (endpoint.body !== 'json') throw new Error('no JSON endpoint');
    return t.throws(() => endpoint.parse(body), { code: 'invalid_start_request' })?.message ?? '';
  };
  t.regex(said({ inner: { count: 1 } }), /^pack is missing: .*string.*, or null if there is none$/);
  t.regex(said({ pack: 1, inner: { count: 1 } }), /^pack: .*string/);
  t.regex(said({ pack: null, inner: {} }), /^inner\.count is missing: it must be a number$/);
  t.regex(said({ pack: null }), /^inner is missing: /);
  t.regex(said(null), /^body: /);
  t.regex(said({ pack: null, inner: { count: 1 }, more: 1 }), /^body: .*more/);
});

test('bug: a rule about two fields was worded as one about the missing field: it send changes', (t) => {
  const either = z
    .strictObject({ changes: z.string().optional(), reverts: z.string().optional() })
    .refine(({ changes, reverts }) => (changes === undefined) !== (reverts === undefined), {
      message: 'send changes or reverts, one of them',
      path: ['changes'],
    });
  const endpoint = write({ ...request(either), handle: nothing });
  if (endpoint.body !== 'json') throw new Error('no JSON endpoint');
  const parse = () => endpoint.parse({});
  t.throws(parse, { message: /^changes is missing: send changes or reverts, one of them$/ });
});

test('bug: a refusal of a field was in the words of the library that checks it', (t) => {
  const form = z.strictObject({ kind: z.literal('a'), count: z.number().int().positive().max(9) });
  const fields = {
    text: z.string().min(1).max(3),
    list: z.array(form).max(1),
    one: z.enum(['x', 'y']),
    named: z.string().refine((text) => text === 'me', 'must be me'),
    is: z.boolean(),
    either: z.union([z.string(), z.number()]),
  };
  const fault = (name: keyof typeof fields, value: unknown): string => {
    const schema = z.strictObject({ [name]: fields[name] });
    const body = { [name]: value };
    return requestFault(schema, body, schema.safeParse(body, requestWords).error?.issues[0]);
  };
  for (const [name, value, said] of [
    ['text', 12, 'text: must be a string, and is 12'],
    ['text', null, 'text: must be a string, and is null'],
    ['text', '', 'text: must have at least 1 character, and is empty'],
    ['text', 'four', 'text: must have at most 3 characters, and has 4'],
    ['list', {}, 'list: must be an array, and is an object'],
    ['list', [{ kind: 'b', count: 1 }], 'list.0.kind: must be "a", and is "b"'],
    ['list', [{ kind: 'a' }], 'list.0.count is missing: it must be a number'],
    ['list', [{ kind: 'a', count: 1.5 }], 'list.0.count: must be a whole number, and is 1.5'],
    ['list', [{ kind: 'a', count: 0 }], 'list.0.count: must be above 0, and is 0'],
    ['list', [{ kind: 'a', count: 10 }], 'list.0.count: must be at most 9, and is 10'],
    ['list', [{ kind: 'a', count: 1, more: 1 }], 'list.0: has a field of no meaning here: "more"'],
    ['one', 'z'.repeat(99), `one: must be one of "x", "y", and is "${'z'.repeat(40)}"`],
    ['named', 'you', 'named: must be me'],
    ['is', 'true', 'is: must be true or false, and is "true"'],
    ['either', null, 'either: must have one of the described forms, and has none of them'],
  ] as const) {
    t.is(fault(name, value), said);
  }
});

test('a refusal of a field has its pattern, of which nothing is taken for a path', (t) => {
  const endpoint = write({ ...request(z.strictObject({ name: identity, id: contentId })), handle: nothing });
  const said = (body: unknown): string => {
    if (endpoint.body !== 'json') throw new Error('no JSON endpoint');
    return failureMessage(t.throws(() => endpoint.parse(body))?.message ?? '');
  };
  t.is(said({ name: 'a/b', id: 'x' }), 'name: must match ^[A-Za-z0-9][A-Za-z0-9._:-]*$');
  t.is(said({ name: 'a', id: 'x' }), 'id: must match ^sha256:[a-f0-9]{64}$');
});

test('a target asked for again has the same route, parts and query; a refused one is refused again', (t) => {
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

test('bug: a client without a token could fill the memory of a host with long targets', (t) => {
  const other = new Router(routes);
  const long = `/v1/things/a?after=${'1'.repeat(600)}`;
  t.not(other.find(long), other.find(long));
  t.deepEqual(other.find(long).params, { thingId: 'a' });
});

test('targets beyond those that are kept are found all the same', (t) => {
  const other = new Router(routes);
  for (const round of [1, 2]) {
    for (let id = 0; id < 2_000; id += 1) {
      t.is(other.find(`/v1/things/${id}`).params.thingId, String(id), `round ${round}`);
    }
  }
});

const posted = (...fields: readonly string[]) => new FlatHead('POST', '/', fields);

test('a declared length is a whole number that appears once', (t) => {
  t.is(declaredLength(posted()), null);
  t.is(declaredLength(posted('content-length', '0')), 0);
  t.is(declaredLength(posted('content-length', '12')), 12);
  for (const text of ['', '0012', '-1', '+1', '1.0', '1e3', '0x1', 'two', '1, 1', '٣', '9007199254740992']) {
    t.throws(() => declaredLength(posted('content-length', text)), { code: 'invalid_content_length' }, text);
  }
  t.throws(() => declaredLength(posted('content-length', '1', 'content-length', '1')), {
    code: 'invalid_content_length',
  });
});

test('the type of a JSON body is checked before its length', (t) => {
  t.notThrows(() => expectJson(posted('content-type', 'Application/JSON ; charset=utf-8')));
  t.notThrows(() => expectJson(posted('content-type', 'application/json', 'content-length', String(bodyLimit))));
  t.throws(() => expectJson(posted('content-length', 'two')), { code: 'unsupported_content_type' });
  const over = posted('content-type', 'application/json', 'content-length', String(bodyLimit + 1));
  t.throws(() => expectJson(over), { code: 'request_body_too_large' });
  const bad = posted('content-type', 'application/json', 'content-length', 'two');
  t.throws(() => expectJson(bad), { code: 'invalid_content_length' });
});

test('values that a client may give are named whole, and those that find no room are counted', (t) => {
  t.is(namedValues(['a', 'b']), 'a, b');
  for (const [values, remedy] of [
    [exportNames, errorRemedies.not_found],
    [askedKinds, errorRemedies.unknown_query],
  ] as const) {
    const message = withRemedy(`the value is one of ${namedValues(values)}`, remedy);
    const [, listed = '', more] = /^the value is one of (.+) and (\d+) more; /.exec(message) ?? [];
    const named = listed.split(', ');
    t.deepEqual(named, values.slice(0, named.length));
    t.is(Number(more), values.length - named.length);
    t.true(message.endsWith(`; ${remedy}`));
  }
});
