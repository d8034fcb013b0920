import type { Clock } from '../../contract/base/clock.ts';
import type { ExplanationConfiguration } from '../../contract/explanations/executor.ts';
import { explanationLimits } from '../../contract/explanations/explanation.ts';
import { explainedBy, openHostedChat, tokenLimitFieldsOf } from './hosted-chat.ts';
import type { HostedProvider } from './hosted-provider.ts';
import {
  explanationPromptContract,
  type LanguageExplainer,
  outputSchemaOf,
  systemMessageOf,
  userMessageOf,
} from './language-explainer.ts';

export interface HostedExplainerOptions {
  readonly provider: HostedProvider;
  readonly model: string;
  readonly clock: Clock;
}

const { maxCompletionTokens, maxProviderResponseBytes, maxOutputBytes, maxWallMs } = explanationLimits;

const configurationOf = ({ provider, model }: HostedExplainerOptions): ExplanationConfiguration => ({
  schema: 'studio.language-explanation.configuration.v1',
  baseUrl: provider.baseUrl,
  model,
  responseFormat: 'json_schema_strict',
  tokenLimitFields: tokenLimitFieldsOf(provider),
  maxCompletionTokens,
  maxProviderResponseBytes,
  maxOutputBytes,
  maxWallMs,
  retries: 0,
  redirects: 'refused',
});

/** An explainer that asks a model behind an OpenAI-compatible interface. */
export async function openHostedExplainer(options: HostedExplainerOptions): Promise<LanguageExplainer> {
  const chat = await openHostedChat({ ...options, limits: explanationLimits });
  return {
    prompt: explanationPromptContract,
    configuration: configurationOf(options),
    explain: async (question, signal) => {
      const { kinds } = question;
      const asked = {
        system: systemMessageOf(kinds),
        user: userMessageOf(question),
        schemaName: 'language_explanation',
        schema: outputSchemaOf(kinds),
      };
      return explainedBy(await chat.ask(asked, signal), kinds);
    },
  };
}
