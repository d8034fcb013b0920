import { scriptOf } from './carried-words.ts';
import { digitNumbersOf } from './digit-numbers.ts';
import { numberWordsOf } from './number-words.ts';
import { consonantsOf, latinWords } from './written-sound.ts';

/**
 * What a line and its translation have in common without being understood: words that begin with the same four letters, which
 * are mostly cognates or names (Simard, Foster and Isabelle, "Using cognates to align sentences in bilingual corpora", 1992), in two
 * scripts words of the same first consonants, and numbers. A translation that has more in common with another line stands in the
 * wrong place. Both bounds are choices; `docs/evaluation.md` says what they find.
 */
export const ANCHOR_RULE = {
  letters: 4,
  /** Of a word in another script: how many consonants it has at least, and how many are compared. */
  fewestConsonants: 3,
  comparedConsonants: 4,
  /** By how many anchors another place has to fit better: before a line is asked again, and before it is withheld. */
  doubtful: 1,
  withheld: 2,
  /** How far apart two lines are that may have been exchanged. */
  reachLines: 7,
} as const;

/** A line with its translation. */
export interface AnchoredLine {
  readonly id: string;
  readonly source: string;
  readonly translation: string;
}

interface Anchors {
  readonly keys: ReadonlySet<string>;
  readonly isQuestion: boolean;
}

/** By what a word is found again in another language; null where it is too short. */
function keyOf(word: string, isAcross: boolean): string | null {
  const { letters, fewestConsonants, comparedConsonants } = ANCHOR_RULE;
  if (!isAcross) return word.length < letters ? null : word.slice(0, letters);
  const consonants = consonantsOf(word);
  return consonants.length < fewestConsonants ? null : consonants.slice(0, comparedConsonants);
}

const asks = (text: string, language: string): boolean =>
  (language.startsWith('el') ? /[;;?]/u : /[?？؟]/u).test(text.trim().slice(-3));

function anchorsOf(text: string, language: string, isAcross: boolean): Anchors {
  const words = latinWords(text).flatMap((word) => keyOf(word, isAcross) ?? []);
  const numbers = [...digitNumbersOf(text), ...(numberWordsOf(text, language) ?? []).map(String)];
  return { keys: new Set([...words, ...numbers]), isQuestion: asks(text, language) };
}

/** How much each translation has in common with each source. */
class Fit {
  readonly #sources: readonly Anchors[];
  readonly #translations: readonly Anchors[];

  constructor(lines: readonly AnchoredLine[], languages: { readonly source: string; readonly target: string }) {
    const isAcross = scriptOf(languages.source) !== scriptOf(languages.target);
    this.#sources = lines.map(({ source }) => anchorsOf(source, languages.source, isAcross));
    this.#translations = lines.map(({ translation }) => anchorsOf(translation, languages.target, isAcross));
  }

  /** The anchors that the source at one place shares with the translation at another. */
  of(source: number, translation: number): number {
    const [one, other] = [this.#sources[source]?.keys, this.#translations[translation]?.keys];
    return one === undefined || other === undefined ? 0 : [...one].filter((key) => other.has(key)).length;
  }

  /** Of two lines, whether one alone asks, and the other one's translation alone does: both would have the right kind exchanged. */
  asksCrosswise(one: number, other: number): boolean {
    const [first, second] = [this.#sources[one]?.isQuestion, this.#sources[other]?.isQuestion];
    const [firstSaid, secondSaid] = [this.#translations[one]?.isQuestion, this.#translations[other]?.isQuestion];
    return first !== second && first === secondSaid && second === firstSaid;
  }
}

/**
 * Lines whose translations have clearly more in common with other lines, by at least `least` anchors: two that were exchanged, or
 * all of a run that was moved by one. In order of the lines; the ids of those that are affected.
 */
export function misplacedLines(
  lines: readonly AnchoredLine[],
  languages: { readonly source: string; readonly target: string },
  least: number,
): ReadonlySet<string> {
  const fit = new Fit(lines, languages);
  const found = new Set<string>();
  const add = (...places: readonly number[]): void => {
    for (const at of places) {
      const line = lines[at];
      if (line !== undefined) found.add(line.id);
    }
  };
  for (const [one] of lines.entries()) {
    for (let other = one + 1; other < lines.length && other - one <= ANCHOR_RULE.reachLines; other += 1) {
      const own = fit.of(one, one) + fit.of(other, other);
      const exchanged = fit.of(one, other) + fit.of(other, one);
      if (exchanged + (fit.asksCrosswise(one, other) ? 2 : 0) - own >= least) add(one, other);
    }
  }
  for (const step of [1, -1]) {
    for (const at of lines.keys()) {
      const run = [at, at + 1, at + 2].filter(
        (place) => lines[place] !== undefined && lines[place + step] !== undefined,
      );
      const sum = (by: number): number => run.reduce((total, place) => total + fit.of(place + by, place), 0);
      if (run.length === 3 && sum(step) - sum(0) >= least) add(...run);
    }
  }
  return found;
}
