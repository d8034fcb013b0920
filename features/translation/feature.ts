import type { NamedTranslator } from '../../actors/engines/engine-choices.ts';
import { engineOff, hostedEngine } from '../../actors/operation/engines.ts';
import type { EngineCause } from '../../contract/causes/causes.ts';
import { causeText } from '../../contract/causes/wording.ts';
import type { FoundEngine } from '../../contract/settings.ts';
import { type FoundServer, foundServers, ollama } from '../../executors/model-server/found-servers.ts';
import type { Environment } from '../../executors/process/tools.ts';
import { keySettings } from '../../options/model-server.ts';
import { permissionsOf } from '../../options/permissions.ts';
import type { ConfiguredFeature, Feature } from '../feature.ts';
import { type ChosenTranslator, openTranslator, translatorIdentityOf } from './caption-translations.ts';
import {
  translationFlags,
  translationModelOf,
  translationServerNames,
  translatorNotice,
  translatorOf,
} from './options.ts';

/** The translator of the options, as the engine registry of a host opens it. */
function namedTranslator(chosen: ChosenTranslator, keyFile: string | null): NamedTranslator {
  const { provider, model, isAskedOnce = false } = chosen;
  return {
    place: provider.baseUrl,
    model,
    settings: { isAskedOnce, ...keySettings(keyFile) },
    provider,
    identity: translatorIdentityOf(chosen),
    open: (opening) => openTranslator(chosen, opening),
  };
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

/** Translates captions by a model. */
export const translation: Feature = {
  name: 'translation',
  flags: { host: translationFlags },
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
                : hostedEngine('caption_translation', translator, 'caption text'),
            ];
          },
        }),
        engines: { translator: chosen === null ? null : namedTranslator(chosen, named?.own?.keyFile ?? null) },
        servers:
          chosen === null
            ? []
            : [{ use: 'translator', room: 'captions', change: 'at_once', sent: 'the text of captions', ...chosen }],
        engineNotices: chosen === null ? [] : [translatorNotice(chosen)],
        found: (searched) =>
          foundOf(searched, {
            inUse: chosen?.provider.baseUrl ?? null,
            permitted,
            // With a server of its own, the other one would have no effect.
            setting: named?.own === undefined ? 'model-server' : translationServerNames.server,
          }),
      };
    };
  },
};
