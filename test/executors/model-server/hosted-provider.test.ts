import test from 'ava';
import { hostedProvider, withServer } from '../../../executors/model-server/hosted-provider.ts';

const key = 'sk-secret-of-the-test';

test('bug: a server on this machine by another spelling counted as one outside, which gets the key', (t) => {
  const environment: Readonly<Record<string, string | undefined>> = { OPENAI_API_KEY: key };
  for (const host of ['localhost.', 'LOCALHOST', '127.1', '0.0.0.0', '[::]', '[::ffff:127.0.0.1]']) {
    t.like(hostedProvider({ OPENAI_BASE_URL: `http://${host}:11434/v1` }), { apiKey: null, isLocal: true }, host);
    t.is(withServer(environment, `https://${host}:11434/v1`).OPENAI_API_KEY, undefined, host);
  }
  for (const host of [
    'models.localhost',
    'localhost.example',
    '127.0.0.1.example',
    '10.0.0.1',
    '[::2]',
    '[::ffff:10.0.0.1]',
  ])
    t.is(withServer(environment, `https://${host}:11434/v1`).OPENAI_API_KEY, key, host);
});

test('the environment names the provider, and never one that could leak the key', (t) => {
  const at = (base?: string, given?: string) => hostedProvider({ OPENAI_BASE_URL: base, OPENAI_API_KEY: given });
  t.deepEqual(at(undefined, key), { baseUrl: 'https://api.openai.com/v1', apiKey: key, isLocal: false });
  t.deepEqual(at('http://127.0.0.1:11434/v1/'), { baseUrl: 'http://127.0.0.1:11434/v1', apiKey: null, isLocal: true });
  t.deepEqual(at('http://[::1]:8080/v1', key), { baseUrl: 'http://[::1]:8080/v1', apiKey: key, isLocal: true });
  t.like(at('http://localhost:8080'), { baseUrl: 'http://localhost:8080', isLocal: true });
  const refused: readonly [string | undefined, string | undefined, RegExp][] = [
    [undefined, undefined, /OPENAI_API_KEY is needed/],
    ['https://example.org/v1', '', /OPENAI_API_KEY is needed/],
    ['http://example.org/v1', key, /must be https/],
    ['http://127.0.0.1.example.org/v1', key, /must be https/],
    ['https://me:secret@example.org/v1', key, /name or a password/],
    ['https://example.org/v1?key=secret', key, /query or a fragment/],
    ['ftp://example.org', key, /not an http/],
    ['nonsense', key, /not an http/],
    [undefined, 'two words', /not a key/],
    [undefined, 'line\nbreak', /not a key/],
  ];
  for (const [base, given, complaint] of refused) {
    const found = at(base, given);
    t.true('refused' in found && complaint.test(`${found.about} ${found.refused}`), base);
    t.false(JSON.stringify(found).includes('secret'));
  }
});
