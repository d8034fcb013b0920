import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import test from 'ava';
import { hostChecks } from '../../../contract/operation.ts';
import { foundEngines, settingsChanged } from '../../../contract/settings.ts';
import { ModelInMemory } from '../../host/model-in-memory.ts';
import { cors, openedSettings, type RefusedChanges } from '../../http/host/settings-steps.ts';

// The settings of a translator: its model, its server and the permission to send it text.

const translating = {
  'caption-executor': 'subtitles-translated',
  'caption-translation-model': 'small',
  'allow-real-caption-production': true,
};

const confirmation = 'sent_to_a_server_on_this_machine';

const refusals: RefusedChanges = [
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
    { set: translating, confirmation },
    'engine_unavailable',
    /no model server answers at/,
  ],
  [
    'a model of a server that is not the permitted one',
    { set: { 'caption-translation-model': 'small', 'permit-server': ['http://127.0.0.1:11/v1'] }, confirmation },
    'invalid_settings_change',
    /^caption-translation-model needs permit-server http:\/\/127\.0\.0\.1:9\/v1, or caption-executor subtitles-tr/,
  ],
  [
    'a model without any permission',
    { set: { 'caption-translation-model': 'small' }, confirmation },
    'invalid_settings_change',
    /^caption-translation-model needs caption-executor subtitles-translated/,
  ],
  [
    'a permitted server that does not answer',
    { set: { 'caption-translation-model': 'small', 'permit-server': ['http://127.0.0.1:9/v1/'] }, confirmation },
    'engine_unavailable',
    /no model server answers at/,
  ],
];

for (const [what, request, code, message] of refusals) {
  test(`a change of settings is refused, and nothing is written: ${what}`, async (t) => {
    const { host, change, read } = await openedSettings(t);
    t.regex(host.refused(t, await change(request), code, cors), message);
    t.is((await read()).file.state, 'absent');
  });
}

test('a paid server that the environment names is used only after the right confirmation', async (t) => {
  const environment = { OPENAI_BASE_URL: 'https://models.invalid/v1', OPENAI_API_KEY: 'key-for-tests' };
  const { host, change } = await openedSettings(t, { environment });
  const wrong = await change({ set: translating, confirmation });
  const needed = host.refused(t, wrong, 'settings_confirmation_required', cors);
  t.regex(
    needed,
    /leaves this machine, and each request may cost money; confirmation: leaves_this_machine_and_may_cost/,
  );
});

test('what a person writes into the settings file is taken at once, without a confirmation', async (t) => {
  const { host, path, change, setting } = await openedSettings(t);
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
  const { host, change, setting } = await openedSettings(t);
  const using = {
    'model-server': model.baseUrl,
    'caption-translation-model': 'small',
    'permit-server': [model.baseUrl],
  };
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

test('a found server is permitted beside those that are permitted already', async (t) => {
  const [known, other] = [new ModelInMemory(), 'http://127.0.0.1:12/v1'];
  const environment = { MEDIA_STUDY_POCKETSPHINX: '/no/pocketsphinx', OPENAI_BASE_URL: known.baseUrl };
  const { host, change } = await openedSettings(t, { environment });
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
