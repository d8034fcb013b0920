import type { Clock } from '../../../contract/base/clock.ts';
import { shownText } from '../../../contract/base/grammar.ts';
import {
  type ExplanationConfiguration,
  type ExplanationOutput,
  explanationOutput,
  type FacetKind,
  recordedModelName,
} from '../../../contract/explanations/executor.ts';
import { ExplanationFailure, explanationLimits } from '../../../contract/explanations/explanation.ts';
import { type ChatAnswer, openHostedChat, tokenLimitFieldsOf } from '../../../executors/model-server/hosted-chat.ts';
import { type HostedProvider, ModelFailure } from '../../../executors/model-server/hosted-provider.ts';
import {
  type Explained,
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
  model: recordedModelName(model),
  responseFormat: 'json_schema_strict',
  tokenLimitFields: tokenLimitFieldsOf(provider),
  maxCompletionTokens,
  maxProviderResponseBytes,
  maxOutputBytes,
  maxWallMs,
  retries: 0,
  redirects: 'refused',
});

function outputOf(text: string, kinds: readonly FacetKind[]): ExplanationOutput {
  let value: unknown;
  try {
    // Here and not where facets are derived: what earlier versions stored is derived again as it was.
    value = JSON.parse(text, (_, each: unknown) => (typeof each === 'string' ? shownText(each) : each));
  } catch (error) {
    throw new ExplanationFailure('invalid_output', 'the text of the answer is not JSON', error);
  }
  const output = explanationOutput.safeParse(value);
  if (!output.success) {
    const place = output.error.issues[0]?.path.join('.') ?? '';
    throw new ExplanationFailure('invalid_output', `the answer has another shape at '${place}'`, output.error);
  }
  const unasked = Object.keys(output.data.facets).some((kind) => !kinds.some((asked) => asked === kind));
  if (unasked) throw new ExplanationFailure('invalid_output', 'the answer has facets that were not asked for');
  return output.data;
}

/** The explanation in a model's answer. Throws `ExplanationFailure` for one that cannot be used. */
export function explainedBy(answer: ChatAnswer, kinds: readonly FacetKind[]): Explained {
  const { text, responseId: providerResponseId, inputTokens, outputTokens } = answer;
  return { output: outputOf(text, kinds), execution: { providerResponseId, inputTokens, outputTokens } };
}

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
      const answer = await chat.ask(asked, signal).catch((error: unknown) => {
        throw error instanceof ModelFailure ? new ExplanationFailure(error.code, error.detail, error) : error;
      });
      return explainedBy(answer, kinds);
    },
  };
}
