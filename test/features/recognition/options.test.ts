import test from 'ava';
import type { Environment } from '../../../executors/process/tools.ts';
import { flagsOf } from '../../../features/feature.ts';
import { speechRecognition } from '../../../features/recognition/feature.ts';
import {
  announcedRecognizer,
  recognizerFlagsOf,
  recognizerNotice,
  recognizerOf,
} from '../../../features/recognition/options.ts';
import { type StartCode, StartError } from '../../../options/failures.ts';
import { parseFlags } from '../../../options/flags.ts';
import { complaintOf } from '../../cli/configured-host.ts';

const table = flagsOf([speechRecognition], ['engine', 'study', 'host']);
const given = (flags: readonly string[]) => parseFlags(flags, table);
const chosen = (...flags: string[]) => recognizerFlagsOf(given(flags));

/** The feature of a host with these options. */
function configuredWith(flags: readonly string[], environment: Environment = {}) {
  const configured = speechRecognition.options?.(given(flags))(environment);
  if (configured === undefined) throw new Error('recognition has options');
  return configured;
}

const asked = (engine: string, model?: string) => [
  ...['--semantic-recognizer', engine, '--allow-real-semantic-evidence'],
  ...(model === undefined ? [] : ['--semantic-recognizer-model', model]),
];

/** The flags of a host with this recognizer. */
function flagsFor(...args: Parameters<typeof asked>) {
  const flags = chosen(...asked(...args));
  if (flags === null) throw new Error('a recognizer was asked for');
  return flags;
}

test('speech is not recognized unless a recognizer is requested and allowed', (t) => {
  t.is(chosen(), null);
  t.is(announcedRecognizer(chosen()), 'current-run-unavailable-no-fixture-fallback');
  const configured = configuredWith([]);
  t.is(configured.engines?.recognizer, null);
  t.deepEqual(configured.engineNotices, []);
  t.deepEqual(configured.servers, []);
});

test('each recognizer has the model that it needs', (t) => {
  const of = (...args: Parameters<typeof asked>) => chosen(...asked(...args));
  t.deepEqual(of('pocketsphinx'), { engine: 'pocketsphinx', model: null });
  t.deepEqual(of('pocketsphinx', '/models/en'), { engine: 'pocketsphinx', model: '/models/en' });
  t.deepEqual(of('whisper-cli', '/models/base.bin'), { engine: 'whisper-cli', model: '/models/base.bin' });
  t.deepEqual(of('openai', 'whisper-1'), { engine: 'openai', model: 'whisper-1', responseFormat: 'verbose_json' });
  t.is(announcedRecognizer(of('openai', 'whisper-1')), 'current-run-openai-opt-in');
  t.throws(() => chosen(...asked('openai', ' a')), { instanceOf: StartError, code: 'invalid_flags' });
});

test('the program of whisper-cli may be named, and no other recognizer has one', (t) => {
  const program = ['--semantic-recognizer-program', '/opt/whisper-cli'] as const;
  t.deepEqual(chosen(...asked('whisper-cli', '/models/base.bin'), ...program), {
    engine: 'whisper-cli',
    model: '/models/base.bin',
    program: '/opt/whisper-cli',
  });
  const refusal = { instanceOf: StartError, code: 'executor_not_allowed' };
  t.throws(() => chosen(...asked('pocketsphinx'), ...program), refusal);
  t.throws(() => chosen(...program), refusal);
});

test('a server is on this machine or behind https, and no message holds its key or its address', (t) => {
  const recognizer = flagsFor('openai', 'small');
  const key = 'sk-test-0123456789';
  const refusal = { instanceOf: StartError, code: 'invalid_recognition_provider' };
  const elsewhere = { OPENAI_BASE_URL: 'http://198.51.100.7/v1', OPENAI_API_KEY: key };
  const error = t.throws(() => recognizerOf(recognizer, elsewhere), refusal);
  t.notRegex(String(error?.message), /198\.51|sk-test/);
  t.throws(() => recognizerOf(recognizer, { OPENAI_BASE_URL: 'https://example.org/v1' }), refusal);
  const local = recognizerOf(recognizer, { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_API_KEY: key });
  t.regex(recognizerNotice(local), /on this machine/);
  t.false(recognizerNotice(local).includes(key));
});

test('a server may return text alone, and no other recognizer has a format', (t) => {
  const format = (value: string) => ['--semantic-recognizer-response-format', value];
  const recognizer = chosen(...asked('openai', 'gpt-4o-transcribe'), ...format('json'));
  t.deepEqual(recognizer, { engine: 'openai', model: 'gpt-4o-transcribe', responseFormat: 'json' });
  if (recognizer === null) throw new Error('a recognizer was asked for');
  const choice = recognizerOf(recognizer, { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_API_KEY: 'sk-test' });
  t.like(choice, { engine: 'openai', responseFormat: 'json' });
  t.throws(() => chosen(...asked('openai', 'm'), ...format('srt')), {
    instanceOf: StartError,
    code: 'invalid_flags',
    message: /one of verbose_json, json$/,
  });
  for (const flags of [[], asked('pocketsphinx'), asked('whisper-cli', '/models/base.bin')]) {
    const refused = {
      instanceOf: StartError,
      code: 'executor_not_allowed',
      message: /needs --semantic-recognizer openai/,
    };
    t.throws(() => chosen(...flags, ...format('json')), refused);
  }
});

test('the registry of a host knows a recognizer by its place, its model and its settings', (t) => {
  const local = configuredWith(asked('whisper-cli', '/models/base.bin'));
  const program = { engine: 'whisper-cli', place: 'whisper-cli', model: '/models/base.bin', settings: {} } as const;
  t.like(local.engines?.recognizer, program);
  t.is(local.engines?.recognizer?.provider, undefined);
  t.deepEqual(local.servers, []);
  t.is(announcedRecognizer(chosen(...asked('whisper-cli', '/models/base.bin'))), 'current-run-whisper-cli-opt-in');
  t.deepEqual(local.engineNotices, ['speech recognition: whisper-cli, on this machine']);
  const baseUrl = 'http://127.0.0.1:9/v1';
  const hosted = configuredWith(asked('openai', 'small'), { OPENAI_BASE_URL: baseUrl });
  const provider = { baseUrl, apiKey: null, isLocal: true };
  const settings = { responseFormat: 'verbose_json' };
  t.like(hosted.engines?.recognizer, { engine: 'openai', place: baseUrl, model: 'small', settings, provider });
  const used = { use: 'recognizer', room: 'recognition', change: 'at_once', sent: 'the sound of speech' } as const;
  t.deepEqual(hosted.servers, [{ ...used, model: 'small', provider }]);
});

test('the permission of a person is for studies that request a recognizer, the other flag for every study', (t) => {
  const enginesOf = (...flags: string[]) => configuredWith(flags).engines;
  const none = { recognizesEveryStudy: false, recognizesTwice: false, permissions: { recognition: false } };
  t.like(enginesOf(), none);
  t.like(enginesOf('--permit-recognition'), { ...none, permissions: { recognition: true } });
  t.like(enginesOf('--semantic-recognizer', 'pocketsphinx', '--permit-recognition'), {
    recognizesEveryStudy: false,
    permissions: { recognition: true },
  });
  t.like(enginesOf(...asked('pocketsphinx'), '--semantic-recognizer-second-run'), {
    recognizesEveryStudy: true,
    recognizesTwice: true,
    permissions: { recognition: false },
  });
});

const refusals: readonly (readonly [StartCode, string])[] = [
  ['invalid_flags', '--semantic-recognizer=somebody'],
  ['executor_not_allowed', '--semantic-recognizer=openai'],
  ['executor_not_allowed', '--semantic-recognizer=whisper-cli'],
  ['executor_not_allowed', '--semantic-recognizer=pocketsphinx'],
  ['executor_not_allowed', '--allow-real-semantic-evidence'],
  ['executor_not_allowed', '--semantic-recognizer-model=small'],
  ['executor_not_allowed', '--semantic-recognizer-second-run'],
  ['executor_not_allowed', '--semantic-recognizer-response-format=json'],
];

test('a flag of the recognizer without the others ends a wrong call with exit code 2', (t) => {
  for (const [code, flag] of refusals) {
    const said = complaintOf(() => configuredWith([flag]));
    t.true(said.startsWith(`2 ${code}: `), `${flag}: ${said}`);
  }
});
