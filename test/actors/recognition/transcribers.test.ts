import test from 'ava';
import type { EngineChoices } from '../../../actors/engines/engine-choices.ts';
import { EngineRegistry } from '../../../actors/engines/engine-registry.ts';
import { Transcribers } from '../../../actors/recognition/recognition-steps.ts';
import { systemClock } from '../../../actors/supervision/system-clock.ts';
import { noEngines, translators } from '../engines/no-engines.ts';

const { provider } = translators.outside;
const permitted: EngineChoices = {
  ...noEngines,
  recognizer: { engine: 'openai', model: 'stub', responseFormat: 'json', provider },
  permissions: { recognition: true, servers: [provider.baseUrl], testSeam: false },
};

test('bug: a permission that was withdrawn after a study was accepted still let its sound be sent', async (t) => {
  let openings = 0;
  const engines = new EngineRegistry({
    clock: systemClock,
    choices: permitted,
    openRecognizer: () => {
      openings += 1;
      return Promise.reject(new Error('this test opens none'));
    },
    openTranslator: () => Promise.reject(new Error('this test opens none')),
  });
  const transcribers = new Transcribers({
    engines,
    transcriberOf: () => {
      throw new Error('this test opens none');
    },
  });
  t.true(transcribers.areOffered);
  await transcribers.open('before');
  t.is(openings, 1);

  engines.use({ ...permitted, permissions: { ...permitted.permissions, servers: [] } });
  t.false(transcribers.areOffered);
  // An earlier host may have begun the step.
  await transcribers.open('after');
  t.is(openings, 1);
  transcribers.close('before');
  engines.close();
});
