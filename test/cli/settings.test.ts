import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import test from 'ava';
import { optionsOf, serveFlags } from '../../cli/options/serve-options.ts';
import {
  changedSettings,
  parseSettings,
  type Settings,
  settingFlags,
  settingOf,
  settingsFailure,
  settingsSchema,
  withSettings,
} from '../../cli/settings/settings-file.ts';
import { StartError } from '../../options/failures.ts';
import { parseFlags } from '../../options/flags.ts';
import { variable, worded } from '../../options/start-text.ts';

const path = '/data/settings.json';
const captions = '{ "caption-executor": "grouped-subtitles", "allow-embedded-subtitle-captions": true }';
const optionsWith = (text: string, args: readonly string[] = []) =>
  optionsOf(withSettings(parseFlags(args, serveFlags), parseSettings(text, path)));

test('settings are JSON with comments, trailing commas and the names of the options', (t) => {
  const options = optionsWith(`{
    "$schema": "../docs/settings.schema.json",
    // A film is longer than ten minutes.
    "maximum-study-range-ms": 7200000,
    "allowed-origin": ["http://127.0.0.1:5000", "http://127.0.0.1:5001"],
    "caption-executor": "grouped-subtitles", /* no model, no network */
    "allow-embedded-subtitle-captions": true,
  }`);
  t.is(options.limits.maximumStudyRangeMs, 7_200_000);
  t.deepEqual(options.allowedOrigins, ['http://127.0.0.1:5000', 'http://127.0.0.1:5001']);
  t.is(options.captionExecutor.classification, 'grouped_subtitle_tracks');
});

test('without settings a host has the options that it had before there were settings', (t) => {
  t.deepEqual(optionsWith('{}'), optionsOf(parseFlags([], serveFlags)));
});

test('an option of the command line holds against the settings', (t) => {
  t.is(optionsWith('{ "port": 4400 }', ['--port', '0']).port, 0);
});

test('an executor of the command line replaces the executor of the settings with its permission', (t) => {
  const options = optionsWith(captions, ['--caption-executor', 'recorded']);
  t.is(options.captionExecutor.classification, 'recorded_real_pipeline_fixture');
});

for (const [what, text, message] of [
  ['no JSON', '{ "port": }', `${path}: 1:11: ValueExpected: not JSON with comments`],
  ['no object', '[1]', `${path}: one object with settings is needed, such as { "port": 4312 }`],
  ['an unknown name', '{\n  "prot": 1\n}', `${path}: 2:3: unknown setting "prot", did you mean port?`],
  ['the data root', '{ "data-root": "/d" }', `${path}: 1:3: unknown setting "data-root"`],
  ['a name given twice', '{ "port": 1, "port": 2 }', `${path}: 1:14: "port" is given twice; remove one of them`],
  [
    'a switch that is a text',
    '{ "allow-recognized-captions": "yes" }',
    `${path}: 1:3: "allow-recognized-captions": true or false is needed`,
  ],
  [
    'a list that is a text',
    '{ "allowed-origin": "http://a" }',
    `${path}: 1:3: "allowed-origin": a list of one or more texts is needed`,
  ],
  [
    'an empty list',
    '{ "allowed-origin": [] }',
    `${path}: 1:3: "allowed-origin": a list of one or more texts is needed`,
  ],
  ['a number that is a list', '{ "port": [1] }', `${path}: 1:3: "port": a text or a number is needed`],
] as const) {
  test(`settings are refused with their place: ${what}`, (t) => {
    t.like(
      t.throws(() => parseSettings(text, path)),
      { code: 'invalid_settings', message },
    );
  });
}

test('a value that no option takes is refused by the check of that option', (t) => {
  t.like(
    t.throws(() => optionsWith('{ "port": 70000 }')),
    { code: 'invalid_port' },
  );
  t.like(
    t.throws(() => optionsWith('{ "caption-executor": "grouped-subtitles" }')),
    { code: 'executor_not_allowed' },
  );
});

test('a change keeps the comments and the order of the others', (t) => {
  const before = '{\n  // mine\n  "port": 4400,\n  "log-format": "json"\n}\n';
  t.is(changedSettings(before, new Map([['port', 0]])), before.replace('4400', '0'));
  t.is(changedSettings(before, new Map([['log-format', undefined]])), '{\n  // mine\n  "port": 4400\n}\n');
  t.is(changedSettings(null, new Map([['port', 0]])), '{\n  "port": 0\n}\n');
});

test('words of a command line become values by the form of their option', (t) => {
  t.is(settingOf('port', ['4400']), 4400);
  t.is(settingOf('port', ['0']), 0);
  t.is(settingOf('reviewer-label', ['007']), '007');
  t.is(settingOf('caption-executor', ['recorded']), 'recorded');
  t.is(settingOf('allow-recognized-captions', ['true']), true);
  t.deepEqual(settingOf('allowed-origin', ['http://a', 'http://b']), ['http://a', 'http://b']);
  t.throws(() => settingOf('allow-recognized-captions', ['yes']), { message: /true or false/ });
  t.throws(() => settingOf('port', ['1', '2']), { message: /takes one value/ });
  t.throws(() => settingOf('prot', ['1']), { message: /did you mean port\?/ });
});

test('the schema that is published is the one of the options, and accepts what the program accepts', (t) => {
  const published = readFileSync(fileURLToPath(new URL('../../docs/settings.schema.json', import.meta.url)), 'utf8');
  t.is(published, `${JSON.stringify(settingsSchema(), null, 2)}\n`);
  const accepts = new Ajv2020({ strict: false }).compile(settingsSchema());
  t.true(accepts(JSON.parse(captions)));
  t.false(accepts({ prot: 1 }));
  t.false(accepts({ 'allow-recognized-captions': 'yes' }));
  t.deepEqual(
    Object.keys(settingFlags).filter((name) => ['data-root', 'settings'].includes(name)),
    [],
  );
});

test('bug: a remedy named the option of the model server twice, and the variable of the environment never', (t) => {
  const refusal = worded`${variable('OPENAI_BASE_URL', 'model-server')} is not an http(s) address`;
  const failure = (argv: readonly string[], settings: Settings) =>
    settingsFailure(new StartError('invalid_translation_provider', refusal), {
      given: parseFlags(argv, serveFlags),
      settings,
      path: '/x/settings.json',
    });
  t.deepEqual(failure(['--model-server', 'x'], new Map()), {
    message: 'invalid_translation_provider: --model-server is not an http(s) address',
    remedy: 'correct --model-server, or OPENAI_BASE_URL or OPENAI_API_KEY in the environment',
  });
  t.like(failure([], new Map()), {
    message: 'invalid_translation_provider: OPENAI_BASE_URL is not an http(s) address',
  });
  t.like(failure([], new Map([['model-server', 'x']])), {
    message: 'invalid_translation_provider: /x/settings.json: model-server is not an http(s) address',
  });
});
