import { z } from 'zod';
import type { Clock } from '../../contract/base/clock.ts';
import { count, identityOf, labelLine } from '../../contract/base/grammar.ts';
import type { SentRequest } from '../../contract/captions/caption-translation.ts';
import { withSaid } from '../../contract/causes/engine-failures.ts';
import {
  boundedFetch,
  type HostedProvider,
  inTime,
  keyEcho,
  ModelFailure,
  patiently,
  refusedIn,
  wireOf,
} from './hosted-provider.ts';

/** As much of a chat completion as is looked at; servers differ in the rest. */
const completion = z.looseObject({
  id: identityOf(240).nullish().catch(null),
  model: z.string().transform(labelLine).pipe(z.string().min(1).max(200)).nullish().catch(null),
  choices: z
    .array(
      z.looseObject({
        finish_reason: z.string().nullish(),
        message: z.looseObject({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
  usage: z
    .looseObject({ prompt_tokens: count.nullish().catch(null), completion_tokens: count.nullish().catch(null) })
    .nullish()
    .catch(null),
});

/** A server answered with something else than a chat completion, such as a page or an error of its own. */
export class NoCompletion extends ModelFailure {
  constructor(detail: string, cause?: unknown) {
    super('invalid_output', detail, cause);
  }
}

/** The answer of a model, and the statements of its server about its work; null if it made none that can be kept. */
export interface ChatAnswer {
  readonly text: string;
  readonly responseId: string | null;
  readonly model: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** The form of the request that led to it, where a server may take several. */
  readonly sent?: SentRequest;
  /** True if there were thoughts before it; absent where nobody looks for them. */
  readonly isThought?: boolean;
}

interface ChatAnswerLimits {
  readonly maxCompletionTokens: number;
  readonly maxOutputBytes: number;
}

/**
 * The text of a chat completion. `holdsKey` is true for a text that has the key of the provider in it. Throws
 * `ModelFailure` for an answer that cannot be used.
 */
export function chatAnswerOf(
  answer: unknown,
  { maxCompletionTokens, maxOutputBytes }: ChatAnswerLimits,
  holdsKey: (text: string) => boolean,
): ChatAnswer {
  const parsed = completion.safeParse(answer);
  const [choice] = parsed.data?.choices ?? [];
  if (!parsed.success || choice === undefined) {
    throw new NoCompletion('the answer is not a chat completion', parsed.error);
  }
  const { id, model, usage } = parsed.data;
  const outputTokens = usage?.completion_tokens ?? null;
  if (choice.message.refusal || choice.finish_reason === 'content_filter') {
    throw new ModelFailure('refused', 'the model or its provider declined to answer');
  }
  if (choice.finish_reason === 'length' || (outputTokens ?? 0) > maxCompletionTokens) {
    throw new ModelFailure('too_large', `the answer takes more than ${maxCompletionTokens} tokens`);
  }
  const text = choice.message.content ?? '';
  // All of them would be stored.
  if ([text, id ?? '', model ?? ''].some(holdsKey)) {
    throw new ModelFailure('key_in_answer', 'the answer repeats the key of OPENAI_API_KEY; nothing of it is kept');
  }
  if (Buffer.byteLength(text, 'utf8') > maxOutputBytes) {
    throw new ModelFailure('too_large', `the text of the answer passes ${maxOutputBytes} bytes`);
  }
  const inputTokens = usage?.prompt_tokens ?? null;
  return { text, responseId: id ?? null, model: model ?? null, inputTokens, outputTokens };
}

/** One question to a model: the rules, the input, and the JSON schema of the answer. */
export interface ChatQuestion {
  readonly system: string;
  readonly user: string;
  readonly schemaName: string;
  readonly schema: Record<string, unknown>;
}

interface ChatLimits {
  readonly maxCompletionTokens: number;
  readonly maxProviderResponseBytes: number;
  readonly maxOutputBytes: number;
  /** For one question. */
  readonly maxWallMs: number;
}

interface HostedChatOptions {
  readonly provider: HostedProvider;
  readonly model: string;
  readonly clock: Clock;
  readonly limits: ChatLimits;
  /** By default the server decides. */
  readonly temperature?: number;
  /** True if a failure quotes the words of the server about a request that it refuses; by default it has none of them. */
  readonly quotesRefusals?: boolean;
  /** The longest wait in ms, for one question, until a server that refuses for now takes it; by default none. */
  readonly patienceMs?: number;
}

/** The names of the limit of tokens: local servers ignore the newer one, and the hosted interface refuses the older for some models. */
export const tokenLimitFieldsOf = ({ isLocal }: HostedProvider): ('max_completion_tokens' | 'max_tokens')[] =>
  isLocal ? ['max_completion_tokens', 'max_tokens'] : ['max_completion_tokens'];

/** A model behind an OpenAI-compatible interface. */
export interface HostedChat {
  /**
   * Asks once, and by itself never again what the server has taken. Rejects with `ModelFailure`, and with the reason of
   * `signal` once that aborts; nothing is under way after that.
   */
  ask(question: ChatQuestion, signal: AbortSignal): Promise<ChatAnswer>;
}

interface ClientOptions {
  readonly provider: HostedProvider;
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
}

/** The client library over a server, which gets nothing of the environment. It is loaded here, not before. */
export async function openClient({ provider, timeoutMs, fetch }: ClientOptions) {
  const { OpenAI } = await import('openai');
  return new OpenAI({
    baseURL: provider.baseUrl,
    // The library wants a key, and does not get the real one: only the request has it.
    apiKey: 'none',
    // Everything that it would take from the environment by itself.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    timeout: timeoutMs,
    fetch,
  });
}

/** Makes a client of a model. */
export async function openHostedChat(options: HostedChatOptions): Promise<HostedChat> {
  const { provider, model, clock, limits, temperature, patienceMs = 0, quotesRefusals = false } = options;
  const { maxCompletionTokens, maxProviderResponseBytes, maxWallMs } = limits;
  const client = await openClient({
    provider,
    // The limit below comes first.
    timeoutMs: 2 * maxWallMs,
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

  const once = (question: ChatQuestion, signal: AbortSignal): Promise<ChatAnswer> =>
    inTime(
      { clock, wallMs: maxWallMs, signal },
      async (bounded) => {
        const answer = await send(question, bounded);
        if (quotesRefusals) demandCompletion(answer, provider.apiKey);
        return chatAnswerOf(answer, limits, holdsKey);
      },
      (error, isLate) =>
        isLate
          ? new ModelFailure('timeout', `no answer within ${maxWallMs} ms`, error)
          : chatFailureOf(error, quotesRefusals),
    );
  return {
    ask: (question, signal) => patiently({ clock, mostMs: patienceMs, signal }, () => once(question, signal)),
  };
}

/** Throws `NoCompletion` with its cause for text in the place of JSON, and for an error with status 200, which it quotes. */
export function demandCompletion(answer: unknown, apiKey: string | null): void {
  if (typeof answer === 'string')
    throw new NoCompletion(`${wireOf(answer, '') ?? 'engine_answered_text'}: the answer is not a chat completion`);
  const refused = completion.safeParse(answer).success ? null : refusedIn(answer, apiKey);
  if (refused !== null) throw new NoCompletion(`engine_error: ${withSaid('the answer is an error', refused.message)}`);
}

/** The usual cause of a refusal, by its status. */
const adviceOf: Readonly<Record<number, string>> = {
  401: '; its key is missing or wrong',
  403: '; its key is missing, wrong or not allowed to do this',
  404: '; it has no model of this name, or no chat completions at this address',
};

/** The words of a server that refused a request, as `boundedFetch` kept them in the error of the library. */
const quoted = z.object({
  error: z.looseObject({ message: z.string().nullish(), code: z.string().nullish(), param: z.string().nullish() }),
});

/** What a server said about the request that it refused, if the words were kept. */
export function quotedIn(failure: ModelFailure): { readonly message: string | null; readonly param: string | null } {
  for (let each: unknown = failure; each instanceof Error; each = each.cause) {
    const { data } = quoted.safeParse(each);
    if (data !== undefined) return { message: data.error.message ?? null, param: data.error.param ?? null };
  }
  return { message: null, param: null };
}

/** The failure in this host's own words, and with `quotes` in those of the server behind them. */
export function chatFailureOf(error: unknown, quotes: boolean): ModelFailure {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof ModelFailure) return each;
    // The library parses what calls itself JSON.
    if (each instanceof SyntaxError) return new NoCompletion('the answer is not JSON', error);
  }
  const status = error instanceof Error && 'status' in error ? Number(error.status) : Number.NaN;
  if (status >= 100 && status <= 599) {
    const sentence = `the provider refused the request${adviceOf[status] ?? ''}`;
    const { message = null, code = null } = (quotes ? quoted.safeParse(error).data?.error : null) ?? {};
    if (message === null) return new ModelFailure(`http_${status}`, sentence, error);
    const isOfModel = code === 'model_not_found' || (status === 404 && /\bmodels?\b/i.test(message));
    const detail = withSaid('the provider refused the request', message);
    return new ModelFailure(`http_${status}`, isOfModel ? `engine_model_missing: ${detail}` : detail, error);
  }
  return new ModelFailure('unreachable', 'no connection, or none that lasted to the end of the answer', error);
}
