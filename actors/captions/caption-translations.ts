import { z } from 'zod';
import type { Clock } from '../../contract/base/clock.ts';
import { failureMessage } from '../../contract/base/errors.ts';
import { shownText, wellFormedText } from '../../contract/base/grammar.ts';
import type { CaptionTranslator } from '../../contract/captions/caption-line.ts';
import type { CaptionArtifact } from '../../contract/captions/caption-production.ts';
import {
  type TranslatedAnswer,
  type TranslationAsk,
  type TranslationConfiguration,
  translationAsk,
  translationLimits,
} from '../../contract/captions/caption-translation.ts';
import { ExplanationFailure } from '../../contract/explanations/explanation.ts';
import type { Detector } from '../../executors/detector/detector.ts';
import { trackLanguageOf } from '../../executors/evidence/text-language.ts';
import {
  type ChatAnswer,
  type HostedChat,
  NoCompletion,
  openHostedChat,
  tokenLimitFieldsOf,
} from '../../executors/explanations/hosted-chat.ts';
import { type HostedProvider, isAbsent, usualPatienceMs } from '../../executors/explanations/hosted-provider.ts';
import { contentIdOfJson, hashOf } from '../../formats/canonical-json.ts';
import {
  CaptionFailure,
  type CaptionJob,
  captionsInSlices,
  textToTranslateOf,
} from '../../receipts/captions/artifact.ts';
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
import type { Ledger, Write } from '../../storage/ledger/ledger.ts';
import { TimeSlices } from '../supervision/system-clock.ts';

/** The model that translates for a host, and its server. */
export interface ChosenTranslator {
  readonly provider: HostedProvider;
  readonly model: string;
  /** True if it translates each line once; by default twice. */
  readonly isAskedOnce?: boolean;
}

/** The engines of a host as captions use them: what the settings name now, and its translator, opened; null if they name none. */
export interface TranslatingEngines {
  readonly choices: { readonly translator: ChosenTranslator | null };
  translator(): Promise<Translations | null>;
}

/** The parts of a translator that its users have. */
export type Translations = Pick<CaptionTranslations, 'identity' | 'isAbsent' | 'translated'>;

/** The basis of a translator: `detector` identifies languages, and `ledger` keeps paid answers. */
interface TranslatorBasis {
  readonly detector: Pick<Detector, 'identify'>;
  readonly ledger: Pick<Ledger, 'getMany' | 'commit'>;
  readonly clock: Clock;
}

/** Opens a translator. Nothing is sent before its first question. */
export async function openTranslator(
  chosen: ChosenTranslator,
  { detector, ledger, clock }: TranslatorBasis,
): Promise<CaptionTranslations> {
  const limits = { ...translationLimits, maxWallMs: translationLimits.maxAskWallMs };
  const chat = await openHostedChat({
    ...chosen,
    clock,
    limits,
    temperature: 0,
    quotesRefusals: true,
    patienceMs: usualPatienceMs,
  });
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

interface TranslationAskerOptions {
  readonly chat: HostedChat;
  /** Identifies languages. */
  readonly detector: Pick<Detector, 'identify'>;
  /** Those that compare two answers for each line ask for each of them twice. */
  readonly gates: PresentGates;
}

/** Lines that are to be translated, in their order. */
type LinesToTranslate = Pick<TranslationWork, 'lines' | 'sourceLanguage' | 'targetLanguage'>;

/** The parts of a question beside its lines. */
interface Asking {
  readonly kept: KeptAnswers | null;
  readonly failures: ConsecutiveFailures;
  readonly signal: AbortSignal;
}

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

/** A question by its digests. */
type AskedQuestion = Pick<TranslationAsk, 'promptContentId' | 'schemaContentId'>;

/** A row names its media, so that a deletion of the source finds it. */
const keptAnswer = z.strictObject({ sourceContentId: z.string(), answered: translationAsk });

interface KeptAnswersOptions {
  readonly ledger: TranslatorBasis['ledger'];
  readonly runtimeId: string;
  readonly sourceContentId: string;
  readonly translator: CaptionTranslator;
}

/**
 * The paid answers of a production, kept in the ledger as soon as they come. If the production fails or its host ends, the next
 * attempt goes on with them.
 */
class KeptAnswers {
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

/** From a server that has answered, these refuse one question, such as by a filter of contents, and not the host. */
const refusedQuestion = ['http_400', 'http_422'];

/** So many questions without a completion say that no model is there. The number is a choice. */
const mostWithoutCompletion = 8;

/** Asks a model for translations, question by question as the answers lead to them, and keeps every answer. */
export class TranslationAsker {
  readonly #options: TranslationAskerOptions;
  readonly #slices = new TimeSlices();

  constructor(options: TranslationAskerOptions) {
    this.#options = options;
  }

  /**
   * A question whose answer is of no use is kept as one that failed. Questions with an answer in `kept`, if given, are not sent; it
   * gets every other answer as it comes. Rejects with `CaptionFailure` once the server gives no answers, with the reason of `signal`,
   * and with failures of the detector.
   */
  async answers(
    wanted: LinesToTranslate,
    signal: AbortSignal,
    kept: KeptAnswers | null = null,
  ): Promise<AnsweredLines> {
    const { gates } = this.#options;
    const asks: TranslationAsk[] = [];
    const failures = new ConsecutiveFailures();
    const work: TranslationWork = { ...wanted, asks, identifiedAlone: null, gates };
    const plan = () => this.#slices.run(plannedAsks(work));
    let planned = await plan();
    for (let next = planned[0]; next !== undefined; next = planned[asks.length]) {
      const ask = await this.#ask(wanted, next, { kept, failures, signal });
      asks.push(ask);
      const failure = fatalFailure({ asks: [ask] }) ?? failures.atLimit;
      // Captions without the rest of the lines would use up the approval.
      if (failure !== null) throw unanswered(failure, kept?.count ?? 0);
      // Further questions are planned once all before them are answered; a failure of one changes nothing.
      if (asks.length === planned.length) planned = await plan();
    }
    const alone = (await this.#slices.run(askedAgain(work))).flatMap(({ answers }) => answers);
    const identifiedAlone = (await this.#identified(alone, signal)).together;
    return { asks, identifiedAlone, gates };
  }

  async #ask(
    { lines, ...languages }: LinesToTranslate,
    next: PlannedAsk,
    { kept, failures, signal }: Asking,
  ): Promise<TranslationAsk> {
    const question = questionOf(lines, next, languages);
    const asked = next.members;
    const named = { lineIds: asked.map(({ id }) => id), ...questionDigests(question) };
    const known = (await kept?.of(named)) ?? null;
    if (known !== null) {
      failures.endByAnswer();
      return known;
    }
    const nothing = { answers: [], identified: null, model: null, inputTokens: null, outputTokens: null };
    try {
      const answer = await this.#options.chat.ask({ ...question, schemaName: 'caption_translation' }, signal);
      const { each, together } = await this.#identified(answersIn(answer, asked), signal);
      const { model, inputTokens, outputTokens } = answer;
      const ask = { ...named, failure: null, answers: each, identified: together, model, inputTokens, outputTokens };
      await kept?.keep(ask);
      failures.endByAnswer();
      return ask;
    } catch (error) {
      if (!(error instanceof ExplanationFailure)) throw error;
      const { code, message } = error.reason;
      const isOfQuestion = failures.hadAnswer && refusedQuestion.includes(code);
      failures.add(error, asked.length === 1);
      return { ...named, ...nothing, failure: isOfQuestion ? failureMessage(`refused: ${message}`) : message };
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

/** The failure of a production whose server gives no answers; its approval stays free. */
function unanswered(failure: string, kept: number): CaptionFailure {
  const count = kept === 1 ? '1 answer is' : `${kept} answers are`;
  return new CaptionFailure('translator', kept === 0 ? failure : `${failure}; ${count} kept for the next attempt`);
}

/**
 * Counts questions without a completion that follow each other. Until the first answer, useless answers about one line count, too:
 * a model that fails at one line fails at all.
 */
class ConsecutiveFailures {
  #count = 0;
  #last: string | null = null;
  /** True once there was an answer. */
  hadAnswer = false;

  /** The message of the last failure if there are too many; null before. */
  get atLimit(): string | null {
    return this.#count >= mostWithoutCompletion ? this.#last : null;
  }

  endByAnswer(): void {
    this.hadAnswer = true;
    this.#count = 0;
  }

  add(error: ExplanationFailure, isOneLine: boolean): void {
    if (!(error instanceof NoCompletion) && (this.hadAnswer || !isOneLine)) return;
    this.#count += 1;
    this.#last = error.reason.message;
  }
}

interface CaptionTranslationsOptions extends TranslationAskerOptions {
  readonly ledger: TranslatorBasis['ledger'];
  /** True if no server answers. */
  readonly isAbsent: () => Promise<boolean>;
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

/** The translator that records of captions name: it follows from the settings alone. */
export const translatorIdentityOf = ({
  provider,
  model,
}: Pick<ChosenTranslator, 'provider' | 'model'>): CaptionTranslator => ({
  model,
  promptContentId: contentIdOfJson(translationPromptContract),
  configurationContentId: contentIdOfJson(configurationOf(provider, model)),
});

/** A job with its translation, and writes for the commit of its captions: they remove the answers that were kept until then. */
interface TranslatedJob {
  readonly job: CaptionJob;
  readonly writes: readonly Write[];
}

/** Has the lines of captions translated by a model, and keeps every question and answer. */
export class CaptionTranslations {
  readonly #asker: TranslationAsker;
  readonly #configuration: TranslationConfiguration;
  readonly #ledger: TranslatorBasis['ledger'];
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
