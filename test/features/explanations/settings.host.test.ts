import test from 'ava';
import { settingsChanged } from '../../../contract/settings.ts';
import { ModelInMemory } from '../../host/model-in-memory.ts';
import { cors, openedSettings } from '../../http/host/settings-steps.ts';

test('the server of explanations changes with a restart, and the answer says so', async (t) => {
  const [first, second] = [new ModelInMemory(), new ModelInMemory()];
  const flags = [
    ...['--language-explanation-executor', 'openai', '--allow-real-language-explanation'],
    ...['--language-explanation-model', 'stub'],
  ];
  const { host, change } = await openedSettings(t, { flags, environment: { OPENAI_BASE_URL: first.baseUrl } });
  const set = { 'model-server': second.baseUrl };
  const confirmation = 'sent_to_a_server_on_this_machine';
  const answer = host.granted(t, await change({ set, confirmation }), 200, settingsChanged, cors);
  t.deepEqual([answer.atOnce, answer.afterRestart], [['model-server'], ['model-server']]);
  t.true(answer.settings.restart.isNeeded);
  const back = host.granted(t, await change({ unset: ['model-server'], confirmation }), 200, settingsChanged, cors);
  t.deepEqual([back.atOnce, back.afterRestart], [['model-server'], []]);
  t.false(back.settings.restart.isNeeded);
});
