import type { HostOptions } from '../../actors/host-types.ts';
import { StartError } from '../../options/failures.ts';
import { type FlagTable, type GivenFlags, oneOf, single, toggle, valuesOf } from '../../options/flags.ts';
import { askedOf, modelNamed, providerOf } from '../../options/model-server.ts';
import { option, type StartText, worded } from '../../options/start-text.ts';

const notAllowed = (message: string | StartText) => new StartError('executor_not_allowed', message);

const explainerFlag = 'language-explanation-executor';
const explainerPermissionFlag = 'allow-real-language-explanation';
const explainerModelFlag = 'language-explanation-model';

const explanations = { setting: { room: 'explanations', change: 'restart', isGrouped: true } } as const;

/** The flags that choose who explains lines of captions. */
export const explainerFlags = {
  [explainerFlag]: {
    ...explanations,
    ...oneOf(
      'NAME',
      ['unavailable', 'openai'],
      'the engine for explanations: unavailable (none); or openai, for a server with the interface of OpenAI',
    ),
  },
  [explainerPermissionFlag]: {
    ...explanations,
    ...toggle(
      `allows --${explainerFlag} openai, and requires it; caption text may leave this machine, and answers may cost money`,
    ),
  },
  [explainerModelFlag]: {
    ...explanations,
    ...single('NAME', null, `the model, as its server names it; requires --${explainerFlag} openai`),
  },
} satisfies FlagTable;

/** The model that explains on a host; null where no explanation executor is configured. Throws `StartError` unless all three flags agree. */
export function explainerModel(given: GivenFlags): string | null {
  const options = valuesOf(given, explainerFlags);
  const { [explainerFlag]: executor, [explainerModelFlag]: model, [explainerPermissionFlag]: isAllowed } = options;
  if (executor === 'unavailable') {
    if (isAllowed) throw notAllowed(worded`${option(explainerPermissionFlag)} needs ${option(explainerFlag)} openai`);
    if (model !== undefined)
      throw notAllowed(worded`${option(explainerModelFlag)} needs ${option(explainerFlag)} openai`);
    return null;
  }
  if (!isAllowed) throw notAllowed(worded`${option(explainerFlag)} openai needs ${option(explainerPermissionFlag)}`);
  if (model === undefined)
    throw notAllowed(worded`${option(explainerFlag)} openai needs ${option(explainerModelFlag)}`);
  return modelNamed(explainerModelFlag, model);
}

/** The model with the provider that the environment names. Throws `StartError`, never with the key or the address in it. */
export function explainerOf(
  model: string | null,
  environment: Readonly<Record<string, string | undefined>>,
): HostOptions['explainer'] {
  return model === null ? null : { provider: providerOf(environment, 'invalid_explanation_provider'), model };
}

/** How the line on stdout names the explanation executor. */
export const announcedExplainer = (model: string | null): string =>
  model === null ? 'unavailable-no-fixture-fallback' : `current-run-openai-opt-in:${model}`;

/** The notice for people if a host explains. */
export function explainerNotice({ provider, model }: NonNullable<HostOptions['explainer']>): string {
  return `language explanations: ${askedOf(model, provider, 'caption text leaves it with every explanation')}`;
}
