import test from 'ava';
import { foundEngines } from '../../../contract/settings.ts';
import { cors, openedSettings } from '../../http/host/settings-steps.ts';

test('a recognizer that this machine lacks is found as absent, with what to install', async (t) => {
  const { host } = await openedSettings(t);
  const { engines } = host.granted(t, await host.get('/v1/found-engines'), 200, foundEngines);
  const recognizer = engines.find(({ name }) => name === 'pocketsphinx');
  t.like(recognizer, { state: 'absent', use: {}, confirmation: null });
  t.regex(recognizer?.remedy ?? '', /^install it/);
});

test('a program is named on the command line alone: whoever has a token could make the host run any other', async (t) => {
  const { host, change, setting } = await openedSettings(t);
  const set = { 'semantic-recognizer': 'whisper-cli', 'semantic-recognizer-program': '/bin/sh' };
  host.refused(t, await change({ set }), 'setting_not_changeable', cors);
  t.like(await setting('semantic-recognizer-program'), { change: 'command_line', value: null });
});
