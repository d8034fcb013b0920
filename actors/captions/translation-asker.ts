import { z } from 'zod';
import { failureMessage } from '../../contract/base/errors.ts';
import { shownText, wellFormedText } from '../../contract/base/grammar.ts';
import type { TranslatedAnswer, TranslationAsk } from '../../contract/captions/caption-translation.ts';
import type { Detector } from '../../executors/detector/detector.ts';
import { trackLanguageOf } from '../../executors/evidence/text-language.ts';
import { type ChatAnswer, type HostedChat, NoCompletion } from '../../executors/model-server/hosted-chat.ts';
import { ModelFailure } from '../../executors/model-server/hosted-provider.ts';
import { ModelNotReady } from '../../executors/model-server/streamed-chat.ts';
import { CaptionFailure } from '../../receipts/captions/artifact.ts';
import { questionDigests } from '../../receipts/captions/translation.ts';
import type { SourceLine } from '../../rules/translation/gates.ts';
import {
  askedAgain,
  fatalFailure,
  isLate,
  type PlannedAsk,
  type PresentGates,
  plannedAsks,
  questionOf,
  type TranslationWork,
} from '../../rules/translation/plan.ts';
import { TimeSlices } from '../supervision/system-clock.ts';

export interface TranslationAskerOptions {
  readonly chat: HostedChat;
  /** Identifies languages. */
  readonly detector: Pick<Detector, 'identify'>;
  /** Those that compare two answers for each line ask for each of them twice. */
  readonly gates: PresentGates;
}

/** Lines that are to be translated, in their order. */
type LinesToTranslate = Pick<TranslationWork, 'lines' | 'sourceLanguage' | 'targetLanguage'>;

/** A question by its digests. */
export type AskedQuestion = Pick<TranslationAsk, 'promptContentId' | 'schemaContentId'>;

/** The answers of an earlier attempt, and a place for those of this one. */
export interface AnswersKept {
  /** The number of answers that this attempt has found or kept. */
  readonly count: number;
  /** The answer to a question; null if none is kept. */
  of(question: AskedQuestion): Promise<TranslationAsk | null>;
  keep(answered: TranslationAsk): Promise<void>;
}

/** The parts of a question beside its lines. */
interface Asking {
  readonly kept: AnswersKept | null;
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

/** The name of the schema of an answer. */
export const answerSchemaName = 'caption_translation';

/** True for a text with the lines of an answer, whatever they are. */
export function hasAnswerShape(text: string): boolean {
  try {
    return answered.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

type Answer = Omit<TranslatedAnswer, 'identified'>;

/** The answers of a model for the lines of a question; those for other lines are dropped. Throws `ModelFailure`. */
export function answersIn({ text }: Pick<ChatAnswer, 'text'>, asked: readonly SourceLine[]): Answer[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ModelFailure('invalid_output', 'the text of the answer is not JSON', error);
  }
  const { data } = answered.safeParse(value);
  if (data === undefined) throw new ModelFailure('invalid_output', 'the answer has another shape');
  return asked.flatMap(({ id }) => {
    const said = Object.hasOwn(data.lines, id) ? data.lines[id] : undefined;
    if (said === undefined) return [];
    return [{ lineId: id, source: storable(said.source), translation: storable(said.translation) }];
  });
}

/** From a server that has answered, these refuse one question, such as by a filter of contents, and not the host. */
const refusedQuestion = ['http_400', 'http_422'];

/** So many questions without a completion say that no model is there. The number is a choice. */
const mostWithoutCompletion = 8;

/** So many late answers about single lines in a row say that the server is stuck. The number is a choice. */
const mostLateLines = 2;

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
    kept: AnswersKept | null = null,
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
      // Further questions are planned once all before them are answered; of failures only a late answer changes them.
      if (asks.length === planned.length || isLate(ask)) planned = await plan();
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
      const answer = await this.#options.chat.ask({ ...question, schemaName: answerSchemaName }, signal);
      const { each, together } = await this.#identified(answersIn(answer, asked), signal);
      const { model, inputTokens, outputTokens, sent } = answer;
      const said = { answers: each, identified: together, model, inputTokens, outputTokens };
      const ask = { ...named, failure: null, ...said, ...(sent === undefined ? {} : { sent }) };
      await kept?.keep(ask);
      failures.endByAnswer();
      return ask;
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      if (error instanceof ModelNotReady) throw unanswered(error.message, kept?.count ?? 0);
      const { code, message } = error;
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
  #lateLines = 0;
  #last: string | null = null;
  /** True once there was an answer. */
  hadAnswer = false;

  /** The message of the last failure if there are too many; null before. */
  get atLimit(): string | null {
    return this.#count >= mostWithoutCompletion || this.#lateLines >= mostLateLines ? this.#last : null;
  }

  endByAnswer(): void {
    this.hadAnswer = true;
    this.#count = 0;
    this.#lateLines = 0;
  }

  add(error: ModelFailure, isOneLine: boolean): void {
    if (error.code === 'timeout') {
      this.#lateLines += isOneLine ? 1 : 0;
      this.#last = error.message;
      return;
    }
    if (!(error instanceof NoCompletion) && (this.hadAnswer || !isOneLine)) return;
    this.#count += 1;
    this.#last = error.message;
  }
}
