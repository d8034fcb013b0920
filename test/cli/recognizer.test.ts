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
  t.deepEqual(of('openai', 'whisper-1'), { engine: 'openai', model: 'whisper-1' });
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
