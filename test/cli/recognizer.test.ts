import test from 'ava';
import { announcedRecognizer, recognizerNotice, recognizerOf } from '../../cli/options/recognizer.ts';
import { serveOptions } from '../../cli/options/serve-options.ts';
import { StartError } from '../../cli/options/start-error.ts';

const asked = (engine: string, model?: string) => [
  ...['--semantic-recognizer', engine, '--allow-real-semantic-evidence'],
  ...(model === undefined ? [] : ['--semantic-recognizer-model', model]),
];

test('nobody recognises speech unless a recogniser is asked for and allowed', (t) => {
  const { recognizer } = serveOptions([]);
  t.is(recognizerOf(recognizer, {}), null);
  t.is(announcedRecognizer(recognizer), 'current-run-unavailable-no-fixture-fallback');
});

test('each recogniser has the model that it needs', (t) => {
  const of = (...args: Parameters<typeof asked>) => serveOptions(asked(...args)).recognizer;
  t.deepEqual(of('pocketsphinx'), { engine: 'pocketsphinx', model: null });
  t.deepEqual(of('pocketsphinx', '/models/en'), { engine: 'pocketsphinx', model: '/models/en' });
  t.deepEqual(of('whisper-cli', '/models/base.bin'), { engine: 'whisper-cli', model: '/models/base.bin' });
  t.deepEqual(of('openai', 'whisper-1'), { engine: 'openai', model: 'whisper-1', responseFormat: 'verbose_json' });
  t.is(announcedRecognizer(of('openai', 'whisper-1')), 'current-run-openai-opt-in');
  t.throws(() => serveOptions(asked('openai', 'a b')), { instanceOf: StartError, code: 'invalid_flags' });
});

test('a server is on this machine or behind https, and no message holds its key or its address', (t) => {
  const { recognizer } = serveOptions(asked('openai', 'small'));
  const key = 'sk-test-0123456789';
  const refusal = { instanceOf: StartError, code: 'invalid_recognition_provider' };
  const elsewhere = { OPENAI_BASE_URL: 'http://198.51.100.7/v1', OPENAI_API_KEY: key };
  const error = t.throws(() => recognizerOf(recognizer, elsewhere), refusal);
  t.notRegex(String(error?.message), /198\.51|sk-test/);
  t.throws(() => recognizerOf(recognizer, { OPENAI_BASE_URL: 'https://example.org/v1' }), refusal);
  const local = recognizerOf(recognizer, { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_API_KEY: key });
  if (local === null) throw new Error('a recogniser was asked for');
  t.regex(recognizerNotice(local), /on this machine/);
  t.false(recognizerNotice(local).includes(key));
});

test('a server may be asked for text alone, and no other recogniser has a format', (t) => {
  const format = (value: string) => ['--semantic-recognizer-response-format', value];
  const { recognizer } = serveOptions([...asked('openai', 'gpt-4o-transcribe'), ...format('json')]);
  t.deepEqual(recognizer, { engine: 'openai', model: 'gpt-4o-transcribe', responseFormat: 'json' });
  const choice = recognizerOf(recognizer, { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_API_KEY: 'sk-test' });
  t.like(choice, { engine: 'openai', responseFormat: 'json' });
  t.throws(() => serveOptions([...asked('openai', 'm'), ...format('srt')]), {
    ...{ instanceOf: StartError, code: 'invalid_flags', message: /one of verbose_json, json$/ },
  });
  for (const flags of [[], asked('pocketsphinx'), asked('whisper-cli', '/models/base.bin')]) {
    const refused = {
      instanceOf: StartError,
      code: 'executor_not_allowed',
      message: /needs --semantic-recognizer openai/,
    };
    t.throws(() => serveOptions([...flags, ...format('json')]), refused);
  }
});
