import type { NamedTranslator } from '../../actors/engines/engine-choices.ts';
import { engineOff, hostedEngine, ownEngine } from '../../actors/operation/engines.ts';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import type { EngineCause } from '../../contract/causes/causes.ts';
import { causeText } from '../../contract/causes/wording.ts';
import type { Engine } from '../../contract/operation.ts';
import type { FoundEngine } from '../../contract/settings.ts';
import { type FoundServer, foundServers, ollama } from '../../executors/model-server/found-servers.ts';
import type { Environment } from '../../executors/process/tools.ts';
import { StartError } from '../../options/failures.ts';
import { keySettings } from '../../options/model-server.ts';
import { permissionsOf } from '../../options/permissions.ts';
import { option, worded } from '../../options/start-text.ts';
import type { ConfiguredFeature, Feature, StartTrial } from '../feature.ts';
import {
  type ChosenTranslator,
  earlierIdentitiesOf,
  modelLines,
  openTranslator,
  translatorIdentityOf,
} from './caption-translations.ts';
import { installedPair, PairUnavailable, pairFor, pairNames, pairOf } from './engine/apertium-pairs.ts';
import { ApertiumPipe, PipeFailure } from './engine/apertium-pipe.ts';
import { apertiumTranslators } from './engine-pairs.ts';
import {
  pairFlag,
  pairsNotice,
  translationFlags,
  translationModelOf,
  translationPairsOf,
  translationServerNames,
  translatorNotice,
  translatorOf,
} from './options.ts';
import { identityOfPair, ProgramTranslations } from './program-translations.ts';
import { repeatedTranslation } from './repeated-translation.ts';

/** The translator of the options, as the engine registry of a host opens it. */
function namedTranslator(chosen: ChosenTranslator, keyFile: string | null): NamedTranslator {
  const { provider, model, isAskedOnce = false } = chosen;
  return {
    place: provider.baseUrl,
    model,
    settings: { isAskedOnce, ...keySettings(keyFile) },
    provider,
    identity: translatorIdentityOf(chosen),
    earlierIdentities: earlierIdentitiesOf(chosen),
    open: (opening) => openTranslator(chosen, opening),
    lines: (opening) => modelLines(chosen, opening),
  };
}

/** The pairs of Apertium of the options, as the engine registry of a host opens them. */
function namedPairs(modes: readonly string[], environment: Environment): NamedTranslator {
  const pairs = modes.flatMap((mode) => pairOf(mode) ?? []);
  const identity: NamedTranslator['identity'] = (languages) => identityOfPair(modes, languages, environment);
  return {
    place: 'apertium',
    model: modes.join(' '),
    settings: {},
    serves: (from, to) => pairFor(pairs, from, to) !== null,
    identity,
    open: async ({ launcher, clock, detector, environment: own }) =>
      new ProgramTranslations({ launcher, clock, detector, environment: own, modes }),
  };
}

/** Throws `StartError` for a pair that is not installed, cannot be run, or gives no answer. */
async function demandPairs(modes: readonly string[], { environment, launcher }: StartTrial): Promise<void> {
  for (const mode of modes) {
    const { signal } = new AbortController();
    try {
      const pair = installedPair(mode, environment);
      const pipe = new ApertiumPipe(pair, { launcher: await launcher(), clock: systemClock, signal });
      await pipe.demandRunning().finally(() => pipe.close());
    } catch (error) {
      if (!(error instanceof PairUnavailable || error instanceof PipeFailure)) throw error;
      throw new StartError('executor_not_allowed', worded`${option(pairFlag)} ${mode}: ${error.message}`);
    }
  }
}

/** Apertium with the pairs of this machine; nothing where it is not installed. */
function foundPairs(environment: Environment, inUse: readonly string[]): readonly FoundEngine[] {
  const models = pairNames(environment).map(({ mode }) => mode);
  if (models.length === 0) return [];
  return [
    {
      engine: 'caption_translation',
      name: 'apertium',
      reach: 'this_host',
      mayCost: false,
      state: inUse.length > 0 ? 'in_use' : 'found',
      text: `Apertium is installed with the pairs ${models.join(', ')}. It translates on this machine by rules and dictionaries, a line always in the same way. Nothing leaves the machine, and it costs nothing.`,
      remedy: `use a pair: media-study engines add apertium-${models[0]} --as translator`,
      cause: null,
      models: [...models],
      use: {},
      confirmation: null,
    },
  ];
}

/** Settings that use an engine. */
type EngineSettings = FoundEngine['use'];

/** The missing part of an engine, for people and as data. */
const needing = (cause: EngineCause | null): Pick<FoundEngine, 'remedy' | 'cause'> => ({
  remedy: cause === null ? null : causeText(cause, 'terminal').remedy,
  cause,
});

/** The servers that a search is about. */
interface SearchedServers {
  /** The address of the one that translates; null for none. */
  readonly inUse: string | null;
  /** Those that may get text. */
  readonly permitted: readonly string[];
  /** The setting that names the server. */
  readonly setting: string;
}

/** The settings that permit a server and its model for requests that need a translation. `permitted` are the servers so far. */
const serverSettings = (
  server: string,
  model: string,
  { permitted, setting }: Pick<SearchedServers, 'permitted' | 'setting'>,
): EngineSettings => ({
  [setting]: server,
  'caption-translation-model': model,
  'permit-server': [...new Set([...permitted, server])],
});

function serverOf({ server, models }: FoundServer, searched: SearchedServers): FoundEngine {
  const isInUse = server === searched.inUse;
  const [model] = models;
  return {
    engine: 'caption_translation',
    name: `model server at ${server}`,
    reach: 'this_machine',
    mayCost: false,
    state: isInUse ? 'in_use' : model === undefined ? 'incomplete' : 'found',
    text:
      model === undefined
        ? `A model server answers at ${server}. It has no model.`
        : `The text of captions is sent to a model server on this machine, ${server}. Whether it passes text on depends on that server.`,
    ...needing(model === undefined && !isInUse ? { code: 'model_missing', params: {} } : null),
    models: [...models],
    use: model === undefined || isInUse ? {} : serverSettings(server, model, searched),
    confirmation: model === undefined || isInUse ? null : 'sent_to_a_server_on_this_machine',
  };
}

/** The model servers of this machine. */
async function foundOf(environment: Environment, searched: SearchedServers): Promise<readonly FoundEngine[]> {
  const servers = await foundServers(environment);
  if (servers.length > 0) return servers.map((found) => serverOf(found, searched));
  return [
    {
      engine: 'caption_translation',
      name: `model server at ${ollama}`,
      state: 'absent',
      reach: 'this_machine',
      mayCost: false,
      models: [],
      use: {},
      confirmation: null,
      text: 'No model server answers on this machine, so nothing translates captions.',
      ...needing({ code: 'no_model_server', params: {} }),
    },
  ];
}

/** The row of the translator that the settings name. */
const translatorRow = ({ provider, model }: NamedTranslator): Engine =>
  provider === undefined
    ? ownEngine('caption_translation', `apertium ${model}`, 'captions are translated on this machine; nothing is sent')
    : hostedEngine('caption_translation', { provider, model }, 'caption text');

/** Translates captions, by a model or by a program of this machine. */
export const translation: Feature = {
  name: 'translation',
  flags: { host: translationFlags },
  repeatsTranslation: repeatedTranslation,
  programTranslators: apertiumTranslators,
  serverEngines: [
    {
      use: 'translator',
      sent: 'the text of captions',
      settingsOf: ({ server, model, keyFile, permitted }) => ({
        [translationServerNames.server]: server,
        ...(keyFile !== null && { [translationServerNames.keyFile]: keyFile }),
        'caption-translation-model': model,
        'permit-server': [...new Set([...permitted, server])],
      }),
      replaced: [translationServerNames.keyFile],
    },
  ],
  options: (given) => {
    const named = translationModelOf(given);
    const modes = translationPairsOf(given);
    const { servers: permitted } = permissionsOf(given);
    return (environment): ConfiguredFeature => {
      const chosen = named === null ? null : translatorOf(named, environment, permitted);
      return {
        open: async ({ engines }) => ({
          engineRows: () => {
            const { translator } = engines.choices;
            return [
              translator === null
                ? engineOff('caption_translation', 'nothing is translated')
                : translatorRow(translator),
            ];
          },
        }),
        engines: {
          translator:
            chosen !== null
              ? namedTranslator(chosen, named?.own?.keyFile ?? null)
              : modes.length > 0
                ? namedPairs(modes, environment)
                : null,
        },
        servers:
          chosen === null
            ? []
            : [{ use: 'translator', room: 'captions', change: 'at_once', sent: 'the text of captions', ...chosen }],
        engineNotices: chosen !== null ? [translatorNotice(chosen)] : modes.length > 0 ? [pairsNotice(modes)] : [],
        demand: async (trial) => {
          if (trial.isTried('captions')) await demandPairs(modes, trial);
        },
        found: async (searched) => [
          ...(await foundOf(searched, {
            inUse: chosen?.provider.baseUrl ?? null,
            permitted,
            // With a server of its own, the other one would have no effect.
            setting: named?.own === undefined ? 'model-server' : translationServerNames.server,
          })),
          ...foundPairs(searched, modes),
        ],
      };
    };
  },
};
