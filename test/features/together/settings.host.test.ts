import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import test from 'ava';
import { noEngines } from '../../../actors/engines/engine-choices.ts';
import { featuresOf, serveFlags } from '../../../cli/options/serve-options.ts';
import { type Settings, settingsAfter, withoutLeftovers, withSettings } from '../../../cli/settings/settings-file.ts';
import { settingsChanged } from '../../../contract/settings.ts';
import { withEnginesOf } from '../../../features/feature.ts';
import { parseFlags } from '../../../options/flags.ts';
import { ModelInMemory } from '../../host/model-in-memory.ts';
import { cors, openedSettings } from '../../http/host/settings-steps.ts';

test('bug: the settings of a found recognizer ended the use of a translator', async (t) => {
  const environment = { MEDIA_STUDY_POCKETSPHINX: '/bin/true', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' };
  const flagsWith = (settings: Settings) => withSettings(parseFlags([], serveFlags), settings);
  const before = new Map<string, string | boolean>([
    ['caption-executor', 'subtitles-translated'],
    ['caption-translation-model', 'small'],
    ['allow-real-caption-production', true],
  ]);
  const features = featuresOf(flagsWith(before), environment);
  const found = (await Promise.all(features.map((feature) => feature.found?.(environment) ?? []))).flat();
  const { use = {} } = found.find(({ name }) => name === 'pocketsphinx') ?? {};
  t.deepEqual(use, { 'semantic-recognizer': 'pocketsphinx', 'permit-recognition': true });
  const after = settingsAfter(before, withoutLeftovers(before, new Map(Object.entries(use))));
  t.is(withEnginesOf(featuresOf(flagsWith(after), environment), noEngines).translator?.model, 'small');
});

test('a permission is withdrawn with what needs it, also from an engine that does not run', async (t) => {
  const model = new ModelInMemory();
  const { host, path, change, setting } = await openedSettings(t);
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

test('a key file is named on the command line alone, and so is each server that would get its key', async (t) => {
  const { host, change, path } = await openedSettings(t);
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
