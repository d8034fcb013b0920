import type { KeptParts, PartInput } from '../../actors/study/kept-windows.ts';
import type { Range } from '../../contract/base/grammar.ts';
import type { SpokenLanguage } from '../../contract/evidence/evidence.ts';
import { type HeardLanguage, heardLanguage } from '../../contract/recognition.ts';
import { ProcessFailure } from '../../executors/process/process.ts';
import { RecognitionFailure, type Recognizer, type RegionSound } from '../../executors/recognition/recognizer.ts';
import type { RecognizedWindow } from '../../rules/recognition.ts';
import { isLanguageDoubtful, isLongEnough } from '../../rules/spoken-language.ts';

/** How the ledger keeps the heard languages. One that was not stated is asked for again by the next work. */
export const keptLanguages: ConstructorParameters<typeof KeptParts<HeardLanguage | null>>[1] = {
  operation: 'semantic.recognize.language',
  field: 'heard',
  part: heardLanguage.nullable(),
  isWhole: (heard) => heard !== null,
};

/** Everything that the question for the language of a piece needs beside the piece. */
interface LanguageQuestion {
  readonly recognizer: Pick<Recognizer, 'heardLanguage'>;
  readonly input: PartInput;
  /** The language that the recognizer was told; null if it was told none. */
  readonly asked: string | null;
  readonly sound: (piece: Range) => Promise<RegionSound>;
  readonly kept: () => void;
  readonly signal: AbortSignal;
}

/**
 * For each region of a window the language that its recognizer hears, as its answer states it, else by a question whose answer is kept. It is
 * asked for the window. Only if that leaves a doubt, so that there may be two languages in it, it is asked for each longer region.
 * Undefined if there is no line to judge, if no language was asked for, and if the recognizer does not say. Rejects with the reason of
 * `signal`.
 */
export async function languagesHeardIn(
  languages: KeptParts<HeardLanguage | null>,
  question: LanguageQuestion,
  { raw, regions, startMs, endMs }: RecognizedWindow,
): Promise<readonly SpokenLanguage[] | undefined> {
  const { asked, recognizer } = question;
  if (asked === null || raw.lines.length === 0) return undefined;
  const stated = raw.spoken ?? (await answered(languages, question, { startMs, endMs }));
  if (stated === null) return undefined;
  const whole = { ...stated, startMs, endMs };
  if (regions.length === 1 || recognizer.heardLanguage === undefined || !isLanguageDoubtful(whole, asked))
    return regions.map(() => whole);
  const found: SpokenLanguage[] = [];
  for (const region of regions) {
    const own = isLongEnough(region) ? await answered(languages, question, region) : null;
    found.push(own === null ? whole : { ...own, startMs: region.startMs, endMs: region.endMs });
  }
  return found;
}

/** The kept answer for a piece, or that of the recognizer; null if it has none. */
async function answered(
  languages: KeptParts<HeardLanguage | null>,
  { recognizer: { heardLanguage: hear }, input, sound, kept, signal }: LanguageQuestion,
  { startMs, endMs }: Range,
): Promise<HeardLanguage | null> {
  if (hear === undefined) return null;
  const piece = { startMs, endMs };
  const make = async () => hear(await sound(piece), signal);
  try {
    return await languages.of(input, piece, { make, kept, signal });
  } catch (error) {
    signal.throwIfAborted();
    // The lines are there, and a program without this question is as good as it was without the answer.
    if (error instanceof RecognitionFailure || error instanceof ProcessFailure) return null;
    throw error;
  }
}
