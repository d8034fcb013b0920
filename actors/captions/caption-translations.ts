import { z } from 'zod';
import type { Clock } from '../../contract/base/clock.ts';
import { shownText, wellFormedText } from '../../contract/base/grammar.ts';
import type { CaptionTranslator } from '../../contract/captions/caption-line.ts';
import {
  type CaptionTranslation,
  type TranslatedAnswer,
  type TranslationAsk,
  type TranslationConfiguration,
  translationLimits,
} from '../../contract/captions/caption-translation.ts';
import { ExplanationFailure } from '../../contract/explanations/explanation.ts';
import type { Detector } from '../../executors/detector/detector.ts';
import { trackLanguageOf } from '../../executors/evidence/text-language.ts';
import {
  type ChatAnswer,
  type HostedChat,
  openHostedChat,
  tokenLimitFieldsOf,
} from '../../executors/explanations/hosted-chat.ts';
import type { HostedProvider } from '../../executors/explanations/hosted-provider.ts';
import { contentIdOfJson } from '../../formats/canonical-json.ts';
import { CaptionFailure, type CaptionJob, captionsOf, textToTranslateOf } from '../../receipts/captions/artifact.ts';
import { captionInputOf } from '../../receipts/captions/captioned-study.ts';
import { questionDigests, translationOf } from '../../receipts/captions/translation.ts';
import type { SourceLine } from '../../rules/translation/gates.ts';
import {
  askedAgain,
  fatalFailure,
  gatesOver,
  type PlannedAsk,
  type PresentGates,
  plannedAsks,
  questionOf,
  type TranslationWork,
  translationPromptContract,
} from '../../rules/translation/plan.ts';

/** The model that translates for a host, and its server. */
export interface ChosenTranslator {
  readonly provider: HostedProvider;
  readonly model: string;
  /** True if it translates each line once; by default twice. */
  readonly isAskedOnce?: boolean;
}

/** The translator of a host; null if none is configured. */
export async function openTranslator(
  chosen: ChosenTranslator | null,
  detector: Pick<Detector, 'identify'>,
  clock: Clock,
): Promise<CaptionTranslations | null> {
  if (chosen === null) return null;
  const limits = { ...translationLimits, maxWallMs: translationLimits.maxAskWallMs };
  const chat = await openHostedChat({ ...chosen, clock, limits, temperature: 0 });
  const gates = chosen.isAskedOnce === true ? gatesOver.oneAnswer : gatesOver.twoAnswers;
  return new CaptionTranslations({ ...chosen, chat, detector, gates });
}

interface TranslationAskerOptions {
  readonly chat: HostedChat;
  /** Identifies languages. */
  readonly detector: Pick<Detector, 'identify'>;
  /** Those that compare two answers for each line ask for each of them twice. */
  readonly gates: PresentGates;
}

/** Lines that are to be translated, in their order. */
type LinesToTranslate = Pick<TranslationWork, 'lines' | 'sourceLanguage' | 'targetLanguage'>;

/** All questions and answers about some lines. */
type AnsweredLines = Pick<TranslationWork, 'asks' | 'identifiedAlone' | 'gates'>;

const answered = z.looseObject({
  lines: z.record(
    z.string(),
    z
      .looseObject({ source: z.string().catch(''), translation: z.string().catch('') })
      .catch({ source: '', translation: '' }),
  ),
});

/** A text as it may be stored, in one row; empty if there is nothing to store. */
function storable(text: string): string {
  const plain = shownText(text).replaceAll(/\s+/g, ' ').trim();
  return wellFormedText.max(4096).safeParse(plain).success ? plain : '';
}

type Answer = Omit<TranslatedAnswer, 'identified'>;

/** The answers of a model for the lines of the question; those for other lines are dropped. Throws `ExplanationFailure`. */
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

/** Asks a model for translations, question by question as the answers lead to them, and keeps every answer. */
export class TranslationAsker {
  readonly #options: TranslationAskerOptions;

  constructor(options: TranslationAskerOptions) {
    this.#options = options;
  }

  /** A question that fails is kept as one that failed. Rejects with the reason of `signal`, and with failures of the detector. */
  async answers(wanted: LinesToTranslate, signal: AbortSignal): Promise<AnsweredLines> {
    const { gates } = this.#options;
    const asks: TranslationAsk[] = [];
    const work: TranslationWork = { ...wanted, asks, identifiedAlone: null, gates };
    let planned = plannedAsks(work);
    for (let next = planned[0]; next !== undefined; next = planned[asks.length]) {
      const ask = await this.#ask(wanted, next, signal);
      asks.push(ask);
      if (ask.failure !== null || asks.length === planned.length) planned = plannedAsks(work);
    }
    const alone = askedAgain(work).flatMap(({ answers }) => answers);
    const identifiedAlone = (await this.#identified(alone, signal)).together;
    return { asks, identifiedAlone, gates };
  }

  async #ask(
    { lines, ...languages }: LinesToTranslate,
    next: PlannedAsk,
    signal: AbortSignal,
  ): Promise<TranslationAsk> {
    const question = questionOf(lines, next, languages);
    const asked = next.members;
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

interface CaptionTranslationsOptions extends TranslationAskerOptions {
  readonly provider: HostedProvider;
  readonly model: string;
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

/** Has the lines of captions translated by a model, and keeps every question and answer. */
export class CaptionTranslations {
  readonly #asker: TranslationAsker;
  readonly #configuration: TranslationConfiguration;
  readonly identity: CaptionTranslator;

  constructor(options: CaptionTranslationsOptions) {
    const { provider, model } = options;
    this.#asker = new TranslationAsker(options);
    this.#configuration = configurationOf(provider, model);
    this.identity = {
      model,
      promptContentId: contentIdOfJson(translationPromptContract),
      configurationContentId: contentIdOfJson(this.#configuration),
    };
  }

  /**
   * A job with its translation; unchanged if nothing has to be translated. Rejects with `CaptionFailure` if not one line passed
   * the gates: captions without a translation would use up an approval for nothing.
   */
  async translated(job: CaptionJob, signal: AbortSignal): Promise<CaptionJob> {
    const text = textToTranslateOf(job);
    if (text === null) return job;
    const { sourceLanguage, targetLanguage } = captionInputOf(job.study);
    const answered = await this.#asker.answers({ lines: text.lines, sourceLanguage, targetLanguage }, signal);
    const record = { prompt: translationPromptContract, configuration: this.#configuration, ...answered };
    const done = { ...job, translation: translationOf(job, record) };
    this.#demandLines(done, answered.asks);
    return done;
  }

  #demandLines(job: CaptionJob, asks: CaptionTranslation['asks']): void {
    const { lines, result } = captionsOf(job);
    if (result.targetAvailableCount > 0) return;
    const reasons = [...new Set(lines.flatMap(({ target }) => target.reasonCode ?? []))].join(', ');
    const failure = fatalFailure({ asks });
    throw new CaptionFailure('translator', failure ?? `no line passed the gates: ${reasons}`);
  }
}
