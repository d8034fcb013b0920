import { z } from 'zod';
import {
  type AnswersKept,
  type AskedQuestion,
  answerSchemaName,
  answersIn,
  hasAnswerShape,
  TranslationAsker,
  type TranslationAskerOptions,
} from '../../actors/captions/translation-asker.ts';
import type {
  LineTranslator,
  TranslatedJob,
  Translations,
  TranslatorOpening,
} from '../../actors/engines/engine-choices.ts';
import { TimeSlices } from '../../actors/supervision/system-clock.ts';
import type { Clock } from '../../contract/base/clock.ts';
import type { CaptionTranslator } from '../../contract/captions/caption-line.ts';
import type { CaptionArtifact } from '../../contract/captions/caption-production.ts';
import {
  schemaInPrompt,
  type TranslationAsk,
  type TranslationConfiguration,
  translationAsk,
  translationLimits,
} from '../../contract/captions/caption-translation.ts';
import { recordedModelName } from '../../contract/explanations/executor.ts';
import { type HostedChat, tokenLimitFieldsOf } from '../../executors/model-server/hosted-chat.ts';
import { type HostedProvider, isAbsent, usualPatienceMs } from '../../executors/model-server/hosted-provider.ts';
import { openStreamedChat } from '../../executors/model-server/streamed-chat.ts';
import { contentIdOfJson, hashOf } from '../../formats/canonical-json.ts';
import {
  CaptionFailure,
  type CaptionJob,
  captionsInSlices,
  textToTranslateOf,
} from '../../receipts/captions/artifact.ts';
import { captionInputOf } from '../../receipts/captions/captioned-study.ts';
import { earlierConfigurationsOf } from '../../receipts/captions/followed-plan.ts';
import { translationOf } from '../../receipts/captions/translation.ts';
import { gatesOver, questionOf, translationPromptContract } from '../../rules/translation/plan.ts';
import type { Write } from '../../storage/ledger/ledger.ts';

/** The model that translates for a host, and its server. */
export interface ChosenTranslator {
  readonly provider: HostedProvider;
  readonly model: string;
  /** True if it translates each line once; by default twice. */
  readonly isAskedOnce?: boolean;
}

/** A line of no film: until the model is loaded, no text of a film is sent. */
const trialLines = [{ id: 'trial', text: 'Good morning.' }];

/** The question of one line with which a server is tried. */
const trial = {
  question: {
    ...questionOf(trialLines, { members: trialLines, isApart: true }, { sourceLanguage: 'en', targetLanguage: 'de' }),
    schemaName: answerSchemaName,
  },
  isUseful: hasAnswerShape,
};

const openChat = (chosen: ChosenTranslator, clock: Clock): Promise<HostedChat> =>
  openStreamedChat({
    ...chosen,
    clock,
    limits: translationLimits,
    temperature: 0,
    patienceMs: usualPatienceMs,
    trial,
  });

/** The languages in which a model is tried. Most models know these two best. */
const trialLanguages = { sourceLanguage: 'en', targetLanguage: 'es' } as const;

/**
 * A model with the requests of captions, for a trial. Its first question also loads it. A model that writes the wanted JSON only when
 * the server does not bind it keeps no schema.
 */
export function modelLines(chosen: ChosenTranslator, { clock }: Pick<TranslatorOpening, 'clock'>): LineTranslator {
  const { sourceLanguage: from, targetLanguage: to } = trialLanguages;
  let chat: Promise<HostedChat> | null = null;
  return {
    ...{ from, to },
    asksPerLine: chosen.isAskedOnce === true ? 1 : 2,
    translate: async (texts, signal) => {
      const members = texts.map((text, at) => ({ id: `line-${at + 1}`, text }));
      const question = questionOf(members, { members, isApart: false }, trialLanguages);
      chat ??= openChat(chosen, clock);
      const answer = await (await chat).ask({ ...question, schemaName: answerSchemaName }, signal);
      const translations = new Map(answersIn(answer, members).map(({ lineId, translation }) => [lineId, translation]));
      return {
        translations: members.map(({ id }) => translations.get(id) ?? null),
        outputTokens: answer.outputTokens,
        isSchemaKept: answer.sent?.responseFormat === 'json_schema',
        isThinking: answer.isThought ?? false,
      };
    },
    close: async () => undefined,
  };
}

/** Opens a translator. Nothing is sent before its first question. */
export async function openTranslator(
  chosen: ChosenTranslator,
  { detector, ledger, clock }: TranslatorOpening,
): Promise<CaptionTranslations> {
  const chat = await openChat(chosen, clock);
  const gates = chosen.isAskedOnce === true ? gatesOver.oneAnswer : gatesOver.twoAnswers;
  return new CaptionTranslations({
    ...chosen,
    chat,
    detector,
    gates,
    ledger,
    isAbsent: () => isAbsent(chosen.provider),
  });
}

/** A row names its media, so that a deletion of the source finds it. */
const keptAnswer = z.strictObject({ sourceContentId: z.string(), answered: translationAsk });

interface KeptAnswersOptions {
  readonly ledger: TranslatorOpening['ledger'];
  readonly runtimeId: string;
  readonly sourceContentId: string;
  readonly translator: CaptionTranslator;
}

/**
 * The paid answers of a production, kept in the ledger as soon as they come. If the production fails or its host ends, the next
 * attempt goes on with them.
 */
class KeptAnswers implements AnswersKept {
  readonly #options: KeptAnswersOptions;
  readonly #keys = new Set<string>();

  constructor(options: KeptAnswersOptions) {
    this.#options = options;
  }

  /** The number of answers that this attempt has found or kept. */
  get count(): number {
    return this.#keys.size;
  }

  /** The answer to a question; null if none is kept, or its row cannot be read. */
  async of(question: AskedQuestion): Promise<TranslationAsk | null> {
    const key = this.#keyOf(question);
    const [row] = await this.#options.ledger.getMany('operation', [key]);
    const { data } = keptAnswer.safeParse(row);
    if (data === undefined) return null;
    this.#keys.add(key);
    return data.answered;
  }

  async keep(answered: TranslationAsk): Promise<void> {
    const { ledger, sourceContentId } = this.#options;
    const key = this.#keyOf(answered);
    await ledger.commit([{ put: 'operation', key, value: { sourceContentId, answered } }]);
    this.#keys.add(key);
  }

  /** Removes the answers that this attempt has found or kept, for the commit of its result. */
  removal(): Write[] {
    return [...this.#keys].map((key) => ({ del: 'operation', key }));
  }

  #keyOf({ promptContentId, schemaContentId }: AskedQuestion): string {
    const { runtimeId, translator } = this.#options;
    return hashOf({ operation: 'caption.translate.question', runtimeId, translator, promptContentId, schemaContentId });
  }
}

interface CaptionTranslationsOptions extends TranslationAskerOptions {
  readonly ledger: TranslatorOpening['ledger'];
  /** True if no server answers. */
  readonly isAbsent: () => Promise<boolean>;
  readonly provider: HostedProvider;
  readonly model: string;
}

const configurationOf = (provider: HostedProvider, model: string): TranslationConfiguration => ({
  schema: 'studio.caption-translation.configuration.v2',
  baseUrl: provider.baseUrl,
  model: recordedModelName(model),
  responseFormats: ['json_schema', 'json_object', 'text'],
  schemaInPrompt,
  isStreamed: true,
  reasoningEffort: 'none',
  chatTemplateKwargs: { enable_thinking: false },
  temperature: 0,
  tokenLimitFields: tokenLimitFieldsOf(provider),
  limits: translationLimits,
  retries: 0,
  redirects: 'refused',
});

/** The translator that records of captions name: it follows from the settings alone. */
export const translatorIdentityOf = ({
  provider,
  model,
}: Pick<ChosenTranslator, 'provider' | 'model'>): CaptionTranslator => ({
  model: recordedModelName(model),
  promptContentId: contentIdOfJson(translationPromptContract),
  configurationContentId: contentIdOfJson(configurationOf(provider, model)),
});

/** The identities that earlier versions of the program gave the same server and model. */
export const earlierIdentitiesOf = (
  chosen: Pick<ChosenTranslator, 'provider' | 'model'>,
): readonly CaptionTranslator[] =>
  earlierConfigurationsOf(configurationOf(chosen.provider, chosen.model)).map((configuration) => ({
    ...translatorIdentityOf(chosen),
    configurationContentId: contentIdOfJson(configuration),
  }));

/** Has the lines of captions translated by a model, and keeps every question and answer. */
export class CaptionTranslations implements Translations {
  readonly #asker: TranslationAsker;
  readonly #configuration: TranslationConfiguration;
  readonly #ledger: TranslatorOpening['ledger'];
  readonly #slices = new TimeSlices();
  readonly identity: CaptionTranslator;
  /** True if no server answers. */
  readonly isAbsent: () => Promise<boolean>;

  constructor(options: CaptionTranslationsOptions) {
    const { provider, model, ledger } = options;
    this.#ledger = ledger;
    this.isAbsent = options.isAbsent;
    this.#asker = new TranslationAsker(options);
    this.#configuration = configurationOf(provider, model);
    this.identity = translatorIdentityOf(options);
  }

  /**
   * A job with its translation; unchanged if nothing has to be translated. Rejects with `CaptionFailure` if the server gives no
   * answers. It also does so if not one line passed the gates: such captions would use up an approval for nothing. Answers of a
   * production that did not come to its end are kept for the next attempt.
   */
  async translated(job: CaptionJob, signal: AbortSignal): Promise<TranslatedJob> {
    const text = await this.#slices.run(textToTranslateOf(job));
    if (text === null) return { job, writes: [] };
    const { sourceLanguage, targetLanguage, sourceContentId } = captionInputOf(job.study);
    const { runtimeId } = job.study.run.record;
    const kept = new KeptAnswers({ ledger: this.#ledger, runtimeId, sourceContentId, translator: this.identity });
    const wanted = { lines: text.lines, sourceLanguage, targetLanguage };
    const answered = await this.#asker.answers(wanted, signal, kept);
    const record = { prompt: translationPromptContract, configuration: this.#configuration, ...answered };
    const done = { ...job, translation: await this.#slices.run(translationOf(job, record)) };
    const writes = kept.removal();
    const unfit = unfitOf(await captionsInSlices(done, this.#slices.pause));
    // The next attempt needs other answers.
    if (unfit !== null) await this.#ledger.commit(writes);
    if (unfit !== null) throw new CaptionFailure('translator', `no line passed the gates: ${unfit}`);
    return { job: done, writes };
  }
}

/** The reasons of all gates that closed if not one line passed; null if one did. */
function unfitOf({ lines, result }: CaptionArtifact): string | null {
  if (result.targetAvailableCount > 0) return null;
  return [...new Set(lines.flatMap(({ target }) => target.reasonCode ?? []))].join(', ');
}
