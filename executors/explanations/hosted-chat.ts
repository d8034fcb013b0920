import type { Clock } from '../../contract/base/clock.ts';
import { ExplanationFailure } from '../../contract/explanations/language-explanation-failure.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { type ChatAnswer, chatAnswerOf } from './hosted-answer.ts';
import type { HostedProvider } from './hosted-provider.ts';
import { keyEcho } from './key-echo.ts';

/** One question to a model: the rules, what is asked, and the JSON schema of the answer. */
export interface ChatQuestion {
  readonly system: string;
  readonly user: string;
  readonly schemaName: string;
  readonly schema: Record<string, unknown>;
}

export interface ChatLimits {
  readonly maxCompletionTokens: number;
  readonly maxProviderResponseBytes: number;
  readonly maxOutputBytes: number;
  /** For one question. */
  readonly maxWallMs: number;
}

export interface HostedChatOptions {
  readonly provider: HostedProvider;
  readonly model: string;
  readonly clock: Clock;
  readonly limits: ChatLimits;
  /** Left to the server where it is absent. */
  readonly temperature?: number;
}

/** The names of the limit of tokens: local servers ignore the newer one, and the hosted interface refuses the older for some models. */
export const tokenLimitFieldsOf = ({ isLocal }: HostedProvider): ('max_completion_tokens' | 'max_tokens')[] =>
  isLocal ? ['max_completion_tokens', 'max_tokens'] : ['max_completion_tokens'];

/** A model behind an OpenAI-compatible interface. */
export interface HostedChat {
  /**
   * Asks once, never again by itself. Rejects with `ExplanationFailure`, and with the reason of `signal` once that aborts;
   * nothing is under way after that.
   */
  ask(question: ChatQuestion, signal: AbortSignal): Promise<ChatAnswer>;
}

/** Makes a client of a model. The client library is loaded here, not before. */
export async function openHostedChat(options: HostedChatOptions): Promise<HostedChat> {
  const { provider, model, clock, limits, temperature } = options;
  const { maxCompletionTokens, maxProviderResponseBytes, maxWallMs } = limits;
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

  const send = ({ system, user, schemaName, schema }: ChatQuestion, signal: AbortSignal): Promise<unknown> =>
    client.chat.completions.create(
      {
        model,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: user },
        ],
        response_format: { type: 'json_schema', json_schema: { name: schemaName, strict: true, schema } },
        ...(temperature === undefined ? {} : { temperature }),
        ...Object.fromEntries(tokenLimitFieldsOf(provider).map((field) => [field, maxCompletionTokens])),
      },
      { signal },
    );

  return {
    ask: async (question, signal) => {
      signal.throwIfAborted();
      const limit = new AbortController();
      const timer = clock.setTimeout(() => limit.abort(), maxWallMs);
      try {
        return chatAnswerOf(await send(question, AbortSignal.any([signal, limit.signal])), limits, holdsKey);
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
