import test from 'ava';
import { TestHost } from '../host/test-host.ts';

/** Clears a screen, ends a line for some readers, turns the rest of the line around, isolates it. */
const hidden = ['\u001b[2J', '\u0000', '\u007f', '\u009b31m', '\u0085', '\u2028', '\u2029', '\u202e', '\u2066'];

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not come back
const anyHidden = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

test('bug: control characters and changes of direction came back in what a request was refused with', async (t) => {
  const host = await TestHost.open(t);
  const asked = (text: string) => [
    host.get(`/v1/runtimes?${encodeURIComponent(`a${text}b`)}=1`),
    host.get(`/v1/runtimes?limit=1&limit=2&${encodeURIComponent(text)}`),
    host.get(`/v1/events?runtimes=${encodeURIComponent(`a@1@${text}`)}`),
    host.post('/v1/runtime-plans', { [`a${text}b`]: 1 }),
    host.post('/v1/owned-media-ingests', { [`a${text}b`]: 1 }),
  ];
  for (const text of hidden) {
    for (const answer of await Promise.all(asked(text))) {
      t.is(answer.status, 400);
      const { message } = JSON.parse(answer.body.toString('utf8')).error;
      t.notRegex(message, anyHidden, JSON.stringify([text, message]));
    }
  }
  const key = encodeURIComponent('a\u202eb\u009bc');
  const message = host.refused(t, await host.get(`/v1/runtimes?${key}=1`), 'unknown_query');
  t.is(message, 'the query has a key that this path lacks: a b c');
});

test('a message keeps the letters and the marks of direction of every script', async (t) => {
  const host = await TestHost.open(t);
  const key = 'שלום\u200f, 안녕 👩‍👩‍👧';
  const message = host.refused(t, await host.get(`/v1/runtimes?${encodeURIComponent(key)}=1`), 'unknown_query');
  t.is(message, `the query has a key that this path lacks: ${key}`);
});

test('bug: of two Authorization fields the first was taken, whatever the other one said', async (t) => {
  const host = await TestHost.open(t);
  const right = `Bearer ${host.token}`;
  for (const two of [
    [right, 'Bearer other'],
    ['Bearer other', right],
    [right, right],
  ]) {
    const answer = await host.get('/v1/source-sessions', { token: null, headers: { Authorization: two } });
    const message = host.refused(t, answer, 'unauthorized', ['www-authenticate']);
    t.is(message, 'the request has more than one Authorization field');
  }
  t.is((await host.get('/v1/source-sessions', { token: null, headers: { Authorization: right } })).status, 200);
});
