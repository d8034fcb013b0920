import { modelName } from '../contract/explanations/executor.ts';
import { type HostedProvider, hostedProvider } from '../executors/model-server/hosted-provider.ts';
import { type StartCode, StartError } from './failures.ts';
import { option, variable, worded } from './start-text.ts';

/** The value of a flag that names a model as its server does. Throws `StartError`. */
export function modelNamed(flag: string, given: string): string {
  if (modelName.safeParse(given).success) return given;
  throw new StartError('invalid_flags', worded`${option(flag)} ${given}: not the name of a model`);
}

/** The server that the environment names. Throws `StartError` with this code, never with the key or the address in it. */
export function providerOf(
  environment: Readonly<Record<string, string | undefined>>,
  refusal: StartCode,
): HostedProvider {
  const provider = hostedProvider(environment);
  if ('refused' in provider) {
    const { about, refused } = provider;
    const named = about === 'OPENAI_BASE_URL' ? variable(about, 'model-server') : about;
    throw new StartError(refusal, worded`${named} ${refused}`);
  }
  return provider;
}

/** The server of a model, and `leaving`: the data that leaves this machine if the server is elsewhere. */
export function askedOf(model: string, { baseUrl, isLocal }: HostedProvider, leaving: string): string {
  const where = isLocal
    ? 'a server on this machine; whether it passes anything on is up to that server'
    : `outside this machine: ${leaving}, and each may cost money`;
  return `asked of ${model} at ${baseUrl}, ${where}`;
}
