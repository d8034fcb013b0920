import { z } from 'zod';
import type { LineTranslator } from '../../actors/engines/engine-choices.ts';
import { messageOf } from '../../contract/base/errors.ts';
import { EngineRefusal } from './engine-refusal.ts';

/**
 * Nine short lines, written for this program. Each has a number of its own, so that a line in the place of another is seen in every
 * language.
 */
const linesIn: Readonly<Record<string, readonly string[]>> = {
  en: [
    'The train leaves at 7.',
    'I have 12 books at home.',
    'The house has 3 doors.',
    'We are waiting for 25 friends.',
    'The street is closed until 9.',
    'My brother is 31 years old.',
    'There are 48 chairs in the room.',
    'The bridge is 60 meters long.',
    'It rained for 14 days.',
  ],
  es: [
    'El tren sale a las 7.',
    'Tengo 12 libros en casa.',
    'La casa tiene 3 puertas.',
    'Esperamos a 25 amigos.',
    'La calle está cerrada hasta las 9.',
    'Mi hermano tiene 31 años.',
    'Hay 48 sillas en la sala.',
    'El puente tiene 60 metros.',
    'Llovió durante 14 días.',
  ],
  pt: [
    'O comboio sai às 7.',
    'Tenho 12 livros em casa.',
    'A casa tem 3 portas.',
    'Esperamos 25 amigos.',
    'A rua está fechada até às 9.',
    'O meu irmão tem 31 anos.',
    'Há 48 cadeiras na sala.',
    'A ponte tem 60 metros.',
    'Choveu durante 14 dias.',
  ],
  ca: [
    'El tren surt a les 7.',
    'Tinc 12 llibres a casa.',
    'La casa té 3 portes.',
    'Esperem 25 amics.',
    'El carrer és tancat fins a les 9.',
    'El meu germà té 31 anys.',
    'Hi ha 48 cadires a la sala.',
    'El pont té 60 metres.',
    'Va ploure durant 14 dies.',
  ],
  fr: [
    'Le train part à 7 heures.',
    "J'ai 12 livres à la maison.",
    'La maison a 3 portes.',
    'Nous attendons 25 amis.',
    "La rue est fermée jusqu'à 9 heures.",
    'Mon frère a 31 ans.',
    'Il y a 48 chaises dans la salle.',
    'Le pont a 60 mètres.',
    'Il a plu pendant 14 jours.',
  ],
  it: [
    'Il treno parte alle 7.',
    'Ho 12 libri a casa.',
    'La casa ha 3 porte.',
    'Aspettiamo 25 amici.',
    'La strada è chiusa fino alle 9.',
    'Mio fratello ha 31 anni.',
    'Ci sono 48 sedie nella sala.',
    'Il ponte ha 60 metri.',
    'Ha piovuto per 14 giorni.',
  ],
};

/** The length of the film by which a person judges a speed: a quarter of an hour of dialogue. */
const filmLines = 88;

/** Below this share of answered lines, or of lines with their own number, a translator is of no use. The number is a choice. */
const leastShare = 0.5;

/** The result of a trial of a translator with known lines. */
export const translatorTestResult = z.strictObject({
  /** Languages in tags. */
  from: z.string(),
  to: z.string(),
  lines: z.number().int().positive(),
  answered: z.number().int().nonnegative(),
  /** Lines whose translation is the source itself. */
  unchanged: z.number().int().nonnegative(),
  /** Lines whose translation has their number. */
  numbersKept: z.number().int().nonnegative(),
  /** True if every answer had the form that was asked for; null for a translator that is asked for none. */
  isSchemaKept: z.boolean().nullable(),
  /** True if the model wrote thoughts before an answer; null for a translator that has none. */
  isThinking: z.boolean().nullable(),
  /** Null for a translator that counts none. */
  tokensPerSecond: z.number().nonnegative().nullable(),
  /** Milliseconds for the first line, with the loading of the model or of the dictionaries; and for eight lines behind it. */
  firstLineMs: z.number().nonnegative(),
  eightLinesMs: z.number().nonnegative(),
  /** Seconds for a film of 88 lines. */
  filmSeconds: z.number().nonnegative(),
  /** The first line as it was translated. */
  text: z.string(),
});

export type TranslatorTestResult = z.infer<typeof translatorTestResult>;

/** Milliseconds for a line behind the first, each asked for once. */
export const msPerLineOf = ({ eightLinesMs, lines }: TranslatorTestResult): number => eightLinesMs / (lines - 1);

const numberIn = (text: string): string => /\d+/.exec(text)?.[0] ?? '';

/** True if the number of a line is in a translation, and not as a part of another number. */
const hasNumber = (translation: string, number: string): boolean => translation.split(/\D+/).includes(number);

/**
 * Tries a translator with one line, then with eight, through the request that captions use. `now` is a time in ms. Rejects with
 * `engine_failed`, `nothing_translated`, `not_translated` or `lines_exchanged` for one that cannot work.
 */
export async function translatorTested(
  translator: LineTranslator,
  now: () => number,
  signal: AbortSignal,
): Promise<TranslatorTestResult> {
  const { from, to, asksPerLine } = translator;
  const [first = '', ...others] = linesIn[from.split('-')[0] ?? ''] ?? linesIn.en ?? [];
  const asked = async (lines: readonly string[]) => {
    const begun = now();
    try {
      const answer = await translator.translate(lines, signal);
      return { ...answer, ms: now() - begun };
    } catch (error) {
      signal.throwIfAborted();
      throw new EngineRefusal('engine_failed', messageOf(error), error);
    }
  };
  const one = await asked([first]);
  const eight = await asked(others);
  const answers = [...one.translations, ...eight.translations];
  const pairs = [first, ...others].map((source, at) => ({ source, translation: answers[at] ?? '' }));
  const answered = pairs.filter(({ translation }) => translation.trim() !== '');
  const kept = answered.filter(({ source, translation }) => hasNumber(translation, numberIn(source)));
  const unchanged = answered.filter(({ source, translation }) => source === translation.trim());
  const [shown] = answered;
  if (shown === undefined || answered.length < leastShare * pairs.length) {
    throw new EngineRefusal(
      'nothing_translated',
      `it answered ${answered.length} of ${pairs.length} lines from ${from} to ${to}`,
    );
  }
  if (unchanged.length === answered.length) {
    throw new EngineRefusal('not_translated', `it gave every line back as it was, such as "${shown.translation}"`);
  }
  if (kept.length < leastShare * answered.length) {
    throw new EngineRefusal(
      'lines_exchanged',
      `only ${kept.length} of ${answered.length} translations have the number of their line: it exchanges, joins or rewrites lines`,
    );
  }
  const both = [one, eight];
  const tokens = both.reduce<number | null>(
    (sum, { outputTokens }) => (sum === null || outputTokens === null ? null : sum + outputTokens),
    0,
  );
  const seconds = (one.ms + eight.ms) / 1000;
  return {
    from,
    to,
    lines: pairs.length,
    answered: answered.length,
    unchanged: unchanged.length,
    numbersKept: kept.length,
    isSchemaKept: allOf(both.map(({ isSchemaKept }) => isSchemaKept)),
    isThinking: anyOf(both.map(({ isThinking }) => isThinking)),
    tokensPerSecond: tokens === null || seconds === 0 ? null : tokens / seconds,
    firstLineMs: one.ms,
    eightLinesMs: eight.ms,
    filmSeconds: (one.ms + (filmLines / others.length) * asksPerLine * eight.ms) / 1000,
    text: shown.translation,
  };
}

const allOf = (values: readonly (boolean | null)[]): boolean | null =>
  values.some((value) => value === null) ? null : values.every((value) => value === true);

const anyOf = (values: readonly (boolean | null)[]): boolean | null =>
  values.some((value) => value === null) ? null : values.some((value) => value === true);

/** A length of time as a person says it. */
function aboutText(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} second${Math.round(seconds) > 1 ? 's' : ''}`;
  return `${Math.round(seconds / 60)} minutes`;
}

/** A result as lines for people. */
export const translatorTestLines = (result: TranslatorTestResult): readonly string[] => [
  `${result.from} to ${result.to}: ${result.answered} of ${result.lines} lines translated, such as "${result.text}"; numbers kept in ${result.numbersKept}`,
  ...(result.isSchemaKept === null
    ? []
    : [
        `form of answers kept: ${result.isSchemaKept ? 'yes' : 'no'}; thinks before it answers: ${result.isThinking === true ? 'yes' : 'no'}`,
      ]),
  ...(result.tokensPerSecond === null ? [] : [`speed: ${result.tokensPerSecond.toFixed(1)} tokens a second`]),
  `first line after ${(result.firstLineMs / 1000).toFixed(1)} s; ${filmLines} lines take about ${aboutText(result.filmSeconds)}`,
];
