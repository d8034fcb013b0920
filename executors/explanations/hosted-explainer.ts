import type { Clock } from '../../contract/base/clock.ts';
import { explanationLimits } from '../../contract/explanations/language-explanation.ts';
import type { ExplanationConfiguration } from '../../contract/explanations/language-explanation-executor.ts';
import { ExplanationFailure } from '../../contract/explanations/language-explanation-failure.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { explanationPromptContract, outputSchemaOf, systemMessageOf, userMessageOf } from './explanation-prompt.ts';
import { explainedBy } from './hosted-answer.ts';
import type { HostedProvider } from './hosted-provider.ts';
import { keyEcho } from './key-echo.ts';
import type { ExplanationQuestion, LanguageExplainer } from './language-explainer.ts';

export interface HostedExplainerOptions {
  readonly provider: HostedProvider;
  readonly model: string;
  readonly clock: Clock;
}

const { maxCompletionTokens, maxProviderResponseBytes, maxOutputBytes, maxWallMs } = explanationLimits;

function configurationOf({ provider, model }: HostedExplainerOptions): ExplanationConfiguration {
  return {
    schema: 'studio.language-explanation.configuration.v1',
    baseUrl: provider.baseUrl,
    model,
    responseFormat: 'json_schema_strict',
    // Local servers ignore the newer name without a word; the hosted interface refuses the older one for some models.
    tokenLimitFields: provider.isLocal ? ['max_completion_tokens', 'max_tokens'] : ['max_completion_tokens'],
    maxCompletionTokens,
    maxProviderResponseBytes,
    maxOutputBytes,
    maxWallMs,
    retries: 0,
    redirects: 'refused',
  };
}

/** An explainer that asks a model behind an OpenAI-compatible interface. The client library is loaded here, not before. */
export async function openHostedExplainer(options: HostedExplainerOptions): Promise<LanguageExplainer> {
  const { provider, model, clock } = options;
  const configuration = configurationOf(options);
  const { OpenAI } = await import('openai');
  const client = new OpenAI({
    baseURL: provider.baseUrl,
    // The library wants a key, and is not told the real one: only the request has it.
    apiKey: 'none',
    // Everything that it would take from the environment by itself.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    // The limit below comes first.
    timeout: 2 * maxWallMs,
    fetch: boundedFetch({ apiKey: provider.apiKey, maximumBytes: maxProviderResponseBytes }),
  });

  const holdsKey = provider.apiKey === null ? () => false : keyEcho(provider.apiKey);

  const ask = (question: ExplanationQuestion, signal: AbortSignal): Promise<unknown> =>
    client.chat.completions.create(
      {
        model,
        messages: [
          { role: 'system', content: systemMessageOf(question.kinds) },
          { role: 'user', content: userMessageOf(question) },
        ],
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'language_explanation', strict: true, schema: outputSchemaOf(question.kinds) },
        },
        ...Object.fromEntries(configuration.tokenLimitFields.map((field) => [field, maxCompletionTokens])),
      },
      { signal },
    );

  return {
    prompt: explanationPromptContract,
    configuration,
    explain: async (question, signal) => {
      signal.throwIfAborted();
      const limit = new AbortController();
      const timer = clock.setTimeout(() => limit.abort(), maxWallMs);
      try {
        return explainedBy(await ask(question, AbortSignal.any([signal, limit.signal])), question.kinds, holdsKey);
      } catch (error) {
        signal.throwIfAborted();
        if (limit.signal.aborted) throw new ExplanationFailure('timeout', `no answer within ${maxWallMs} ms`, error);
        throw failureOf(error);
      } finally {
        clock.clearTimeout(timer);
      }
    },
  };
}

/** What went wrong, in this host's own words: those of a provider may repeat the key. */
function failureOf(error: unknown): ExplanationFailure {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof ExplanationFailure) return each;
    // The library parses what calls itself JSON.
    if (each instanceof SyntaxError) return new ExplanationFailure('invalid_output', 'the answer is not JSON', error);
  }
  const status = error instanceof Error && 'status' in error ? Number(error.status) : Number.NaN;
  if (status >= 100 && status <= 599) {
    return new ExplanationFailure(`http_${status}`, 'the provider refused the request', error);
  }
  return new ExplanationFailure('unreachable', 'no connection, or none that lasted to the end of the answer', error);
}
