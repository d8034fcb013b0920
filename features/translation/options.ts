import type { Environment } from '../../executors/process/tools.ts';
import { captionExecutorFlag, chosenCaptionExecutor, translatingExecutors } from '../../options/caption-executor.ts';
import { StartError } from '../../options/failures.ts';
import { type FlagTable, type GivenFlags, repeatable, single, toggle, valuesOf } from '../../options/flags.ts';
import {
  askedOf,
  modelNamed,
  type OwnServer,
  ownServerFlags,
  ownServerOf,
  providerOf,
} from '../../options/model-server.ts';
import { serverPermissionFlag } from '../../options/permissions.ts';
import { option, type StartText, worded } from '../../options/start-text.ts';
import { isTranslating } from '../../receipts/captions/allowance.ts';
import type { ChosenTranslator } from './caption-translations.ts';
import { pairOf } from './engine/apertium-pairs.ts';

export const modelFlag = 'caption-translation-model';
export const onceFlag = 'caption-translation-asked-once';
export const pairFlag = 'caption-translation-apertium';

const setting = { setting: { room: 'captions', change: 'at_once', isGrouped: true } } as const;

const notAllowed = (message: StartText) => new StartError('executor_not_allowed', message);

export const translationServerNames = {
  server: 'caption-translation-server',
  keyFile: 'caption-translation-key-file',
} as const;

/** The flags of the model that translates. */
export const translationFlags = {
  ...ownServerFlags(translationServerNames, 'translates captions', setting.setting),
  [modelFlag]: {
    ...setting,
    ...single(
      'NAME',
      null,
      `the model that translates, as its server names it; requires ${translatingExecutors}, or --${serverPermissionFlag} with the address of that server`,
    ),
  },
  [onceFlag]: {
    ...setting,
    ...toggle(
      `translates each line only once, with less than half of the tokens; lines that the model exchanged or merged may then pass the checks; requires --${modelFlag}`,
    ),
  },
  [pairFlag]: {
    ...setting,
    ...repeatable(
      'MODE',
      null,
      `an installed pair of languages of Apertium, such as es-pt, that translates captions on this machine in the place of --${modelFlag}; nothing is sent`,
    ),
  },
} satisfies FlagTable;

/** The model that translates, as the flags name it. */
export interface TranslationModel {
  readonly model: string;
  /** True if it translates each line once, and not a second time for comparison. */
  readonly isAskedOnce: boolean;
  /** Its server, if it has one of its own. */
  readonly own?: OwnServer;
  /** How captions are made without a request that names a method. */
  readonly executor: ReturnType<typeof chosenCaptionExecutor>;
}

/** The pairs of Apertium that translate on a host; none if a model does, or nothing. Throws `StartError` unless the flags agree. */
export function translationPairsOf(given: GivenFlags): readonly string[] {
  const { [pairFlag]: modes, [modelFlag]: model } = valuesOf(given, translationFlags);
  for (const mode of modes) {
    if (pairOf(mode) !== null) continue;
    throw new StartError('invalid_flags', worded`${option(pairFlag)} ${mode}: not a pair of languages, such as es-pt`);
  }
  if (modes.length > 0 && model !== undefined)
    throw notAllowed(worded`${option(pairFlag)} and ${option(modelFlag)} exclude each other: one of them translates`);
  return [...new Set(modes)];
}

/** The model that translates on a host; null if none is named. Throws `StartError` unless the flags agree. */
export function translationModelOf(given: GivenFlags): TranslationModel | null {
  const { [modelFlag]: named, [onceFlag]: isAskedOnce } = valuesOf(given, translationFlags);
  const executor = chosenCaptionExecutor(given);
  const translates = isTranslating(executor);
  if (translationPairsOf(given).length > 0) {
    if (isAskedOnce) throw notAllowed(worded`${option(onceFlag)} needs ${option(modelFlag)}`);
    return null;
  }
  if (translates && named === undefined)
    throw notAllowed(
      worded`${option(captionExecutorFlag)} ${executor.name} needs ${option(modelFlag)} or ${option(pairFlag)}`,
    );
  const own = ownServerOf(given, translationServerNames);
  if (named === undefined) {
    if (own !== null) throw notAllowed(worded`${option(translationServerNames.server)} needs ${option(modelFlag)}`);
    if (isAskedOnce) throw notAllowed(worded`${option(onceFlag)} needs ${translatingExecutors}`);
    return null;
  }
  if (!translates && !given.has(serverPermissionFlag))
    throw notAllowed(worded`${option(modelFlag)} needs ${translatingExecutors}`);
  return { model: modelNamed(modelFlag, named), isAskedOnce, ...(own !== null && { own }), executor };
}

/**
 * The translator with the server that the environment names. One that only requests may name needs the permission for that server. Throws
 * `StartError`, never with the key in it.
 */
export function translatorOf(
  { executor, model, isAskedOnce, own }: TranslationModel,
  environment: Environment,
  servers: readonly string[],
): ChosenTranslator {
  const provider = providerOf(environment, 'invalid_translation_provider', own);
  if (!isTranslating(executor) && !servers.includes(provider.baseUrl)) {
    throw notAllowed(
      worded`${option(modelFlag)} needs ${option(serverPermissionFlag)} ${provider.baseUrl}, or ${translatingExecutors}`,
    );
  }
  return { provider, model, isAskedOnce };
}

/** The notice for people if a host translates. */
export function translatorNotice({ provider, model }: ChosenTranslator): string {
  return `caption translation: ${askedOf(model, provider, 'the text of captions leaves it with every production')}`;
}

/** The same for pairs of Apertium. */
export const pairsNotice = (modes: readonly string[]): string =>
  `caption translation: apertium ${modes.join(' ')}, on this machine`;
