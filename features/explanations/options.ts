import type { HostedProvider } from '../../executors/model-server/hosted-provider.ts';
import { StartError } from '../../options/failures.ts';
import { type FlagTable, type GivenFlags, oneOf, single, toggle, valuesOf } from '../../options/flags.ts';
import { askedOf, modelNamed, providerOf } from '../../options/model-server.ts';
import { option, type StartText, worded } from '../../options/start-text.ts';

const executorFlag = 'language-explanation-executor';
const permissionFlag = 'allow-real-language-explanation';
const modelFlag = 'language-explanation-model';

const explanations = { setting: { room: 'explanations', change: 'restart', isGrouped: true } } as const;

/** The flags that choose who explains lines of captions. */
export const explanationFlags = {
  [executorFlag]: {
    ...explanations,
    ...oneOf(
      'NAME',
      ['unavailable', 'openai'],
      'the engine for explanations: unavailable (none); or openai, for a server with the interface of OpenAI',
    ),
  },
  [permissionFlag]: {
    ...explanations,
    ...toggle(
      `allows --${executorFlag} openai, and requires it; caption text may leave this machine, and answers may cost money`,
    ),
  },
  [modelFlag]: {
    ...explanations,
    ...single('NAME', null, `the model, as its server names it; requires --${executorFlag} openai`),
  },
} satisfies FlagTable;

const notAllowed = (text: StartText): StartError => new StartError('executor_not_allowed', text);

/** The model that explains on a host; null where no explanation executor is configured. Throws `StartError` unless all three flags agree. */
export function explainerModel(given: GivenFlags): string | null {
  const options = valuesOf(given, explanationFlags);
  const { [executorFlag]: executor, [modelFlag]: model, [permissionFlag]: isAllowed } = options;
  if (executor === 'unavailable') {
    if (isAllowed) throw notAllowed(worded`${option(permissionFlag)} needs ${option(executorFlag)} openai`);
    if (model !== undefined) throw notAllowed(worded`${option(modelFlag)} needs ${option(executorFlag)} openai`);
    return null;
  }
  if (!isAllowed) throw notAllowed(worded`${option(executorFlag)} openai needs ${option(permissionFlag)}`);
  if (model === undefined) throw notAllowed(worded`${option(executorFlag)} openai needs ${option(modelFlag)}`);
  return modelNamed(modelFlag, model);
}

/** The model that explains, and its server. */
export interface ChosenExplainer {
  readonly provider: HostedProvider;
  readonly model: string;
}

/** The model with the provider that the environment names. Throws `StartError`, never with the key or the address in it. */
export const explainerOf = (
  model: string | null,
  environment: Readonly<Record<string, string | undefined>>,
): ChosenExplainer | null =>
  model === null ? null : { provider: providerOf(environment, 'invalid_explanation_provider'), model };

/** How the line on stdout names the explanation executor. */
export const announcedExplainer = (model: string | null): string =>
  model === null ? 'unavailable-no-fixture-fallback' : `current-run-openai-opt-in:${model}`;

/** The notice for people if a host explains. */
export const explainerNotice = ({ provider, model }: ChosenExplainer): string =>
  `language explanations: ${askedOf(model, provider, 'caption text leaves it with every explanation')}`;
