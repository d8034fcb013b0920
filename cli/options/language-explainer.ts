import type { HostOptions } from '../../actors/host-types.ts';
import { modelName } from '../../contract/explanations/language-explanation-executor.ts';
import { hostedProvider } from '../../executors/explanations/hosted-provider.ts';
import { type FlagTable, type GivenFlags, single, toggle } from './flags.ts';
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
  const executor = given.single(executorFlag) ?? 'unavailable';
  const model = given.single(modelFlag);
  const isAllowed = given.has(permissionFlag);
  if (executor !== 'unavailable' && executor !== 'openai') {
    throw new StartError('invalid_flags', `--${executorFlag} ${executor}: one of unavailable, openai`);
  }
  if (executor === 'unavailable') {
    if (isAllowed) throw notAllowed(`--${permissionFlag} needs --${executorFlag} openai`);
    if (model !== undefined) throw notAllowed(`--${modelFlag} needs --${executorFlag} openai`);
    return null;
  }
  if (!isAllowed) throw notAllowed(`--${executorFlag} openai needs --${permissionFlag}`);
  if (model === undefined) throw notAllowed(`--${executorFlag} openai needs --${modelFlag}`);
  if (modelName.safeParse(model).success) return model;
  throw new StartError('invalid_flags', `--${modelFlag} ${model}: not the name of a model`);
}

/** The model with the provider that the environment names. Throws `StartError`, never with the key or the address in it. */
export function explainerOf(
  model: string | null,
  environment: Readonly<Record<string, string | undefined>>,
): HostOptions['explainer'] {
  if (model === null) return null;
  const provider = hostedProvider(environment);
  if ('refused' in provider) throw new StartError('invalid_explanation_provider', provider.refused);
  return { provider, model };
}

/** How the line on stdout names the explanation executor. */
export const announcedExplainer = (model: string | null): string =>
  model === null ? 'unavailable-no-fixture-fallback' : `current-run-openai-opt-in:${model}`;

/** What people have to know of a host that explains. */
export function explainerNotice({ provider, model }: NonNullable<HostOptions['explainer']>): string {
  const where = provider.isLocal
    ? 'a server on this machine; whether it passes anything on is up to that server'
    : 'outside this machine: caption text leaves it with every explanation, and each may cost money';
  return `language explanations: asked of ${model} at ${provider.baseUrl}, ${where}`;
}
