import { z } from 'zod';
import { count, identityOf } from '../../contract/base/grammar.ts';
import { labelLine, shownText } from '../../contract/base/text.ts';
import {
  type ExplanationOutput,
  explanationOutput,
  type FacetKind,
} from '../../contract/explanations/language-explanation-facet.ts';
import { ExplanationFailure } from '../../contract/explanations/language-explanation-failure.ts';
import type { Explained } from './language-explainer.ts';

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

/** What a model said, and what its server said of its work; null where it said nothing that can be kept. */
export interface ChatAnswer {
  readonly text: string;
  readonly responseId: string | null;
  readonly model: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

export interface ChatAnswerLimits {
  readonly maxCompletionTokens: number;
  readonly maxOutputBytes: number;
}

/**
 * The text of a chat completion. `holdsKey` says of a text whether the key of the provider stands in it. Throws
 * `ExplanationFailure` for an answer that cannot be used.
 */
export function chatAnswerOf(
  answer: unknown,
  { maxCompletionTokens, maxOutputBytes }: ChatAnswerLimits,
  holdsKey: (text: string) => boolean,
): ChatAnswer {
  const parsed = completion.safeParse(answer);
  const [choice] = parsed.data?.choices ?? [];
  if (!parsed.success || choice === undefined) {
    throw new ExplanationFailure('invalid_output', 'the answer is no chat completion', parsed.error);
  }
  const { id, model, usage } = parsed.data;
  const outputTokens = usage?.completion_tokens ?? null;
  if (choice.message.refusal || choice.finish_reason === 'content_filter') {
    throw new ExplanationFailure('refused', 'the model or its provider declined to answer');
  }
  if (choice.finish_reason === 'length' || (outputTokens ?? 0) > maxCompletionTokens) {
    throw new ExplanationFailure('too_large', `the answer takes more than ${maxCompletionTokens} tokens`);
  }
  const text = choice.message.content ?? '';
  // All of them would be stored.
  if ([text, id ?? '', model ?? ''].some(holdsKey)) {
    throw new ExplanationFailure(
      'key_in_answer',
      'the answer repeats the key of OPENAI_API_KEY; nothing of it is kept',
    );
  }
  if (Buffer.byteLength(text, 'utf8') > maxOutputBytes) {
    throw new ExplanationFailure('too_large', `the text of the answer passes ${maxOutputBytes} bytes`);
  }
  const inputTokens = usage?.prompt_tokens ?? null;
  return { text, responseId: id ?? null, model: model ?? null, inputTokens, outputTokens };
}

/** What an explainer's answer says. Throws `ExplanationFailure` for one that cannot be used. */
export function explainedBy(answer: ChatAnswer, kinds: readonly FacetKind[]): Explained {
  const { text, responseId: providerResponseId, inputTokens, outputTokens } = answer;
  return { output: outputOf(text, kinds), execution: { providerResponseId, inputTokens, outputTokens } };
}
