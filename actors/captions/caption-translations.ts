import { z } from 'zod';
import { wellFormedText } from '../../contract/base/text.ts';
import {
  type CaptionTranslation,
  type TranslatedAnswer,
  type TranslationAsk,
  type TranslationConfiguration,
  translationLimits,
} from '../../contract/captions/caption-translation.ts';
import type { CaptionTranslator } from '../../contract/captions/caption-translator.ts';
import { ExplanationFailure } from '../../contract/explanations/language-explanation-failure.ts';
import type { Detector } from '../../executors/detector/detector.ts';
import { trackLanguageOf } from '../../executors/evidence/track-language.ts';
import type { ChatAnswer } from '../../executors/explanations/hosted-answer.ts';
import { type HostedChat, tokenLimitFieldsOf } from '../../executors/explanations/hosted-chat.ts';
import type { HostedProvider } from '../../executors/explanations/hosted-provider.ts';
import { CaptionFailure, type CaptionJob, captionsOf } from '../../receipts/captions/caption-artifact.ts';
import { questionDigests, translationOf } from '../../receipts/captions/caption-translation.ts';
import { isOneLanguage } from '../../receipts/captions/recognised-lines.ts';
import { translationWorkOf } from '../../receipts/captions/translated-lines.ts';
import type { SourceLine } from '../../receipts/captions/translation-gates.ts';
import { fatalFailure, plannedAsks } from '../../receipts/captions/translation-plan.ts';
import { questionOf, translationPromptContract } from '../../receipts/captions/translation-question.ts';
import { contentIdOf } from '../../receipts/core/canonical-json.ts';

export interface CaptionTranslationsOptions {
  readonly chat: HostedChat;
  readonly provider: HostedProvider;
  readonly model: string;
  /** Identifies languages. */
  readonly detector: Pick<Detector, 'identify'>;
}

const configurationOf = (provider: HostedProvider, model: string): TranslationConfiguration => ({
  schema: 'studio.caption-translation.configuration.v1',
  baseUrl: provider.baseUrl,
  model,
  responseFormat: 'json_schema_strict',
  temperature: 0,
  tokenLimitFields: tokenLimitFieldsOf(provider),
  limits: translationLimits,
  retries: 0,
  redirects: 'refused',
});

const answered = z.looseObject({
  lines: z.record(
    z.string(),
    z
      .looseObject({ source: z.string().catch(''), translation: z.string().catch('') })
      .catch({ source: '', translation: '' }),
  ),
});

/** A text as it may be stored, in one row; empty where it is none. */
function storable(text: string): string {
  const plain = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return wellFormedText.max(4096).safeParse(plain).success ? plain : '';
}

type Answer = Omit<TranslatedAnswer, 'identified'>;

/** What a model said of the lines that it was asked for; others are dropped. Throws `ExplanationFailure`. */
function answersIn({ text }: ChatAnswer, asked: readonly SourceLine[]): Answer[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ExplanationFailure('invalid_output', 'the text of the answer is not JSON', error);
  }
  const { data } = answered.safeParse(value);
  if (data === undefined) throw new ExplanationFailure('invalid_output', 'the answer has another shape');
  return asked.flatMap(({ id }) => {
    const said = Object.hasOwn(data.lines, id) ? data.lines[id] : undefined;
    if (said === undefined) return [];
    return [{ lineId: id, source: storable(said.source), translation: storable(said.translation) }];
  });
}

/** Has the lines of captions translated by a model, and keeps every question and answer. */
export class CaptionTranslations {
  readonly #options: CaptionTranslationsOptions;
  readonly #configuration: TranslationConfiguration;
  readonly identity: CaptionTranslator;

  constructor(options: CaptionTranslationsOptions) {
    const { provider, model } = options;
    this.#options = options;
    this.#configuration = configurationOf(provider, model);
    this.identity = {
      model,
      promptContentId: contentIdOf(translationPromptContract),
      configurationContentId: contentIdOf(this.#configuration),
    };
  }

  /**
   * A job with its translation; as it is where both sides are one language. Rejects with `CaptionFailure` where not one line
   * passed the gates: captions without a translation would use up an approval for nothing.
   */
  async translated(job: CaptionJob, signal: AbortSignal): Promise<CaptionJob> {
    if (job.translator === undefined || isOneLanguage(job.study)) return job;
    const asks: TranslationAsk[] = [];
    const work = () => translationWorkOf(job.study, { asks, identifiedAlone: null });
    const { lines } = work();
    for (let next = plannedAsks(work())[0]; next !== undefined; next = plannedAsks(work())[asks.length]) {
      asks.push(await this.#ask(job, lines, next, signal));
    }
    const alone = asks.slice(Math.ceil(lines.length / translationLimits.batchLines)).flatMap(({ answers }) => answers);
    const identifiedAlone = (await this.#identified(alone, signal)).together;
    const record = { prompt: translationPromptContract, configuration: this.#configuration, asks, identifiedAlone };
    const done = { ...job, translation: translationOf(job, record) };
    this.#demandLines(done, asks);
    return done;
  }

  #demandLines(job: CaptionJob, asks: CaptionTranslation['asks']): void {
    const { lines, result } = captionsOf(job);
    if (result.targetAvailableCount > 0) return;
    const reasons = [...new Set(lines.flatMap(({ target }) => target.reasonCode ?? []))].join(', ');
    const failure = fatalFailure({ asks });
    throw new CaptionFailure('translator', failure ?? `no line passed the gates: ${reasons}`);
  }

  async #ask(
    { study }: CaptionJob,
    lines: readonly SourceLine[],
    asked: readonly SourceLine[],
    signal: AbortSignal,
  ): Promise<TranslationAsk> {
    const { sourceLanguage, targetLanguage } = translationWorkOf(study, { asks: [], identifiedAlone: null });
    const question = questionOf(lines, asked, { sourceLanguage, targetLanguage });
    const named = { lineIds: asked.map(({ id }) => id), ...questionDigests(question) };
    const nothing = { answers: [], identified: null, model: null, inputTokens: null, outputTokens: null };
    try {
      const answer = await this.#options.chat.ask({ ...question, schemaName: 'caption_translation' }, signal);
      const { each, together } = await this.#identified(answersIn(answer, asked), signal);
      const { model, inputTokens, outputTokens } = answer;
      return { ...named, failure: null, answers: each, identified: together, model, inputTokens, outputTokens };
    } catch (error) {
      if (!(error instanceof ExplanationFailure)) throw error;
      return { ...named, ...nothing, failure: error.reason.message };
    }
  }

  /** The language of each translation, and of all together. */
  async #identified(
    answers: readonly Answer[],
    signal: AbortSignal,
  ): Promise<{ readonly each: TranslatedAnswer[]; readonly together: string | null }> {
    const texts = answers.map(({ translation }) => translation);
    if (texts.every((text) => text === '')) {
      return { each: answers.map((answer) => ({ ...answer, identified: null })), together: null };
    }
    const track = { index: 0, language: null };
    const { code, cueCodes } = await trackLanguageOf(this.#options.detector, track, texts, signal);
    return { each: answers.map((answer, at) => ({ ...answer, identified: cueCodes[at] ?? null })), together: code };
  }
}
