import test from 'ava';
import { hostedProvider, withServer } from '../../executors/model-server/hosted-provider.ts';
import { pocketsphinxRegion } from '../../features/recognition/engine/pocketsphinx.ts';
import { tooOld } from '../../features/workers/engine/bullmq-queue.ts';

test('each utterance is a line of words with times and confidences, without silence and noise', (t) => {
  const printed = [
    'go forward(2) ten',
    '<s> 0.000 0.200 0.999500',
    'go 0.210 0.300 0.297649',
    '<sil> 0.310 0.400 0.9',
    'forward(2) 0.410 0.900 1.000100',
    '[NOISE] 0.910 1.000 0.5',
    'ten 1.010 1.250 1e-05',
    '</s> 1.260 1.300 1.000000',
    '',
    '<s> 2.000 2.100 1.000000',
    'meters',
    'meters 2.300 2.620 0.5',
    '',
  ].join('\n');
  const none = { averageLogProbability: null, compressionRatio: null, noSpeechProbability: null };
  t.deepEqual(pocketsphinxRegion(printed), {
    language: null,
    lines: [
      {
        text: 'go forward ten',
        startMs: 210,
        endMs: 1250,
        words: [
          { text: 'go', startMs: 210, endMs: 300, confidence: 0.2976 },
          { text: 'forward', startMs: 410, endMs: 900, confidence: 1 },
          { text: 'ten', startMs: 1010, endMs: 1250, confidence: 0 },
        ],
        measures: { confidence: 0.4325, ...none },
      },
      {
        text: 'meters',
        startMs: 2300,
        endMs: 2620,
        words: [{ text: 'meters', startMs: 2300, endMs: 2620, confidence: 0.5 }],
        measures: { confidence: 0.5, ...none },
      },
    ],
  });
  t.deepEqual(pocketsphinxRegion(''), { language: null, lines: [] });
  t.throws(() => pocketsphinxRegion('go 0.210 0.300 0.29'), { message: /^invalid_output: / });
});

test('a Redis before 6.2 is named with its version, and any later one serves', (t) => {
  const info = (version: string) => `# Server\r\nredis_version:${version}\r\nredis_mode:standalone\r\n`;
  for (const version of ['6.2.0', '6.2.14', '7.0.15', '8.0.0', '10.1.2']) t.is(tooOld(info(version)), null, version);
  for (const version of ['5.0.14', '6.0.16', '6.1.240']) {
    t.is(tooOld(info(version)), `Redis ${version} is older than 6.2`);
  }
});

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
