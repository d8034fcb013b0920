import type { HostOptions } from '../../actors/host-types.ts';
import { choice } from './closed-values.ts';
import { type FlagTable, type GivenFlags, single, toggle } from './flags.ts';
import { askedOf, modelNamed, providerOf } from './model-server.ts';
import { StartError } from './start-error.ts';

const executorFlag = 'language-explanation-executor';
const permissionFlag = 'allow-real-language-explanation';
const modelFlag = 'language-explanation-model';

/** The flags that choose who explains lines of captions. */
export const explainerFlags: FlagTable = {
  [executorFlag]: single(
    'NAME',
    'unavailable',
    'the language explanation executor: unavailable, or openai for a model behind the interface of OpenAI',
  ),
  [permissionFlag]: toggle(
    `allows --${executorFlag} openai, and must stand with it; caption text may leave this machine, and answers may cost money`,
  ),
  [modelFlag]: single('NAME', null, `the model, as its server names it; must stand with --${executorFlag} openai`),
};

const notAllowed = (message: string) => new StartError('executor_not_allowed', message);

/** The model that explains on a host; null where no explanation executor is configured. Throws `StartError` unless all three flags agree. */
export function explainerModel(given: GivenFlags): string | null {
  const executor = choice(given, executorFlag, ['unavailable', 'openai']);
  const model = given.single(modelFlag);
  const isAllowed = given.has(permissionFlag);
  if (executor === 'unavailable') {
    if (isAllowed) throw notAllowed(`--${permissionFlag} needs --${executorFlag} openai`);
    if (model !== undefined) throw notAllowed(`--${modelFlag} needs --${executorFlag} openai`);
    return null;
  }
  if (!isAllowed) throw notAllowed(`--${executorFlag} openai needs --${permissionFlag}`);
  if (model === undefined) throw notAllowed(`--${executorFlag} openai needs --${modelFlag}`);
  return modelNamed(modelFlag, model);
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

/** What people have to know of a host that explains. */
export function explainerNotice({ provider, model }: NonNullable<HostOptions['explainer']>): string {
  return `language explanations: ${askedOf(model, provider, 'caption text leaves it with every explanation')}`;
}
