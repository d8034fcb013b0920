import { type Chance, chanceOf } from '../../fixtures/chance.ts';
import { editDistance, placesBeside, tokensOf } from '../../rules/text-comparison.ts';
import type { SpeechFilm, SpokenSentence } from './film.ts';

/** A line that an engine wrote, or that was withheld. */
export interface WrittenLine {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
  readonly isWithheld: boolean;
}

/** How well the lines of an engine say what is said in a film. Counts, so that those of several films add up. */
export interface Score {
  readonly words: number;
  /** Edits for each sentence, in the order of the film; what is withheld is missing. */
  readonly edits: readonly { readonly words: number; readonly wrong: number }[];
  /** Sentences in whose time no line is, neither written nor withheld. */
  readonly lost: number;
  readonly rightLines: number;
  readonly rightLinesWithheld: number;
  /** Full stops, question and exclamation marks where a sentence goes on. */
  readonly falseEnds: number;
  /** Words that are written where nobody speaks, and where another language is spoken. */
  readonly invented: number;
  readonly foreign: number;
  /** How far starts of lines are from the starts of the sentences that they begin, in ms. */
  readonly startErrors: readonly number[];
}

const numbers: Readonly<Record<SpeechFilm['language'], string>> = {
  en: 'zero one two three four five six seven eight nine ten eleven twelve',
  es: 'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce',
};

/** In brackets stands what is not said, as "(3 seconds of silence)". */
const unsaid = /\([^)]*\)/g;

/** The words of a text without accents, small numbers as words: the texts of prompts write both. */
function wordsOf(text: string, language: SpeechFilm['language']): string[] {
  const names = numbers[language].split(' ');
  return tokensOf(text.replaceAll(unsaid, ' ').replaceAll('-', ' ')).map(
    (word) => names[/^\d+$/.test(word) ? Number(word) : -1] ?? word.normalize('NFD').replaceAll(/\p{M}/gu, ''),
  );
}

const overlapMs = (one: { startMs: number; endMs: number }, other: { startMs: number; endMs: number }): number =>
  Math.max(0, Math.min(one.endMs, other.endMs) - Math.max(one.startMs, other.startMs));

const nearMs = 500;
const endsSentence = /[.!?…]["'”’)]*$/;

/** Compares the lines of an engine with what is said in a film. */
export function scoreOf(film: SpeechFilm, lines: readonly WrittenLine[]): Score {
  const spoken = film.sentences.filter(({ language, text }) => wordsOf(text, language).length > 0);
  const own = spoken.filter(({ language }) => language === film.language);
  const isForeign = (line: WrittenLine): boolean =>
    !own.some((sentence) => overlapMs(sentence, line) > 0) && spoken.some((sentence) => overlapMs(sentence, line) > 0);
  const isNowhere = (line: WrittenLine): boolean => !spoken.some((each) => overlapMs(each, line) > 0);
  const written = lines.filter(({ isWithheld }) => !isWithheld);
  const counted = (chosen: readonly WrittenLine[]): number =>
    chosen.reduce((sum, { text }) => sum + wordsOf(text, film.language).length, 0);
  const said = written.filter((line) => !isForeign(line));
  const right = lines.filter((line) => isRight(film, own, line));
  return {
    words: own.reduce((sum, { text }) => sum + wordsOf(text, film.language).length, 0),
    ...edited(film, own, said),
    lost: own.filter((sentence) => !lines.some((line) => overlapMs(sentence, line) > 0)).length,
    rightLines: right.length,
    rightLinesWithheld: right.filter(({ isWithheld }) => isWithheld).length,
    invented: counted(written.filter(isNowhere)),
    foreign: counted(written.filter(isForeign)),
    startErrors: said.flatMap((line) => startErrorOf(film, own, line)),
  };
}

/** The edits of each sentence, and the false ends: each word that is written belongs to the sentence that it stands beside. */
function edited(film: SpeechFilm, own: readonly SpokenSentence[], lines: readonly WrittenLine[]) {
  const spoken = own.flatMap(({ text }, at) => wordsOf(text, film.language).map((word) => ({ word, at })));
  const found = lines.flatMap(({ text }) =>
    text.split(/\s+/).flatMap((part) => {
      const words = wordsOf(part, film.language);
      return words.map((word, at) => ({ word, ends: at === words.length - 1 && endsSentence.test(part) }));
    }),
  );
  const places = placesBeside(
    spoken.map(({ word }) => word),
    found.map(({ word }) => word),
  );
  const beside: string[][] = own.map(() => []);
  let [sentence, falseEnds] = [0, 0];
  for (const [at, { word, ends }] of found.entries()) {
    const place = places[at] ?? null;
    sentence = place === null ? sentence : (spoken[place]?.at ?? sentence);
    beside[sentence]?.push(word);
    const isRightWord = place !== null && spoken[place]?.word === word;
    if (isRightWord && ends && spoken[place + 1]?.at === sentence && !endsWithin(own[sentence], word)) falseEnds += 1;
  }
  const edits = own.map(({ text }, at) => {
    const words = wordsOf(text, film.language);
    return { words: words.length, wrong: editDistance(words, beside[at] ?? []) };
  });
  return { edits, falseEnds };
}

/** True if a prompt of several sentences has one that ends with the word. */
const endsWithin = (sentence: SpokenSentence | undefined, word: string): boolean =>
  (sentence?.text ?? '')
    .split(/\s+/)
    .some((part) => endsSentence.test(part) && wordsOf(part, sentence?.language ?? 'en').at(-1) === word);

/** True if the words of a line are said near its time, one after the other. */
function isRight(film: SpeechFilm, own: readonly SpokenSentence[], line: WrittenLine): boolean {
  const near = { startMs: line.startMs - nearMs, endMs: line.endMs + nearMs };
  const said = own.filter((sentence) => overlapMs(sentence, near) > 0);
  const words = wordsOf(line.text, film.language);
  const spoken = said.flatMap(({ text }) => wordsOf(text, film.language));
  return words.length > 0 && ` ${spoken.join(' ')} `.includes(` ${words.join(' ')} `);
}

/** The distance of a line's start from that of the sentence whose first two words it has; none for other lines. */
function startErrorOf(film: SpeechFilm, own: readonly SpokenSentence[], line: WrittenLine): number[] {
  const begin = (text: string): string => wordsOf(text, film.language).slice(0, 2).join(' ');
  const sentence = own.find((each) => overlapMs(each, line) > 0 && begin(each.text) === begin(line.text));
  return sentence === undefined ? [] : [Math.abs(line.startMs - sentence.startMs)];
}

/** Several scores as one. */
export const together = (scores: readonly Score[]): Score => {
  const sum = (key: 'words' | 'lost' | 'rightLines' | 'rightLinesWithheld' | 'falseEnds' | 'invented' | 'foreign') =>
    scores.reduce((total, score) => total + score[key], 0);
  return {
    words: sum('words'),
    edits: scores.flatMap(({ edits }) => edits),
    lost: sum('lost'),
    rightLines: sum('rightLines'),
    rightLinesWithheld: sum('rightLinesWithheld'),
    falseEnds: sum('falseEnds'),
    invented: sum('invented'),
    foreign: sum('foreign'),
    startErrors: scores.flatMap(({ startErrors }) => startErrors),
  };
};

/** The wrong words of each hundred that are said. */
export const wrongPercent = ({ words, edits }: Pick<Score, 'words' | 'edits'>): number =>
  (100 * edits.reduce((sum, { wrong }) => sum + wrong, 0)) / Math.max(1, words);

const draws = 2000;

/**
 * The 95 % interval of how many wrong words of a hundred one engine has more than another, over the same sentences. The sentences are
 * drawn again, with replacement. See Bisani and Ney 2004, "Bootstrap estimates for confidence intervals in ASR performance evaluation".
 */
export function differenceInterval(one: Score, other: Score, chance: Chance = chanceOf(1)): readonly [number, number] {
  const pairs = one.edits.map(({ words, wrong }, at) => ({ words, more: wrong - (other.edits[at]?.wrong ?? 0) }));
  const found = Array.from({ length: draws }, () => {
    let [words, more] = [0, 0];
    for (let draw = 0; draw < pairs.length; draw += 1) {
      const pair = pairs[Math.floor(chance() * pairs.length)];
      words += pair?.words ?? 0;
      more += pair?.more ?? 0;
    }
    return (100 * more) / Math.max(1, words);
  }).sort((a, b) => a - b);
  return [found[Math.floor(0.025 * draws)] ?? 0, found[Math.floor(0.975 * draws)] ?? 0];
}

/** A value of a list at a share of it, 0 for none. */
export const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(share * values.length)] ?? 0;
