import type {
  EngineChoices,
  NamedRecognizer,
  NamedTranslator,
  RecognizerOpening,
  TranslatorOpening,
} from '../../../actors/engines/engine-choices.ts';
import { EngineRegistry } from '../../../actors/engines/engine-registry.ts';
import type { Clock } from '../../../contract/base/clock.ts';

/** The opening of an engine that a test names and never uses. */
const unopened = () => Promise.reject(new Error('this test opens no engine'));

/** A recognizer as the settings of a host name it. It cannot be opened unless the test gives an opening. */
export const namedRecognizer = (
  named: Pick<NamedRecognizer, 'engine'> & Partial<NamedRecognizer>,
): NamedRecognizer => ({
  place: named.provider?.baseUrl ?? named.engine,
  model: null,
  settings: {},
  open: unopened,
  ...named,
});

type ServedTranslator = Required<Pick<NamedTranslator, 'provider'>>;

/** A translator as the settings of a host name it. It cannot be opened unless the test gives an opening. */
export const namedTranslator = (
  named: ServedTranslator & Partial<NamedTranslator>,
): NamedTranslator & ServedTranslator => {
  const { provider, model = 'stub' } = named;
  return {
    place: provider.baseUrl,
    settings: { isAskedOnce: false },
    identity: { model, promptContentId: 'sha256:1', configurationContentId: 'sha256:2' },
    open: unopened,
    ...named,
    model,
  };
};

/** A model that translates, on a server of this machine, and on one outside. */
export const translators = {
  here: namedTranslator({ provider: { baseUrl: 'http://127.0.0.1:1/v1', apiKey: null, isLocal: true } }),
  outside: namedTranslator({
    provider: { baseUrl: 'https://models.example/v1', apiKey: 'secret-of-the-test', isLocal: false },
  }),
};

/** The parts of a host for engines that need none of them. */
export function openingWith(clock: Clock): RecognizerOpening & TranslatorOpening {
  const unused = () => Promise.reject(new Error('an engine of this test needs no part of a host'));
  return {
    clock,
    environment: {},
    launcher: { run: unused, start: unused, close: unused },
    ledger: { getMany: unused, commit: unused },
    detector: { identify: unused },
  };
}

/** The registry of a host with these engines. */
export const registryOf = (choices: EngineChoices, clock: Clock): EngineRegistry =>
  new EngineRegistry({ choices, clock, opening: openingWith(clock) });
