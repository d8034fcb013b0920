import { z } from 'zod';
import type { Clock } from '../../contract/base/clock.ts';
import { type SentRequest, schemaInPrompt } from '../../contract/captions/caption-translation.ts';
import { withSaid } from '../../contract/causes/engine-failures.ts';
import { following, onAbort } from '../../formats/followed-signal.ts';
import {
  type ChatAnswer,
  type ChatQuestion,
  chatAnswerOf,
  chatFailureOf,
  demandCompletion,
  type HostedChat,
  NoCompletion,
  openClient,
  quotedIn,
  tokenLimitFieldsOf,
} from './hosted-chat.ts';
import {
  boundedBody,
  boundedFetch,
  type HostedProvider,
  keyEcho,
  ModelFailure,
  patiently,
  refusedIn,
} from './hosted-provider.ts';
import { firstForm, formAfter, looserForm, type RequestForm, responseFormatOf, statedFormat } from './request-form.ts';

/** The limits of one question: by the progress of its answer, and by its size. */
export interface StreamedChatLimits {
  readonly maxCompletionTokens: number;
  readonly maxProviderResponseBytes: number;
  readonly maxOutputBytes: number;
  /** Until the first token of the trial, and of a question after a rest: a model may have to be loaded. */
  readonly maxLoadMs: number;
  /** Until the first token of any other question: its words have to be read. An answer in one piece comes within this time. */
  readonly maxFirstTokenMs: number;
  /** Between two tokens. */
  readonly maxTokenGapMs: number;
  /** For one question, whatever comes. */
  readonly maxAskWallMs: number;
}

/** A small question whose answer shows what a server can do. */
interface Trial {
  readonly question: ChatQuestion;
  /** True for an answer of the wanted shape. */
  readonly isUseful: (text: string) => boolean;
}

interface StreamedChatOptions {
  readonly provider: HostedProvider;
  readonly model: string;
  readonly clock: Clock;
  readonly limits: StreamedChatLimits;
  readonly temperature: number;
  /** The longest wait in ms, for one question, until a server that refuses for now takes it. */
  readonly patienceMs: number;
  readonly trial: Trial;
}

/** Servers such as Ollama drop a model after five minutes without a question; the next one loads it again. */
const restMs = 4 * 60_000;

/** A line of the trial needs about 40 tokens. A model that thinks in spite of the request is cut off here, and may answer all the same. */
const trialTokens = 300;

/** No answer came within the time in which a model loads. */
export class ModelNotReady extends ModelFailure {
  constructor(ms: number, cause?: unknown) {
    super('timeout', `the model was not ready within ${ms} ms`, cause);
  }
}

/** An answer that was too large, and whether the model thought in it. */
class CutAnswer extends ModelFailure {
  readonly isThought: boolean;
  constructor(isThought: boolean, failure: ModelFailure) {
    super('too_large', failure.detail, failure);
    this.isThought = isThought;
  }
}

const text = z.string().nullish().catch(null);

/** As much of a chunk as is looked at. Servers name the thoughts of a model in three ways. */
const streamedChunk = z.looseObject({
  id: z.unknown().optional(),
  model: z.unknown().optional(),
  choices: z
    .array(
      z.looseObject({
        finish_reason: text,
        delta: z
          .looseObject({ content: text, refusal: text, reasoning_content: text, reasoning: text, thinking: text })
          .nullish()
          .catch(null),
      }),
    )
    .catch([]),
  usage: z.unknown().optional(),
});

/** A streamed answer, put together to the completion that the same server would send in one piece. */
class Assembled {
  #content = '';
  #refusal = '';
  #finish: string | null = null;
  #head: { readonly id?: unknown; readonly model?: unknown } = {};
  #usage: unknown = null;
  /** True if the model thought, or what it wrote are thoughts so far. */
  isThought = false;

  get content(): string {
    return this.#content;
  }

  get isWhole(): boolean {
    return this.#finish !== null || jsonTextIn(this.#content) !== this.#content.trim() || isJson(this.#content);
  }

  /** Returns true for a chunk with a token in it. */
  add(chunk: unknown): boolean {
    const { data } = streamedChunk.safeParse(chunk);
    if (data === undefined) return false;
    const { id, model, choices, usage } = data;
    this.#head = { id: this.#head.id ?? id, model: this.#head.model ?? model };
    this.#usage = usage ?? this.#usage;
    const [{ delta, finish_reason: finish } = { delta: null, finish_reason: null }] = choices;
    this.#finish = finish ?? this.#finish;
    const thought = delta?.reasoning_content || delta?.reasoning || delta?.thinking || '';
    this.#content += delta?.content ?? '';
    this.#refusal += delta?.refusal ?? '';
    this.isThought ||= thought !== '' || this.#content.trimStart().startsWith('<think');
    return thought !== '' || (delta?.content ?? '') !== '' || (delta?.refusal ?? '') !== '';
  }

  completion(): object {
    const message = { content: this.#content, refusal: this.#refusal === '' ? null : this.#refusal };
    return { ...this.#head, choices: [{ finish_reason: this.#finish, message }], usage: this.#usage };
  }
}

/** True if a model thought before an answer that came in one piece. */
function thoughtIn(completion: object): boolean {
  const choices = 'choices' in completion && Array.isArray(completion.choices) ? completion.choices : [];
  const whole = new Assembled();
  whole.add({ choices: choices.map((choice: { message?: unknown }) => ({ delta: choice?.message })) });
  return whole.isThought;
}

const isJson = (value: string): boolean => {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
};

/**
 * The JSON object in the text of an answer: behind the thoughts of a model, within a fence, or between other words. The trimmed text if
 * none is found.
 */
export function jsonTextIn(answer: string): string {
  const plain = answer.trim();
  if (isJson(plain)) return plain;
  // The opening mark is part of the prompt of some models, and missing in their answers.
  const said = plain.replace(/^[\s\S]*<\/think(?:ing)?>/, '').trim();
  const fenced = /```[a-z]*\s*([\s\S]*?)```/i.exec(said)?.[1]?.trim() ?? '';
  const braced = said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1);
  return [said, fenced, braced].find(isJson) ?? plain;
}

/** Aborts the work when a step takes longer than its time. */
class Pace {
  readonly #clock: Clock;
  readonly #late = new AbortController();
  #timers: unknown[] = [];
  /** What was late, in words; null if nothing was. */
  lateness: string | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get signal(): AbortSignal {
    return this.#late.signal;
  }

  limit(ms: number, lateness: string): unknown {
    const timer = this.#clock.setTimeout(() => {
      this.lateness ??= lateness;
      this.#late.abort();
    }, ms);
    this.#timers.push(timer);
    return timer;
  }

  clear(timer: unknown): void {
    this.#clock.clearTimeout(timer);
    this.#timers = this.#timers.filter((each) => each !== timer);
  }

  end(): void {
    for (const timer of this.#timers) this.#clock.clearTimeout(timer);
    this.#timers = [];
  }
}

/**
 * Makes a client of a model that may be slow, and of a server that may lack parts of the interface. Answers are streamed, and a question
 * ends when no token comes. The first question is a trial: it loads the model, and finds the form of a request that the server takes and
 * follows. That form is kept for as long as the client lives.
 */
export async function openStreamedChat(options: StreamedChatOptions): Promise<HostedChat> {
  const { provider, model, clock, limits, temperature, patienceMs, trial } = options;
  const { maxProviderResponseBytes, maxOutputBytes, maxLoadMs, maxFirstTokenMs, maxTokenGapMs, maxAskWallMs } = limits;
  const { Stream } = await import('openai/streaming');
  const send = boundedFetch({ apiKey: provider.apiKey, maximumBytes: maxProviderResponseBytes, isStreamed: true });
  const client = await openClient({ provider, timeoutMs: 2 * maxAskWallMs, fetch: send });
  const holdsKey = provider.apiKey === null ? () => false : keyEcho(provider.apiKey);

  const bodyOf = ({ json, leftOut }: RequestForm, question: ChatQuestion, tokens: number) => {
    const isBound = json === 'json_schema';
    const system = isBound
      ? question.system
      : `${question.system}\n${schemaInPrompt}\n${JSON.stringify(question.schema)}`;
    const isLeftOut = (field: string): boolean => leftOut.some((each) => each === field);
    const tokenFields = tokenLimitFieldsOf(provider).filter((field) => !isLeftOut(field));
    const isStreamed = !isLeftOut('stream');
    const optional = {
      temperature,
      reasoning_effort: 'none',
      chat_template_kwargs: { enable_thinking: false },
      ...(isStreamed ? { stream: true, stream_options: { include_usage: true } } : {}),
    };
    return {
      model,
      messages: [
        { role: 'system' as const, content: system },
        { role: 'user' as const, content: question.user },
      ],
      ...responseFormatOf({ json, leftOut }, question),
      ...Object.fromEntries(Object.entries(optional).filter(([field]) => !isLeftOut(field))),
      ...Object.fromEntries((tokenFields.length === 0 ? ['max_tokens'] : tokenFields).map((field) => [field, tokens])),
    };
  };

  /** The completion of a question, streamed or in one piece; `heard` is called for each token. */
  const completionOf = async (
    body: object,
    signal: AbortSignal,
    heard: () => void,
  ): Promise<[object, Assembled | null]> => {
    const response = await client.chat.completions.create(body as never, { signal }).asResponse();
    if (!/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')) {
      const said = String(await boundedBody(response, maxProviderResponseBytes));
      const answer: unknown = isJson(said) ? JSON.parse(said) : said;
      demandCompletion(answer, provider.apiKey);
      return [answer as object, null];
    }
    const assembled = new Assembled();
    for await (const chunk of Stream.fromSSEResponse(response, new AbortController(), client)) {
      if (assembled.add(chunk)) heard();
      if (assembled.content.length > maxOutputBytes) {
        throw new ModelFailure('too_large', `the text of the answer passes ${maxOutputBytes} bytes`);
      }
    }
    signal.throwIfAborted();
    if (!assembled.isWhole) throw new ModelFailure('unreachable', 'the stream of the answer broke off');
    return [assembled.completion(), assembled];
  };

  const sentOf = (form: RequestForm): SentRequest => ({
    responseFormat: statedFormat(form),
    leftOut: [...form.leftOut],
  });

  interface Ask {
    readonly question: ChatQuestion;
    readonly form: RequestForm;
    readonly tokens: number;
    readonly firstTokenMs: number;
  }

  const once = async ({ question, form, tokens, firstTokenMs }: Ask, signal: AbortSignal): Promise<ChatAnswer> => {
    signal.throwIfAborted();
    const pace = new Pace(clock);
    pace.limit(Math.max(maxAskWallMs, firstTokenMs), `no end of the answer within ${maxAskWallMs} ms`);
    let waiting = pace.limit(firstTokenMs, `no answer within ${firstTokenMs} ms`);
    const heard = () => {
      pace.clear(waiting);
      waiting = pace.limit(maxTokenGapMs, `no further token within ${maxTokenGapMs} ms`);
    };
    let isThought = false;
    try {
      const [completion, streamed] = await following([signal, pace.signal], (bounded) =>
        completionOf(bodyOf(form, question, tokens), bounded, heard),
      );
      isThought = streamed?.isThought ?? thoughtIn(completion);
      const answer = chatAnswerOf(completion, { maxCompletionTokens: tokens, maxOutputBytes }, holdsKey);
      return { ...answer, text: jsonTextIn(answer.text), sent: sentOf(form), isThought };
    } catch (error) {
      signal.throwIfAborted();
      if (pace.lateness !== null) throw new ModelFailure('timeout', pace.lateness, error);
      const failure = errorInStream(error, provider.apiKey) ?? chatFailureOf(error, true);
      throw failure.code === 'too_large' ? new CutAnswer(isThought, failure) : failure;
    } finally {
      pace.end();
    }
  };

  /** The form that the server takes, and whose answer to the trial is useful. Rejects as `ask` does, and with `ModelNotReady`. */
  const found = async (signal: AbortSignal): Promise<RequestForm> => {
    const taken: RequestForm[] = [];
    const patience = { clock, mostMs: maxLoadMs, signal };
    for (let form: RequestForm | null = firstForm; form !== null; ) {
      const now: RequestForm = form;
      const asked = { question: trial.question, form: now, tokens: trialTokens, firstTokenMs: maxLoadMs };
      try {
        const { text: said } = await patiently(patience, () => once(asked, signal));
        if (trial.isUseful(said)) return now;
        taken.push(now);
        form = looserForm(now);
      } catch (error) {
        if (!(error instanceof ModelFailure)) throw error;
        if (error.code === 'timeout') throw new ModelNotReady(maxLoadMs, error);
        // Another form does not shorten the thoughts of a model.
        if (error instanceof CutAnswer && error.isThought) return taken[0] ?? now;
        const next = nextAfter(error, now, taken);
        // What the server refuses in every form is the failure of this question, and not of its form.
        if (next === null && taken.length === 0) throw error;
        form = next;
      }
    }
    return taken[0] ?? firstForm;
  };

  let form: RequestForm | null = null;
  let finding: Promise<RequestForm> | null = null;
  let lastAtMs = Number.NEGATIVE_INFINITY;

  /** One client finds the form for all who wait; if it gives up, the next one goes on. */
  const settled = async (signal: AbortSignal): Promise<RequestForm> => {
    while (form === null) {
      signal.throwIfAborted();
      if (finding !== null) {
        await settledOrAborted(finding, signal);
        continue;
      }
      finding = found(signal).finally(() => {
        finding = null;
      });
      form = await finding;
      lastAtMs = clock.now();
    }
    return form;
  };

  return {
    ask: async (question, signal) => {
      const known = await settled(signal);
      const firstTokenMs = clock.now() - lastAtMs > restMs ? Math.max(maxLoadMs, maxFirstTokenMs) : maxFirstTokenMs;
      const asked = { question, form: known, tokens: limits.maxCompletionTokens, firstTokenMs };
      const answer = await patiently({ clock, mostMs: patienceMs, signal }, () => once(asked, signal));
      lastAtMs = clock.now();
      return answer;
    },
  };
}

/** An error of the server in the middle of its stream, which the library throws without a status; null for others. */
function errorInStream(error: unknown, apiKey: string | null): ModelFailure | null {
  if (!(error instanceof Error && 'error' in error && 'status' in error)) return null;
  if (error.status !== undefined || !(error.error instanceof Object)) return null;
  const said = refusedIn({ error: error.error }, apiKey)?.message ?? null;
  return new NoCompletion(`engine_error: ${withSaid('the answer is an error', said)}`, error);
}

/** The next form of a trial after its failure; null if none can help. */
function nextAfter(error: ModelFailure, form: RequestForm, taken: RequestForm[]): RequestForm | null {
  if (error.code === 'http_400' || error.code === 'http_422') {
    // A server that took the request before refuses only the other way to ask for JSON.
    return taken.length > 0 ? looserForm(form) : formAfter(form, quotedIn(error));
  }
  // Servers answer with an error of their own if they cannot make a grammar of the schema.
  if (error.code === 'http_500' || error.code === 'http_501') {
    return /schema|grammar|response_format/i.test(quotedIn(error).message ?? '') ? looserForm(form) : null;
  }
  if (!(error instanceof CutAnswer)) return null;
  // It was taken, and did not bind the model.
  taken.push(form);
  return looserForm(form);
}

/** Waits for work of another until it has settled. Rejects with the reason of `signal` once that aborts. */
function settledOrAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const unfollow = onAbort(signal, () => reject(signal.reason));
    const done = () => {
      unfollow();
      resolve();
    };
    work.then(done, done);
  });
}
