import test from 'ava';
import { announcedRecognizer, recognizerNotice, recognizerOf, translatorOf } from '../../cli/options/engines.ts';
import { serveOptions } from '../../cli/options/serve-options.ts';
import { StartError } from '../../options/failures.ts';
import { choices, embedded, seam, translated } from './caption-choices.ts';

test('each executor of captions is chosen by its name and its permission', (t) => {
  for (const [flags, classification, announced] of choices) {
    t.like(serveOptions(flags).captionExecutor, { classification, announced });
  }
  const split = ['--allow-embedded-subtitle-captions', '--caption-executor=embedded-subtitles'];
  t.is(serveOptions(split).captionExecutor.classification, 'embedded_subtitle_tracks');
});

/** How a start is refused: its exit code, its code and its message. */
const complaint = (start: () => unknown): string => {
  try {
    start();
    return 'started';
  } catch (error) {
    if (error instanceof StartError) return `${error.exitCode} ${error.code}: ${error.message}`;
    throw error;
  }
};
const codeOf = (flags: readonly string[]): string => complaint(() => serveOptions(flags));

test('an executor of captions needs its own permission, and the message names it', (t) => {
  const [seamPermission = '', embeddedPermission = ''] = [seam[2], embedded[2]];
  for (const [name, permission, other] of [
    ['deterministic-test', seamPermission, embeddedPermission],
    ['embedded-subtitles', embeddedPermission, seamPermission],
  ] as const) {
    for (const flags of [[`--caption-executor=${name}`], [`--caption-executor=${name}`, other]]) {
      const said = codeOf(flags);
      t.true(said.startsWith('2 executor_not_allowed: '), said);
      t.true(said.endsWith(`--caption-executor ${name} needs ${permission}`), said);
    }
    t.is(codeOf([`--caption-executor=${name}`, permission]), 'started');
  }
});

test('a translator needs the name of its model, and a model needs a translator', (t) => {
  t.regex(codeOf(translated.slice(0, 3)), /^2 executor_not_allowed: .*needs --caption-translation-model/);
  t.regex(
    codeOf(['--caption-translation-model', 'm']),
    /^2 executor_not_allowed: .*needs --caption-executor subtitles-translated or recogn/,
  );
  t.regex(codeOf([...translated.slice(0, 4), 'a b']), /^2 invalid_flags: .*not the name of a model/);
  const chosen = serveOptions(translated).captionExecutor;
  const remote = { OPENAI_BASE_URL: 'http://192.0.2.1/v1' };
  const refusal = {
    instanceOf: StartError,
    code: 'invalid_translation_provider',
    message: /https outside this machine/,
  };
  t.throws(() => translatorOf(chosen, remote), refusal);
  t.like(chosen, {
    classification: 'recognised_transcript_translated',
    announced: 'recognised-transcript-translator-opt-in',
  });
  const local = { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };
  t.like(translatorOf(chosen, local), { model: 'llama3.2:3b', isAskedOnce: false });
  const once = [...translated, '--caption-translation-asked-once'];
  t.like(translatorOf(serveOptions(once).captionExecutor, local), { isAskedOnce: true });
  t.regex(
    codeOf(once.slice(-1)),
    /^2 executor_not_allowed: .*needs --caption-executor subtitles-translated or recognized-translated/,
  );
});

test('leave for an executor of captions that was not chosen is refused, and says whose it is', (t) => {
  const [seamPermission = '', embeddedPermission = ''] = [seam[2], embedded[2]];
  for (const [flags, permission, name] of [
    [[], seamPermission, 'deterministic-test'],
    [[], embeddedPermission, 'embedded-subtitles or grouped-subtitles'],
    [seam, embeddedPermission, 'embedded-subtitles or grouped-subtitles'],
    [embedded, seamPermission, 'deterministic-test'],
  ] as const) {
    const said = codeOf([...flags, permission]);
    t.true(said.startsWith('2 executor_not_allowed: '), said);
    t.true(said.endsWith(`${permission} needs --caption-executor ${name}`), said);
  }
});

test('an unknown executor of captions is refused, whatever was allowed', (t) => {
  for (const name of ['openai', '', 'Recorded', 'embedded', 'toString', '__proto__', 'constructor']) {
    const said = codeOf([`--caption-executor=${name}`, ...seam.slice(2), ...embedded.slice(2)]);
    t.true(said.startsWith('2 invalid_flags: '), `${name}: ${said}`);
  }
  t.regex(codeOf(['--caption-executor=openai']), /one of recorded, deterministic-test, embedded-subtitles/);
  t.regex(codeOf(['--caption-executor']), /^2 invalid_flags/);
  t.regex(codeOf([...seam, '--caption-executor=recorded']), /^2 invalid_flags/);
});

const recognizerFlags = (engine: string, model?: string) => [
  ...['--semantic-recognizer', engine, '--allow-real-semantic-evidence'],
  ...(model === undefined ? [] : ['--semantic-recognizer-model', model]),
];

test('speech is not recognized unless a recognizer is requested and allowed', (t) => {
  const { recognizer } = serveOptions([]);
  t.is(recognizerOf(recognizer, {}), null);
  t.is(announcedRecognizer(recognizer), 'current-run-unavailable-no-fixture-fallback');
});

test('each recognizer has the model that it needs', (t) => {
  const of = (...args: Parameters<typeof recognizerFlags>) => serveOptions(recognizerFlags(...args)).recognizer;
  t.deepEqual(of('pocketsphinx'), { engine: 'pocketsphinx', model: null });
  t.deepEqual(of('pocketsphinx', '/models/en'), { engine: 'pocketsphinx', model: '/models/en' });
  t.deepEqual(of('whisper-cli', '/models/base.bin'), { engine: 'whisper-cli', model: '/models/base.bin' });
  t.deepEqual(of('openai', 'whisper-1'), { engine: 'openai', model: 'whisper-1', responseFormat: 'verbose_json' });
  t.is(announcedRecognizer(of('openai', 'whisper-1')), 'current-run-openai-opt-in');
  t.throws(() => serveOptions(recognizerFlags('openai', 'a b')), { instanceOf: StartError, code: 'invalid_flags' });
});

test('a server is on this machine or behind https, and no message holds its key or its address', (t) => {
  const { recognizer } = serveOptions(recognizerFlags('openai', 'small'));
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

test('a server may return text alone, and no other recognizer has a format', (t) => {
  const format = (value: string) => ['--semantic-recognizer-response-format', value];
  const { recognizer } = serveOptions([...recognizerFlags('openai', 'gpt-4o-transcribe'), ...format('json')]);
  t.deepEqual(recognizer, { engine: 'openai', model: 'gpt-4o-transcribe', responseFormat: 'json' });
  const choice = recognizerOf(recognizer, { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_API_KEY: 'sk-test' });
  t.like(choice, { engine: 'openai', responseFormat: 'json' });
  t.throws(() => serveOptions([...recognizerFlags('openai', 'm'), ...format('srt')]), {
    instanceOf: StartError,
    code: 'invalid_flags',
    message: /one of verbose_json, json$/,
  });
  for (const flags of [[], recognizerFlags('pocketsphinx'), recognizerFlags('whisper-cli', '/models/base.bin')]) {
    const refused = {
      instanceOf: StartError,
      code: 'executor_not_allowed',
      message: /needs --semantic-recognizer openai/,
    };
    t.throws(() => serveOptions([...flags, ...format('json')]), refused);
  }
});
