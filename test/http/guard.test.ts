import test from 'ava';
import { Guard } from '../../http/exchange/guard.ts';
import { FlatHead } from '../../http/listener/request-head.ts';

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

test('on port 80 the port may stand in the Host or be left out, elsewhere it must be there', (t) => {
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

test('two origins are none, even where the first of them is allowed', (t) => {
  const guard = new Guard(4312, ['https://page.example'], token);
  const request = own('localhost:4312', 'origin', 'https://page.example', 'origin', 'https://page.example');
  t.is(codeOf(guard, request), 'origin_not_allowed');
  t.is(guard.corsHeaders(request)?.['Access-Control-Allow-Origin'], undefined);
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
