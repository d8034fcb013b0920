import type { TranslatedJob, Translations, TranslatorOpening } from '../../actors/engines/engine-choices.ts';
import { TimeSlices } from '../../actors/supervision/system-clock.ts';
import { wellFormedText } from '../../contract/base/grammar.ts';
import type { CaptionTranslator } from '../../contract/captions/caption-line.ts';
import { programLimits, type TranslationAsk } from '../../contract/captions/caption-translation.ts';
import { trackLanguageOf } from '../../executors/evidence/text-language.ts';
import { firstDifference } from '../../formats/canonical-json.ts';
import {
  CaptionFailure,
  type CaptionJob,
  captionsInSlices,
  textToTranslateOf,
} from '../../receipts/captions/artifact.ts';
import { captionInputOf } from '../../receipts/captions/captioned-study.ts';
import { questionDigests, translationOf } from '../../receipts/captions/translation.ts';
import type { SourceLine } from '../../rules/translation/gates.ts';
import { gatesOver } from '../../rules/translation/plan.ts';
import { lineOfStream, programFormContract, streamQuestion } from '../../rules/translation/program-lines.ts';
import { type InstalledPair, installedPair, PairUnavailable, pairFor, pairOf } from './engine/apertium-pairs.ts';
import { ApertiumPipe, PipeFailure } from './engine/apertium-pipe.ts';

interface ProgramOptions extends Omit<TranslatorOpening, 'ledger'> {
  /** The modes of the pairs that the settings name. */
  readonly modes: readonly string[];
}

/** The pair of these modes for two languages, as this machine has it now. Throws `PairUnavailable`; null if no mode is for them. */
export function pairOfModes(
  modes: readonly string[],
  { sourceLanguage, targetLanguage }: { readonly sourceLanguage: string; readonly targetLanguage: string },
  environment: TranslatorOpening['environment'],
): InstalledPair | null {
  const pairs = modes.flatMap((mode) => pairOf(mode) ?? []);
  const named = pairFor(pairs, sourceLanguage, targetLanguage);
  return named === null ? null : installedPair(named.mode, environment);
}

/** The identity of the pair for two languages; null without one that can be run. */
export const identityOfPair = (
  modes: readonly string[],
  languages: Parameters<typeof pairOfModes>[1],
  environment: TranslatorOpening['environment'],
): CaptionTranslator | null => {
  try {
    return pairOfModes(modes, languages, environment)?.identity ?? null;
  } catch (error) {
    if (error instanceof PairUnavailable) return null;
    throw error;
  }
};

/** Has the lines of captions translated by Apertium on this machine, line by line. Nothing is sent, and nothing is asked twice. */
export class ProgramTranslations implements Translations {
  readonly #options: ProgramOptions;
  readonly #slices = new TimeSlices();

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  readonly identity: Translations['identity'] = (languages) => {
    const { modes, environment } = this.#options;
    return identityOfPair(modes, languages, environment);
  };

  readonly isAbsent = async (): Promise<boolean> => false;

  /**
   * A job with its translation; unchanged if nothing has to be translated. Rejects with `CaptionFailure` if the program gives no
   * answers or was changed meanwhile. It also does so if not one line passed the gates: such captions would use up an approval.
   */
  async translated(job: CaptionJob, signal: AbortSignal): Promise<TranslatedJob> {
    const text = await this.#slices.run(textToTranslateOf(job));
    if (text === null) return { job, writes: [] };
    const pair = this.#pairOf(job);
    const asks = await this.#asks(pair, text.lines, signal);
    if (firstDifference(this.#pairOf(job).identity, pair.identity) !== null)
      throw new CaptionFailure('translator', 'model_changed: Apertium or its data changed while it translated');
    const record = {
      prompt: programFormContract,
      configuration: pair.configuration,
      asks,
      identifiedAlone: null,
      gates: gatesOver.program,
    };
    const done = { ...job, translation: await this.#slices.run(translationOf(job, record)) };
    const { lines, result } = await captionsInSlices(done, this.#slices.pause);
    if (result.targetAvailableCount > 0) return { job: done, writes: [] };
    const reasons = new Set(lines.flatMap(({ target }) => target.reasonCode ?? []));
    throw new CaptionFailure('translator', `no line passed the gates: ${[...reasons].join(', ')}`);
  }

  #pairOf({ study, translator }: CaptionJob): InstalledPair {
    const { modes, environment } = this.#options;
    try {
      const pair = pairOfModes(modes, captionInputOf(study), environment);
      if (pair !== null && firstDifference(translator ?? null, pair.identity) === null) return pair;
    } catch (error) {
      if (!(error instanceof PairUnavailable)) throw error;
      throw new CaptionFailure('translator', `tool_missing: ${error.message}`, error);
    }
    throw new CaptionFailure('translator', 'model_changed: Apertium or its data changed after the attempt began');
  }

  async #asks(pair: InstalledPair, lines: readonly SourceLine[], signal: AbortSignal): Promise<TranslationAsk[]> {
    const { launcher, clock } = this.#options;
    const pipe = new ApertiumPipe(pair, { launcher, clock, signal });
    const asks: TranslationAsk[] = [];
    try {
      for (let at = 0; at < lines.length; at += programLimits.batchLines) {
        const asked = lines.slice(at, at + programLimits.batchLines);
        const answers = await answersOf(pipe, asked);
        asks.push({
          lineIds: asked.map(({ id }) => id),
          ...questionDigests(streamQuestion(asked)),
          failure: null,
          ...(await this.#identified(answers, signal)),
          model: pair.identity.model,
          inputTokens: null,
          outputTokens: null,
        });
      }
      return asks;
    } catch (error) {
      if (!(error instanceof PipeFailure)) throw error;
      throw new CaptionFailure('translator', `tool_exit: ${error.message}`, error);
    } finally {
      await pipe.close();
    }
  }

  /** The answers with the language of each, and of all together, by their texts without marks. */
  async #identified(
    answers: readonly ProgramAnswer[],
    signal: AbortSignal,
  ): Promise<Pick<TranslationAsk, 'answers' | 'identified'>> {
    const plain = answers.map(({ line, translation }) => lineOfStream(translation, line.text)?.text ?? '');
    const track = { index: 0, language: null };
    const isEmpty = plain.every((text) => text === '');
    const found = isEmpty ? null : await trackLanguageOf(this.#options.detector, track, plain, signal);
    return {
      answers: answers.map(({ line, translation }, at) => ({
        lineId: line.id,
        source: line.text,
        translation,
        identified: found?.cueCodes[at] ?? null,
      })),
      identified: found?.code ?? null,
    };
  }
}

interface ProgramAnswer {
  readonly line: SourceLine;
  readonly translation: string;
}

/** The answers to some lines; one that cannot be stored is none. */
export async function answersOf(
  pipe: Pick<ApertiumPipe, 'translated'>,
  lines: readonly SourceLine[],
): Promise<ProgramAnswer[]> {
  const answers: ProgramAnswer[] = [];
  for (const line of lines) {
    const translation = await pipe.translated(line.text);
    const isStorable = translation !== null && wellFormedText.max(4096).safeParse(translation).success;
    if (isStorable) answers.push({ line, translation });
  }
  return answers;
}
