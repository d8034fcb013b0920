import type { Terminal } from './terminal.ts';

type Asking = Pick<Terminal, 'ask' | 'remark'>;

/** Something that a person can read before they answer. */
export interface Shown {
  /** The word that a person types, in small letters. */
  readonly word: string;
  /** Its purpose, such as `to read all 24 lines`. */
  readonly meaning: string;
  show(): void;
}

const answers: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['y', true],
  ['no', false],
  ['n', false],
]);

/** Words as a sentence lists them: `a, b or c`. */
export const listed = (words: readonly string[], before: 'and' | 'or'): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} ${before} ${words.at(-1)}`;

/**
 * Asks the person at the terminal a question of yes or no, until there is an answer: `y` and `yes` agree, `n` and `no` refuse, in any
 * case. The words of `shown` show something first. The end of the input is a no. Throws `Interrupted`.
 */
export async function isAgreed(terminal: Asking, question: string, shown: readonly Shown[] = []): Promise<boolean> {
  const more = shown.map(({ word, meaning }) => `${word} ${meaning}`);
  const asked = `${question} ${more.length === 0 ? '[yes/no]' : `Type yes, or type ${more.join(', ')}:`} `;
  for (;;) {
    const typed = await terminal.ask(asked);
    if (typed === null) return false;
    const word = typed.toLowerCase();
    const answer = answers.get(word);
    if (answer !== undefined) return answer;
    const chosen = shown.find((each) => each.word === word);
    if (chosen === undefined)
      terminal.remark(`Please type ${listed(['yes', 'no', ...shown.map((each) => each.word)], 'or')}.`);
    else chosen.show();
  }
}

/**
 * Asks for a text that must not be empty, until `faultOf` finds nothing wrong with it. Null at the end of the input. Throws
 * `Interrupted`.
 */
export async function textAnswer(
  terminal: Asking,
  question: string,
  faultOf: (text: string) => string | null = () => null,
): Promise<string | null> {
  for (;;) {
    const text = await terminal.ask(`${question} `);
    if (text === null) return null;
    const fault = text === '' ? null : faultOf(text);
    if (text !== '' && fault === null) return text;
    if (fault !== null) terminal.remark(fault);
  }
}

/** An answer of a person that holds for several things: one question is enough. */
export class SharedAnswer<Answer> {
  readonly #about: (first: string) => string;
  #answer: Promise<Answer> | null = null;

  /** `about` names all the things, such as `these 3 films`, by the first of them. */
  constructor(about: (first: string) => string) {
    this.#about = about;
  }

  /** The answer; the first call asks for it. A refusal holds as well. */
  by(first: string, ask: (about: string) => Promise<Answer>): Promise<Answer> {
    this.#answer ??= ask(this.#about(first));
    return this.#answer;
  }
}
