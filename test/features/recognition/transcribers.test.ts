import test from 'ava';
import type { EngineChoices } from '../../../actors/engines/engine-choices.ts';
import { type NamedRecognizer, noEngines } from '../../../actors/engines/engine-choices.ts';
import { systemClock } from '../../../actors/supervision/system-clock.ts';
import type { Recognizer } from '../../../executors/recognition/recognizer.ts';
import { Transcribers } from '../../../features/recognition/steps.ts';
import { namedRecognizer, registryOf, translators } from '../../actors/engines/named-engines.ts';

const { provider } = translators.outside;
/** The choices of a host with the permission for its recognizer, which is a server. */
const permitted = (open: NamedRecognizer['open']): EngineChoices => ({
  ...noEngines,
  recognizer: namedRecognizer({ engine: 'openai', model: 'stub', provider, open }),
  permissions: { recognition: true, servers: [provider.baseUrl], testSeam: false },
});

const found: Recognizer = {
  engine: 'openai',
  tools: [{ name: 'stub', version: '1', digest: `sha256:${'0'.repeat(64)}` }],
  parameters: {},
  languages: null,
  wordTimes: 'none',
  recognize: () => Promise.reject(new Error('this test recognizes nothing')),
};

test('bug: a permission that was withdrawn after a study was accepted still let its sound be sent', async (t) => {
  let openings = 0;
  const choices = permitted(() => {
    openings += 1;
    return Promise.reject(new Error('this test opens none'));
  });
  const engines = registryOf(choices, systemClock);
  const transcribers = new Transcribers({
    engines,
    transcriberOf: () => {
      throw new Error('this test opens none');
    },
  });
  t.true(transcribers.areOffered);
  await transcribers.open('before');
  t.is(openings, 1);

  engines.use({ ...choices, permissions: { ...choices.permissions, servers: [] } });
  t.false(transcribers.areOffered);
  // An earlier host may have begun the step.
  await transcribers.open('after');
  t.is(openings, 1);
  transcribers.close('before');
  engines.close();
});

test('bug: a study took its recognizer from earlier settings, and its second run from those of now', async (t) => {
  const choices = permitted(async () => {
    engines.use({ ...noEngines, recognizesTwice: true });
    return found;
  });
  const engines = registryOf(choices, systemClock);
  const runs: boolean[] = [];
  const transcribers = new Transcribers({
    engines,
    transcriberOf: (_, runsTwice) => {
      runs.push(runsTwice);
      throw new Error('this test transcribes nothing');
    },
  });
  await transcribers.open('study');
  t.deepEqual(runs, [false]);
  engines.close();
});

test('bug: a study that stopped while its recognizer was opened kept it', async (t) => {
  let isOpened: (recognizer: Recognizer) => void = () => undefined;
  const choices = permitted(
    () =>
      new Promise((resolve) => {
        isOpened = resolve;
      }),
  );
  const engines = registryOf(choices, systemClock);
  const transcribers = new Transcribers({
    engines,
    transcriberOf: () => {
      throw new Error('this test transcribes nothing');
    },
  });
  const opening = transcribers.open('stopped');
  transcribers.close('stopped');
  isOpened(found);
  await opening;
  t.throws(() => transcribers.of('stopped'), { message: /^no recognizer was opened/ });
  engines.close();
});
