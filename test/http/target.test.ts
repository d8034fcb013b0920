import test from 'ava';
import { parseTarget } from '../../http/exchange/target.ts';

const invalid = { name: 'ServiceError', code: 'invalid_target' };

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

test('a bare question mark is no query, a second one belongs to it', (t) => {
  t.deepEqual(parseTarget('/?'), { segments: [''], query: [] });
  t.deepEqual(parseTarget('/a??b=c=d'), { segments: ['a'], query: [['?b', 'c=d']] });
});

test('what has no path on this host is refused', (t) => {
  const odd = ['//', '//host/path', '/a b', '/a#b', '/a\\b', '/<a>', '/é', '/\u0000', '/\u007f', 'a', '', '*'];
  for (const raw of [null, 'http://127.0.0.1/', ...odd]) t.throws(() => parseTarget(raw), invalid, String(raw));
});

test('a query that cannot be decoded is refused', (t) => {
  for (const query of ['%', '%zz=1', 'a=%e9', 'a=%ED%A0%80'])
    t.throws(() => parseTarget(`/a?${query}`), invalid, query);
});
