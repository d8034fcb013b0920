import { piecesOf } from './segmentation.ts';
import { withSpokenNumbers } from './spoken-numbers.ts';

/** A piece of a script that no line divides: a word with its punctuation, or a sign of a script without spaces. */
export interface ScriptWord {
  readonly text: string;
  /** The line of the file, counted from 1. */
  readonly line: number;
  /** True if a space comes before it. */
  readonly isSpaced: boolean;
  readonly isLone: boolean;
  /** True if another speaker or paragraph begins with it. */
  readonly isApart: boolean;
  /** Its letters as they are compared: in lower case, without accents, numbers in words. */
  readonly letters: readonly string[];
}

/** Words that are looked for together. They are a part of a sentence, or short sentences of one person. */
export interface ScriptPhrase {
  /** Its words: from one to before another. */
  readonly from: number;
  readonly to: number;
  readonly letters: readonly string[];
  /** The number of its sentence, from 0. */
  readonly sentence: number;
}

/** What a script has beside the words that are said. */
export interface ScriptAside {
  readonly line: number;
  readonly kind: 'speaker' | 'direction' | 'heading';
  readonly text: string;
}

export interface Script {
  readonly words: readonly ScriptWord[];
  readonly phrases: readonly ScriptPhrase[];
  readonly asides: readonly ScriptAside[];
}

/** The size of a phrase in letters of an alphabet. A longer one is divided at a clause or a word, a shorter one joined with the next. */
const PHRASE = { least: 16, usual: 40, most: 64 } as const;

/** The longest name of a speaker, in characters and words. */
const NAME = { characters: 40, words: 5 } as const;

/** Marks that change nothing that is said: byte order, direction of writing, joiners, soft hyphens. */
const unseen = /[\uFEFF\u00AD\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069]/gu;

/** Accents of Latin, Greek and Cyrillic, and the points of Arabic and Hebrew: recognizers write them or not. */
const accents = /[\u0300-\u036F\u0591-\u05C7\u064B-\u0652\u0670]/gu;

/** The letters of a text as they are compared with those of another. */
export function comparedLetters(text: string, language: string): string[] {
  const said = withSpokenNumbers(text.normalize('NFKC'), language);
  const plain = said.toLowerCase().normalize('NFD').replace(accents, '').normalize('NFC');
  return plain.match(/[\p{L}\p{M}\p{N}]/gu) ?? [];
}

/** Directions in brackets, of at most 600 characters. */
const brackets = [
  /\([^()]{0,600}\)/gu,
  /\[[^[\]]{0,600}\]/gu,
  /（[^（）]{0,600}）/gu,
  /［[^［］]{0,600}］/gu,
  /【[^【】]{0,600}】/gu,
  /\{[^{}]{0,600}\}/gu,
];

/** A text without what stands in brackets, which keeps its lines; with what was left out. */
function withoutBrackets(text: string): { readonly text: string; readonly asides: ScriptAside[] } {
  const asides: ScriptAside[] = [];
  let kept = text;
  for (const within of brackets) {
    kept = kept.replaceAll(within, (found, at: number) => {
      const line = 1 + (kept.slice(0, at).match(/\n/g)?.length ?? 0);
      const said = found.slice(1, -1).replaceAll(/\s+/gu, ' ').trim();
      if (said !== '') asides.push({ line, kind: 'direction', text: said });
      return found.replaceAll(/[^\n]+/g, ' ');
    });
  }
  return { text: kept, asides };
}

const sceneHeading = /^(?:(?:INT|EXT|EST|I\/E|INT\.?\/EXT)[. ]|(?:ACT|SCENE|CHAPTER|EPISODE|PART)\s+[\dIVXLC]+\b)/u;
const transition =
  /^(?:FADE (?:IN|OUT|TO BLACK)|(?:SMASH |MATCH |JUMP )?CUT TO|DISSOLVE TO|THE END|END CREDITS)\b[^a-z]*$/u;
const titled = /^(?:#{1,6}\s|(?:Act|Scene|Chapter|Episode|Part)\s+[\dIVXLC]+[.:]?(?:\s|$))/u;
/** Rules and numbers of pages between the text. */
const ornament = /^(?:[^\p{L}\p{N}]+|\d{1,4}[.)]?|[-–—]\s*\d{1,4}\s*[-–—])$/u;

const isCapital = (line: string): boolean => /\p{Lu}/u.test(line) && !/\p{Ll}/u.test(line);

const hasNameForm = (name: string): boolean =>
  name.length <= NAME.characters &&
  name.split(/\s+/u).length <= NAME.words &&
  /^\p{L}/u.test(name) &&
  !/[.!?…。！？,;]["'’”»)]*$/u.test(name.replace(/\b\p{L}{1,3}\.$/u, ''));

const speakerBefore = /^\s*([\p{L}\p{N}][^:：]*?)\s*[:：](?=\s|$|[^\d/])\s*/u;

/** A name in capitals or of a script without them, or one that begins several lines. */
function speakerOf(line: string, starts: ReadonlyMap<string, number>): { name: string; rest: string } | null {
  const [prefix, name] = speakerBefore.exec(line) ?? [];
  if (prefix === undefined || name === undefined || !hasNameForm(name)) return null;
  const isTold = isCapital(name) || (starts.get(name) ?? 0) > 1;
  const isUncased = !/[\p{Lu}\p{Ll}]/u.test(name) && [...name].length <= 12;
  return isTold || isUncased ? { name, rest: line.slice(prefix.length) } : null;
}

/** How often each name with a colon begins a line. */
function namesIn(lines: readonly string[]): ReadonlyMap<string, number> {
  const starts = new Map<string, number>();
  for (const line of lines) {
    const name = speakerBefore.exec(line)?.[1];
    if (name !== undefined && hasNameForm(name)) starts.set(name, (starts.get(name) ?? 0) + 1);
  }
  return starts;
}

/** Text that is said, in a line of the file. */
interface SaidLine {
  readonly line: number;
  readonly text: string;
  readonly isApart: boolean;
}

/** `original` has what stands in brackets, too: a name may come before nothing else. */
function readLines(
  text: string,
  original: readonly string[],
): { readonly said: SaidLine[]; readonly asides: ScriptAside[] } {
  const lines = text.split('\n').map((line) => line.trim());
  const starts = namesIn(lines);
  const written = lines.filter((line) => /\p{L}/u.test(line));
  // A script in capitals has no names that differ from the rest by them.
  const tellsCapitals = 2 * written.filter(isCapital).length <= written.length;
  const said: SaidLine[] = [];
  const asides: ScriptAside[] = [];
  let isApart = true;
  for (const [at, line] of lines.entries()) {
    const aside = (kind: ScriptAside['kind'], what: string): void => {
      if (/[\p{L}\p{N}]/u.test(what)) asides.push({ line: at + 1, kind, text: what });
      isApart = true;
    };
    if (line === '' || ornament.test(line)) {
      aside('heading', line);
      continue;
    }
    const isHeading = sceneHeading.test(line) || transition.test(line);
    if (titled.test(line) || (isHeading && (tellsCapitals || !/[.!?]$/u.test(line)))) {
      aside('heading', line);
      continue;
    }
    const isBeforeText = (original[at + 1] ?? '').trim() !== '';
    if (tellsCapitals && isCapital(line) && isBeforeText && hasNameForm(line)) {
      aside('speaker', line);
      continue;
    }
    const speaker = speakerOf(line, starts);
    if (speaker !== null) aside('speaker', speaker.name);
    const rest = (speaker?.rest ?? line).trim();
    if (rest === '') continue;
    said.push({ line: at + 1, text: rest, isApart: isApart || /^[-–—]\s*[\p{L}¿¡"“«]/u.test(rest) });
    isApart = false;
  }
  return { said, asides };
}

const sentenceEnd = /[.!?…。！？؟۔।॥]["'’”»)\]」』]*$/u;
const clauseEnd = /[,;:،、，；：–—]["'’”»)\]」』]*$/u;
/** A short word with a full stop may be one that is cut short: `Mr.` */
const shortened = /^["'“‘(«]*\p{Lu}\p{L}{0,2}\.$/u;

/** The words of each sentence: from one to before another. A script without marks has sentences as long as a phrase. */
function sentencesOf(words: readonly ScriptWord[]): (readonly [from: number, to: number])[] {
  const found: (readonly [number, number])[] = [];
  let from = 0;
  for (const [at, { text }] of words.entries()) {
    const next = words[at + 1];
    const ends = sentenceEnd.test(text) && !(shortened.test(text) && next !== undefined && !next.isApart);
    if (next !== undefined && !next.isApart && !ends) continue;
    found.push([from, at + 1]);
    from = at + 1;
  }
  return found;
}

/** Signs of these scripts stand for about two letters of an alphabet. */
const denseSign = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
const sizeOf = (letters: readonly string[]): number =>
  letters.reduce((sum, letter) => sum + (denseSign.test(letter) ? 2 : 1), 0);

/** Divides the words of a sentence into parts of about the usual length, at clauses if there are any near. */
function partsOf(words: readonly ScriptWord[], from: number, to: number): number[] {
  const lengths = words.slice(from, to).map(({ letters }) => sizeOf(letters));
  let left = lengths.reduce((sum, length) => sum + length, 0);
  const cuts: number[] = [];
  for (let begin = from; left > PHRASE.most; ) {
    const parts = Math.ceil(left / PHRASE.usual);
    const ideal = left / parts;
    let [sum, best, place] = [0, Number.POSITIVE_INFINITY, begin + 1];
    let taken = 0;
    for (let at = begin; at < to - 1; at += 1) {
      sum += lengths[at - from] ?? 0;
      if (sum > PHRASE.most && at > begin) break;
      const cost = Math.abs(sum - ideal) - (clauseEnd.test(words[at]?.text ?? '') ? PHRASE.least : 0);
      if (cost < best) [best, place, taken] = [cost, at + 1, sum];
    }
    if (place >= to || taken === 0) break;
    cuts.push(place);
    left -= taken;
    begin = place;
  }
  return cuts;
}

function phrasesOf(words: readonly ScriptWord[]): ScriptPhrase[] {
  const phrases: ScriptPhrase[] = [];
  const add = (from: number, to: number, sentence: number): void => {
    const letters = words.slice(from, to).flatMap((word) => word.letters);
    const last = phrases.at(-1);
    const [size, before] = [sizeOf(letters), sizeOf(last?.letters ?? [])];
    const joins = last !== undefined && (before < PHRASE.least || size < PHRASE.least / 2);
    if (joins && words[from]?.isApart === false && before + size <= PHRASE.most) {
      phrases[phrases.length - 1] = { ...last, to, letters: [...last.letters, ...letters] };
    } else if (letters.length > 0) phrases.push({ from, to, letters, sentence });
  };
  for (const [sentence, [from, to]] of sentencesOf(words).entries()) {
    const cuts = [from, ...partsOf(words, from, to), to];
    for (const [at, place] of cuts.slice(0, -1).entries()) add(place, cuts[at + 1] ?? to, sentence);
  }
  // A text without marks and paragraphs has no sentences: each phrase is one.
  const sentences = new Set(phrases.map(({ sentence }) => sentence)).size;
  const isUnmarked = phrases.length > 4 * sentences;
  return isUnmarked ? phrases.map((phrase, sentence) => ({ ...phrase, sentence })) : phrases;
}

/** Opening dashes, bullets and notes of music are not said. */
const lead = /^(?:[-–—•*♪♫#>]+\s*)+|[♪♫]/gu;

/**
 * Reads a script: the words that are said, in phrases, and what stands beside them. Names of speakers (`ANNA:`, `ANNA (V.O.)`),
 * directions in brackets and headings are left out. `language` is the tag of its language.
 */
export function readScript(text: string, language: string): Script {
  const plain = text
    .normalize('NFC')
    .replaceAll(/\r\n?/g, '\n')
    .replace(unseen, '')
    .replaceAll(/[\t\f\v]/g, ' ');
  const { text: kept, asides } = withoutBrackets(plain);
  const read = readLines(kept, plain.split('\n'));
  const words: ScriptWord[] = [];
  for (const { line, text: said, isApart } of read.said) {
    let isFirst = true;
    for (const { from: _, ...piece } of piecesOf(said.replace(lead, ''))) {
      const begins: boolean = isFirst && isApart;
      const last = words.at(-1);
      const isDense = isFirst && last !== undefined && !isBetweenWords(last.text, piece.text);
      const letters = comparedLetters(piece.text, language);
      words.push({ ...piece, line, isSpaced: isFirst ? !isDense : piece.isSpaced, isApart: begins, letters });
      isFirst = false;
    }
  }
  const inOrder = [...asides, ...read.asides].sort((one, other) => one.line - other.line);
  return { words, phrases: phrasesOf(words), asides: inOrder };
}

const unspaced =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}。、！？」』]/u;

/** True if lines of the file have a space between them when they are joined. */
const isBetweenWords = (before: string, after: string): boolean =>
  !(unspaced.test([...before].at(-1) ?? '') && unspaced.test([...after][0] ?? ''));
