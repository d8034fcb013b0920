import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { noEngines } from '../../actors/engines/engine-choices.ts';
import { featuresOf, serveFlags } from '../../cli/options/serve-options.ts';
import { type Settings, settingsAfter, withoutLeftovers, withSettings } from '../../cli/settings/settings-file.ts';
import type { ErrorCode } from '../../contract/base/errors.ts';
import { hostChecks } from '../../contract/operation.ts';
import { publishReviewDecisions } from '../../contract/review.ts';
import {
  foundEngines,
  type HostSetting,
  hostRestart,
  hostSettings,
  type SettingsChangeRequest,
  settingsChanged,
} from '../../contract/settings.ts';
import { withEnginesOf } from '../../features/feature.ts';
import { parseFlags } from '../../options/flags.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { ModelInMemory } from '../host/model-in-memory.ts';
import { TestHost, type TestHostOptions } from '../host/test-host.ts';
import { eventually } from '../patience.ts';
import { pageOrigin } from './host/contract.ts';
import { ingestRequest, ingests, octets, openIngest } from './host/ingest-steps.ts';
import { sampleRow, studyRequest } from './host/study-steps.ts';

// The settings of a running host, as the page of its operator reads and changes them.

const cors = ['access-control-allow-origin', 'access-control-expose-headers', 'vary'];
const headers = { Origin: pageOrigin };
const none = { MEDIA_STUDY_POCKETSPHINX: '/no/pocketsphinx', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' };
const captioning = { 'caption-executor': 'grouped-subtitles', 'allow-embedded-subtitle-captions': true };
const translating = {
  'caption-executor': 'subtitles-translated',
  'caption-translation-model': 'small',
  'allow-real-caption-production': true,
};

async function opened(t: ExecutionContext, options: TestHostOptions = {}) {
  const host = await TestHost.open(t, { environment: none, ...options });
  const path = dataRootAt(host.dataRoot).settings;
  const change = (request: SettingsChangeRequest) =>
    host.ask('POST', '/v1/settings-changes', { headers, json: { schema: 'studio.settings-change.v1', ...request } });
  const read = async () => host.granted(t, await host.get('/v1/settings'), 200, hostSettings);
  const setting = async (name: string): Promise<HostSetting | undefined> =>
    (await read()).settings.find((row) => row.name === name);
  return { host, path, change, read, setting };
}

test('settings show their values and the origin of each', async (t) => {
  const { read, setting } = await opened(t, { flags: ['--maximum-live-studies', '7'] });
  const { file, restart } = await read();
  t.is(file.state, 'absent');
  t.deepEqual([restart.isNeeded, restart.isPossible], [false, true]);
  t.like(await setting('maximum-live-studies'), { value: 7, source: 'option', next: 7, change: 'at_once' });
  t.like(await setting('caption-executor'), { value: null, source: 'default', preset: 'recorded', room: 'captions' });
  t.like(await setting('token-file'), { change: 'command_line', room: 'network' });
  t.deepEqual((await setting('screen-text'))?.choices, ['unavailable', 'tesseract']);
  t.is((await setting('token-file'))?.choices, undefined);
});

test('limits and engines are changed at once, and other settings wait for a restart', async (t) => {
  const { host, path, change, read, setting } = await opened(t);
  const request = studyRequest(await sampleRow(t, host), { range: { startMs: 0, endMs: 20_000 } });
  const named = { 'reviewer-id': 'reviewer:ann' };
  const short = await change({ set: { 'maximum-study-range-ms': 10_000, ...captioning, ...named } });
  const answer = host.granted(t, short, 200, settingsChanged, cors);
  t.deepEqual(answer.atOnce, ['maximum-study-range-ms', ...Object.keys(captioning)]);
  t.deepEqual(answer.afterRestart, Object.keys(named));
  host.refused(t, await host.post('/v1/runtime-plans', request), 'study_range_too_large');
  t.like(await setting('maximum-study-range-ms'), { value: 10_000, source: 'file', next: 10_000 });
  t.like(await setting('caption-executor'), { value: 'grouped-subtitles', source: 'file', next: 'grouped-subtitles' });
  t.like(await setting('reviewer-id'), { value: null, next: 'reviewer:ann' });
  t.true((await read()).restart.isNeeded);
  t.deepEqual(JSON.parse(await readFile(path, 'utf8')), {
    'maximum-study-range-ms': 10_000,
    ...captioning,
    ...named,
  });

  host.granted(t, await change({ unset: ['maximum-study-range-ms'] }), 200, settingsChanged, cors);
  t.is((await host.post('/v1/runtime-plans', request)).status, 200);
});

test('bug: a person signed with a name that was not theirs until the host restarted; the id of the reviewer stays', async (t) => {
  const { host, change, setting } = await opened(t, { life: 'studied' });
  const path = `/v1/runtimes/${host.known.studies.tenSeconds}/publish-review-decisions`;
  const reviewer = async () => host.granted(t, await host.get(path), 200, publishReviewDecisions).reviewer;
  const { id } = await reviewer();
  const answer = host.granted(t, await change({ set: { 'reviewer-label': 'Sua Kim' } }), 200, settingsChanged, cors);
  t.deepEqual([answer.atOnce, answer.afterRestart], [['reviewer-label'], []]);
  t.like(await reviewer(), { id, label: 'Sua Kim' });
  t.like(await setting('reviewer-label'), { value: 'Sua Kim', source: 'file', change: 'at_once' });
  t.is((await change({ set: { 'reviewer-label': ' two\nlines' } })).status, 400);
  t.is((await reviewer()).label, 'Sua Kim');
});

test('another caption executor takes the permission of the one before out of the file', async (t) => {
  const { change, path } = await opened(t);
  await change({ set: captioning });
  await change({ set: { 'caption-executor': 'recognized', 'allow-recognized-captions': true } });
  const after = { 'caption-executor': 'recognized', 'allow-recognized-captions': true };
  t.deepEqual(JSON.parse(await readFile(path, 'utf8')), after);
});

test('a caption executor that is unset takes its permission and its model along', async (t) => {
  const { host, change, path } = await opened(t);
  await change({ set: captioning });
  host.granted(t, await change({ unset: ['caption-executor'] }), 200, settingsChanged, cors);
  t.deepEqual(JSON.parse(await readFile(path, 'utf8')), {});
});

test('bug: of settings that were changed at the same time, one was kept and the others failed', async (t) => {
  const { host, change, path } = await opened(t);
  const settings = { 'maximum-study-range-ms': 700_000, 'maximum-live-studies': 500, 'reviewer-label': 'Ann' };
  const changes = Object.entries(settings).map(([name, value]) => change({ set: { [name]: value } }));
  for (const answer of await Promise.all(changes)) host.granted(t, answer, 200, settingsChanged, cors);
  t.deepEqual(JSON.parse(await readFile(path, 'utf8')), settings);
});

const refusals: readonly (readonly [string, SettingsChangeRequest, ErrorCode, RegExp])[] = [
  ['an unknown name', { set: { prot: 1 } }, 'invalid_settings_change', /no setting prot/],
  ['a value that does not fit', { set: { 'log-format': true } }, 'invalid_settings_change', /text or a number/],
  ['options that do not agree', { set: { 'screen-text-languages': 'eng' } }, 'invalid_settings_change', /needs/],
  ['nothing', {}, 'invalid_settings_change', /nothing/],
  [
    'the file and a setting',
    { set: { port: 1 }, fromFile: true },
    'invalid_settings_change',
    /^fromFile: nothing is set or unset beside it$/,
  ],
  ['set and unset', { set: captioning, unset: ['caption-executor'] }, 'invalid_settings_change', /at once/],
  ['a port', { set: { port: 1 } }, 'setting_not_changeable', /settings set port=VALUE/],
  [
    'an option of the start',
    { set: { 'maximum-live-studies': 9 } },
    'setting_not_changeable',
    /an option on the command line of the host sets maximum-live-studies: start the host without it/,
  ],
  [
    'a server outside this machine, which would get the key',
    {
      set: { ...translating, 'model-server': 'https://models.example/v1' },
      confirmation: 'leaves_this_machine_and_may_cost',
    },
    'setting_not_changeable',
    /outside this machine/,
  ],
  [
    'bug: a model server with a fragment, which no model uses yet',
    { set: { 'model-server': 'http://127.0.0.1:11434/v1#part' } },
    'invalid_settings_change',
    /^model-server must not have a query or a fragment/,
  ],
  [
    'bug: a model server on this machine with a password, which was said to be outside of it',
    { set: { 'model-server': 'http://me:secret@127.0.0.1:11434/v1' } },
    'invalid_settings_change',
    /^model-server must not hold a name or a password/,
  ],
  [
    'bug: a model server on this machine by another spelling, which was said to be outside of it',
    { set: { ...translating, 'model-server': 'http://localhost.:9/v1' } },
    'settings_confirmation_required',
    /sent_to_a_server_on_this_machine/,
  ],
  ['a server without a confirmation', { set: translating }, 'settings_confirmation_required', /sent_to_a_server/],
  [
    'a confirmation of something else',
    { set: translating, confirmation: 'leaves_this_machine_and_may_cost' },
    'settings_confirmation_required',
    /sent_to_a_server_on_this_machine/,
  ],
  [
    'a server that does not answer',
    { set: translating, confirmation: 'sent_to_a_server_on_this_machine' },
    'engine_unavailable',
    /no model server answers at/,
  ],
];

for (const [what, request, code, message] of refusals) {
  test(`a change of settings is refused, and nothing is written: ${what}`, async (t) => {
    const { host, change, read } = await opened(t, { flags: ['--maximum-live-studies', '7'] });
    t.regex(host.refused(t, await change(request), code, cors), message);
    t.is((await read()).file.state, 'absent');
  });
}

test('a paid server that the environment names is used only after the right confirmation', async (t) => {
  const environment = { ...none, OPENAI_BASE_URL: 'https://models.invalid/v1', OPENAI_API_KEY: 'key-for-tests' };
  const { host, change } = await opened(t, { environment });
  const wrong = await change({ set: translating, confirmation: 'sent_to_a_server_on_this_machine' });
  const needed = host.refused(t, wrong, 'settings_confirmation_required', cors);
  t.regex(
    needed,
    /leaves this machine, and each request may cost money; confirmation: leaves_this_machine_and_may_cost/,
  );
});

test('settings are changed and hosts restarted only by allowed origins with the token', async (t) => {
  const { host } = await opened(t);
  for (const [path, json] of [
    ['/v1/settings-changes', { schema: 'studio.settings-change.v1', set: captioning }],
    ['/v1/host-restarts', { schema: 'studio.host-restart-request.v1' }],
  ] as const) {
    host.refused(t, await host.post(path, json), 'origin_required');
    const evil = { Origin: 'http://evil.example' };
    host.refused(t, await host.ask('POST', path, { headers: evil, json }), 'origin_not_allowed');
    host.refused(t, await host.ask('POST', path, { headers, json, token: null }), 'unauthorized', [
      'www-authenticate',
      ...cors,
    ]);
  }
});

test('a settings file that cannot be read is named, and neither changed nor restarted into', async (t) => {
  const { host, path, change, read } = await opened(t);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '{ "port": }');
  const { file, restart } = await read();
  t.is(file.state, 'unreadable');
  t.regex(file.fault ?? '', /^1:11: ValueExpected/);
  t.false(restart.isPossible);
  host.refused(t, await change({ set: captioning }), 'settings_unreadable', cors);
  const json = { schema: 'studio.host-restart-request.v1' };
  host.refused(t, await host.ask('POST', '/v1/host-restarts', { headers, json }), 'restart_refused', cors);
});

for (const [what, settings, reason] of [
  [
    'a value that no host takes',
    { 'maximum-study-range-ms': 'abc' },
    /: maximum-study-range-ms abc: an integer from 1/,
  ],
  ['an executor without its permission', { 'caption-executor': 'recognized' }, /needs allow-recognized-captions$/],
] as const) {
  test(`bug: a host restarted into settings with which no host starts: ${what}`, async (t) => {
    const { host, path, read } = await opened(t);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, JSON.stringify(settings));
    const { file, restart } = await read();
    t.is(file.state, 'read');
    t.false(restart.isPossible);
    t.regex(restart.text, reason);
    const json = { schema: 'studio.host-restart-request.v1' };
    host.refused(t, await host.ask('POST', '/v1/host-restarts', { headers, json }), 'restart_refused', cors);
    t.false(host.reports().includes('restart'));
  });
}

test('a host answers before it restarts, and not while it receives a whole file', async (t) => {
  const { host, read } = await opened(t);
  const restart = (json: unknown = { schema: 'studio.host-restart-request.v1' }) =>
    host.ask('POST', '/v1/host-restarts', { headers, json });
  host.refused(t, await restart({}), 'invalid_restart_request', cors);
  const { startedAt } = host.granted(t, await restart(), 202, hostRestart, cors);
  t.is(startedAt, (await read()).startedAt);
  t.true(host.reports().includes('restart'));

  const ingestId = await openIngest(t, host, ingestRequest(1000));
  const upload = host.request('PUT', `${ingests}/${ingestId}/media`, 1000, octets);
  upload.send(Buffer.from('\0\0\0\x20ftypisom'));
  await eventually('the upload to begin', async () => !(await read()).restart.isPossible, 5);
  t.regex(host.refused(t, await restart(), 'restart_refused', cors), /uploaded whole/);
  upload.leave();
});

test('bug: the settings of a found recognizer ended the use of a translator', async (t) => {
  const environment = { MEDIA_STUDY_POCKETSPHINX: '/bin/true', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' };
  const flagsWith = (settings: Settings) => withSettings(parseFlags([], serveFlags), settings);
  const before = new Map(Object.entries(translating));
  const features = featuresOf(flagsWith(before), environment);
  const found = (await Promise.all(features.map((feature) => feature.found?.(environment) ?? []))).flat();
  const { use = {} } = found.find(({ name }) => name === 'pocketsphinx') ?? {};
  t.deepEqual(use, { 'semantic-recognizer': 'pocketsphinx', 'permit-recognition': true });
  const after = settingsAfter(before, withoutLeftovers(before, new Map(Object.entries(use))));
  t.is(withEnginesOf(featuresOf(flagsWith(after), environment), noEngines).translator?.model, 'small');
});

test('engines of this machine are found with the settings that use them', async (t) => {
  const { host, change, setting } = await opened(t);
  const { engines } = host.granted(t, await host.get('/v1/found-engines'), 200, foundEngines);
  const recognizer = engines.find(({ name }) => name === 'pocketsphinx');
  t.like(recognizer, { state: 'absent', use: {}, confirmation: null });
  t.regex(recognizer?.remedy ?? '', /^install it/);
  const subtitles = engines.find(({ engine }) => engine === 'captions');
  t.like(subtitles, { state: 'found', reach: 'this_host', confirmation: null });
  host.granted(t, await change({ set: subtitles?.use ?? {} }), 200, settingsChanged, cors);
  t.like(await setting('caption-executor'), { next: 'grouped-subtitles' });
});

test('captions are made as soon as their executor is set, and no more once it is unset', async (t) => {
  const { host, change } = await opened(t, { life: 'approved' });
  const { approval, studies } = host.known;
  const productions = `/v1/runtimes/${studies.twelveSeconds}/caption-productions`;
  const produce = () => host.ask('POST', productions, { headers, json: { approval } });
  const embedded = { 'caption-executor': 'embedded-subtitles', 'allow-embedded-subtitle-captions': true };
  host.refused(t, await produce(), 'caption_current_run_causality_required', cors);
  host.granted(t, await change({ set: embedded }), 200, settingsChanged, cors);
  host.granted(t, await change({ unset: ['caption-executor'] }), 200, settingsChanged, cors);
  host.refused(t, await produce(), 'caption_current_run_causality_required', cors);
  host.granted(t, await change({ set: embedded }), 200, settingsChanged, cors);
  t.is((await produce()).status, 201);
});

test('what a person writes into the settings file is taken at once, without a confirmation', async (t) => {
  const { host, path, change, setting } = await opened(t);
  const server = 'http://127.0.0.1:11/v1';
  const file = {
    'model-server': server,
    'caption-translation-model': 'large',
    'permit-server': [server],
    'log-format': 'json',
  };
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(file));
  t.like(await setting('permit-server'), { value: null, next: [server] });
  const { atOnce, afterRestart } = host.granted(t, await change({ fromFile: true }), 200, settingsChanged, cors);
  t.deepEqual([...atOnce].sort(), ['caption-translation-model', 'model-server', 'permit-server']);
  t.deepEqual(afterRestart, ['log-format']);
  t.like(await setting('permit-server'), { value: [server], source: 'file' });
  t.deepEqual(JSON.parse(await readFile(path, 'utf8')), file);

  await writeFile(path, JSON.stringify({ 'caption-translation-model': 'large' }));
  host.refused(t, await change({ fromFile: true }), 'invalid_settings_change', cors);
  await writeFile(path, '{');
  host.refused(t, await change({ fromFile: true }), 'settings_unreadable', cors);
  t.like(await setting('permit-server'), { value: [server] });
});

test('a model server is permitted by its address, with the confirmation that it needs', async (t) => {
  const model = new ModelInMemory();
  const { host, change, setting } = await opened(t);
  const using = {
    'model-server': model.baseUrl,
    'caption-translation-model': 'small',
    'permit-server': [model.baseUrl],
  };
  const confirmation = 'sent_to_a_server_on_this_machine';
  host.refused(t, await change({ set: using }), 'settings_confirmation_required', cors);
  const { atOnce, settings } = host.granted(t, await change({ set: using, confirmation }), 200, settingsChanged, cors);
  t.deepEqual(atOnce, Object.keys(using));
  t.false(settings.restart.isNeeded);
  t.like(await setting('permit-server'), { value: [model.baseUrl], change: 'at_once', room: 'captions' });
  const { engines } = host.granted(t, await host.get('/v1/host-checks'), 200, hostChecks);
  const translator = engines.find(({ engine }) => engine === 'caption_translation');
  t.like(translator, { isOn: true, name: `small at ${model.baseUrl}`, reach: 'this_machine' });
  t.is(model.asked.length, 0);
});

for (const [what, set, code, message, confirmation = 'sent_to_a_server_on_this_machine'] of [
  [
    'a model of a server that is not the permitted one',
    { 'caption-translation-model': 'small', 'permit-server': ['http://127.0.0.1:11/v1'] },
    'invalid_settings_change',
    /^caption-translation-model needs permit-server http:\/\/127\.0\.0\.1:9\/v1, or caption-executor subtitles-tr/,
  ],
  [
    'a model without any permission',
    { 'caption-translation-model': 'small' },
    'invalid_settings_change',
    /^caption-translation-model needs caption-executor subtitles-translated/,
  ],
  [
    'a server outside this machine as if it were on it',
    { 'permit-server': ['https://models.example/v1'] },
    'settings_confirmation_required',
    /^text or sound leaves this machine, and each request may cost money; confirmation: leaves_this_machine_and_may/,
  ],
  [
    'the address of a server with a password, which is not repeated',
    { 'permit-server': ['http://me:secret@127.0.0.1:9/v1'] },
    'invalid_settings_change',
    /^permit-server must not hold a name or a password$/,
  ],
  [
    'a server that does not answer',
    { 'caption-translation-model': 'small', 'permit-server': ['http://127.0.0.1:9/v1/'] },
    'engine_unavailable',
    /no model server answers at/,
  ],
] as const satisfies readonly (readonly [string, SettingsChangeRequest['set'], ErrorCode, RegExp, ...string[]])[]) {
  test(`a permission is refused, and nothing is written: ${what}`, async (t) => {
    const { host, change, read } = await opened(t);
    t.regex(host.refused(t, await change({ set, confirmation }), code, cors), message);
    t.is((await read()).file.state, 'absent');
  });
}

test('a paid server is permitted by its address and its confirmation, and named on the command line alone', async (t) => {
  const { host, change, setting } = await opened(t);
  const confirmation = 'leaves_this_machine_and_may_cost';
  const set = { 'permit-server': ['https://models.example/v1/'] };
  host.granted(t, await change({ set, confirmation }), 200, settingsChanged, cors);
  t.like(await setting('permit-server'), { value: set['permit-server'] });
  const named = { set: { 'model-server': 'https://models.example/v1' }, confirmation } as const;
  host.refused(t, await change(named), 'setting_not_changeable', cors);
});

test('a program is named on the command line alone: whoever has a token could make the host run any other', async (t) => {
  const { host, change, setting } = await opened(t);
  const set = { 'semantic-recognizer': 'whisper-cli', 'semantic-recognizer-program': '/bin/sh' };
  host.refused(t, await change({ set }), 'setting_not_changeable', cors);
  t.like(await setting('semantic-recognizer-program'), { change: 'command_line', value: null });
});

test('a key file is named on the command line alone, and so is each server that would get its key', async (t) => {
  const { host, change, path } = await opened(t);
  const confirmation = 'sent_to_a_server_on_this_machine';
  for (const use of ['semantic-recognizer', 'caption-translation']) {
    const [server, keyFile] = [`${use}-server`, `${use}-key-file`];
    host.refused(t, await change({ set: { [keyFile]: '/etc/passwd' } }), 'setting_not_changeable', cors);
    const outside = { [server]: 'https://models.example/v1' };
    host.refused(t, await change({ set: outside, confirmation }), 'setting_not_changeable', cors);
    const fragment = { [server]: 'http://127.0.0.1:9/v1#part' };
    host.refused(t, await change({ set: fragment, confirmation }), 'invalid_settings_change', cors);
  }
  const key = `${path}.key`;
  await writeFile(key, 'sk-test-0123456789', { mode: 0o600 });
  const chosen = {
    'semantic-recognizer': 'openai',
    'semantic-recognizer-model': 'small',
    'semantic-recognizer-server': 'https://models.example/v1',
    'semantic-recognizer-key-file': key,
    'permit-recognition': true,
  };
  await writeFile(path, JSON.stringify(chosen));
  host.granted(t, await change({ fromFile: true }), 200, settingsChanged, cors);
  const set = { 'semantic-recognizer-server': 'http://127.0.0.1:9/v1' };
  const refused = host.refused(t, await change({ set, confirmation }), 'setting_not_changeable', cors);
  t.regex(refused, /while semantic-recognizer-key-file is set, because it gets that key/);
  host.refused(t, await change({ unset: Object.keys(set) }), 'setting_not_changeable', cors);
  t.deepEqual(JSON.parse(await readFile(path, 'utf8')), chosen);
});

test('a found server is permitted beside those that are permitted already', async (t) => {
  const [known, other] = [new ModelInMemory(), 'http://127.0.0.1:12/v1'];
  const environment = { MEDIA_STUDY_POCKETSPHINX: '/no/pocketsphinx', OPENAI_BASE_URL: known.baseUrl };
  const { host, change } = await opened(t, { environment });
  const confirmation = 'sent_to_a_server_on_this_machine';
  await change({ set: { 'permit-server': [other] }, confirmation });
  const { engines } = host.granted(t, await host.get('/v1/found-engines'), 200, foundEngines);
  const found = engines.find(({ name }) => name === `model server at ${known.baseUrl}`);
  t.deepEqual(found?.use, {
    'model-server': known.baseUrl,
    'caption-translation-model': 'stub',
    'permit-server': [other, known.baseUrl],
  });
  t.is(found?.confirmation, confirmation);
  host.granted(t, await change({ set: found?.use ?? {}, confirmation }), 200, settingsChanged, cors);
});

test('the server of explanations changes with a restart, and the answer says so', async (t) => {
  const [first, second] = [new ModelInMemory(), new ModelInMemory()];
  const flags = [
    ...['--language-explanation-executor', 'openai', '--allow-real-language-explanation'],
    ...['--language-explanation-model', 'stub'],
  ];
  const { host, change } = await opened(t, { flags, environment: { OPENAI_BASE_URL: first.baseUrl } });
  const set = { 'model-server': second.baseUrl };
  const confirmation = 'sent_to_a_server_on_this_machine';
  const answer = host.granted(t, await change({ set, confirmation }), 200, settingsChanged, cors);
  t.deepEqual([answer.atOnce, answer.afterRestart], [['model-server'], ['model-server']]);
  t.true(answer.settings.restart.isNeeded);
  const back = host.granted(t, await change({ unset: ['model-server'], confirmation }), 200, settingsChanged, cors);
  t.deepEqual([back.atOnce, back.afterRestart], [['model-server'], []]);
  t.false(back.settings.restart.isNeeded);
});

test('a permission is withdrawn with what needs it, also from an engine that does not run', async (t) => {
  const model = new ModelInMemory();
  const { host, path, change, setting } = await opened(t);
  const recognizing = { 'semantic-recognizer': 'whisper-cli', 'semantic-recognizer-model': '/no/model' };
  const translator = { 'model-server': model.baseUrl, 'caption-translation-model': 'small' };
  const permissions = { 'permit-recognition': true, 'permit-server': [model.baseUrl] };
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify({ ...recognizing, ...translator, ...permissions }));
  const confirmation = 'sent_to_a_server_on_this_machine';
  host.granted(t, await change({ unset: ['permit-recognition'], confirmation }), 200, settingsChanged, cors);
  t.deepEqual(JSON.parse(await readFile(path, 'utf8')), { ...translator, 'permit-server': [model.baseUrl] });
  t.like(await setting('semantic-recognizer'), { value: null });
  host.granted(t, await change({ unset: ['permit-server'] }), 200, settingsChanged, cors);
  t.deepEqual(JSON.parse(await readFile(path, 'utf8')), { 'model-server': model.baseUrl });
});
