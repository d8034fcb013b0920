import type { Steps } from '../../formats/steps.ts';
import { comparedSigns, editDistance, lettersOf, likenessAt } from '../text-comparison.ts';

/** A line whose answer passed by itself. */
export interface TranslatedLine {
  readonly line: { readonly id: string; readonly text: string };
  readonly translation: string;
}

/**
 * A translation of fewer letters may be that of several lines. Lines whose sources are as alike as `sourceLikeness` may have one
 * translation. Both are choices.
 */
interface RepetitionRule {
  readonly leastLetters: number;
  readonly sourceLikeness: number;
}

/** The words of a text in lower case, parted by single spaces. */
export const plainWordsOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** A source as it is compared. */
interface Source {
  /** Its words, with a space on both sides. */
  readonly words: string;
  readonly signs: readonly string[];
  /** From the last sign on. */
  readonly backwards: readonly string[];
  /** The words of the signs, each with its length. */
  readonly columns: readonly Column[];
}

/** A word in one place of several sources, or the length of the longest one there. */
interface Column {
  readonly word: string | null;
  readonly longest: number;
}

function sourceOf(text: string): Source {
  const signs = comparedSigns(text);
  const columns = signs
    .join('')
    .split(' ')
    .map((word) => ({ word, longest: [...word].length }));
  return { words: ` ${plainWordsOf(text)} `, signs, backwards: signs.toReversed(), columns };
}

/** True if one source has all words of the other, too: the same twice, or two lines in one. */
const holds = (outer: Source, inner: Source): boolean => outer.words.includes(inner.words);

const distanceBetween = (one: Source, other: Source): number => editDistance(one.signs, other.signs);

/** Lines whose translations have the same words. */
interface Repetition {
  /** The words of the translation, each with a space behind it. */
  readonly words: string;
  readonly lines: { readonly id: string; readonly source: Source; readonly isJudged: boolean }[];
}

/** The lines by the words of their translations. Translations without words repeat nothing. */
function* repetitionsOf(passed: readonly TranslatedLine[], { leastLetters }: RepetitionRule): Steps<Repetition[]> {
  const sources = new Map<string, Source>();
  const repetitions = new Map<string, Repetition>();
  for (const { line, translation } of passed) {
    const source = sources.get(line.text) ?? sourceOf(line.text);
    sources.set(line.text, source);
    const words = `${plainWordsOf(translation)} `;
    const repetition = repetitions.get(words) ?? { words, lines: [] };
    repetitions.set(words, repetition);
    repetition.lines.push({ id: line.id, source, isJudged: lettersOf(translation).length >= leastLetters });
    yield;
  }
  repetitions.delete(' ');
  return [...repetitions.values()];
}

/** The length of the common beginning of two texts. */
function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}

/**
 * Finds for a text every one of many others whose words it has. The others are in order. All that begin a text are in one chain.
 * It begins with the last one that is not behind the text, and leads from each to the longest one that begins it.
 */
class WordIndex<Entry extends { readonly words: string }> {
  readonly #entries: readonly Entry[];
  /** The place of the longest other entry that each one begins with; -1 for none. */
  readonly #beginnings: readonly number[];

  constructor(entries: readonly Entry[]) {
    this.#entries = entries.toSorted((one, other) => (one.words < other.words ? -1 : 1));
    const open: number[] = [];
    this.#beginnings = this.#entries.map(({ words }, place) => {
      while (open.length > 0 && !words.startsWith(this.#entries[open.at(-1) ?? 0]?.words ?? '')) open.pop();
      open.push(place);
      return open.at(-2) ?? -1;
    });
  }

  /** The entries that are within the text from one word to another, the whole text included. */
  *within(text: string): Steps<Set<Entry>> {
    const found = new Set<Entry>();
    for (let from = 0; from < text.length; from = text.indexOf(' ', from) + 1) {
      const rest = text.slice(from);
      let place = this.#lastUpTo(rest);
      const common = commonLength(this.#entries[place]?.words ?? '', rest);
      while (place >= 0) {
        const entry = this.#entries[place];
        // Whatever begins an entry that was found was found with it.
        if (entry === undefined || found.has(entry)) break;
        if (entry.words.length <= common) found.add(entry);
        place = this.#beginnings[place] ?? -1;
      }
      yield;
    }
    return found;
  }

  /** The place of the last entry that is not behind a text; -1 for none. */
  #lastUpTo(text: string): number {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle]?.words ?? '') <= text) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** The common beginning of two lists. */
function commonBeginning(one: readonly string[], other: readonly string[]): readonly string[] {
  const end = one.findIndex((sign, at) => sign !== other[at]);
  return end === -1 ? one : one.slice(0, end);
}

/** The common part of sources, word by word; null if they differ in the number of words. */
function commonColumns(columns: readonly Column[] | null, others: readonly Column[]): readonly Column[] | null {
  if (columns?.length !== others.length) return null;
  return columns.map((column, at) => {
    const other = others[at] ?? column;
    const longest = Math.max(column.longest, other.longest);
    return { word: column.word === other.word ? column.word : null, longest };
  });
}

/** The part that sources have in common. */
interface Common {
  readonly lengths: { readonly shortest: number; readonly longest: number };
  readonly beginning: readonly string[];
  /** From the last sign on. */
  readonly ending: readonly string[];
  readonly columns: readonly Column[] | null;
}

/** In steps, one for each source. */
function* commonPartOf(sources: readonly Source[]): Steps<Common> {
  let [shortest, longest] = [Number.POSITIVE_INFINITY, 0];
  let { signs: beginning = [], backwards: ending = [] }: Partial<Source> = sources[0] ?? {};
  let columns = sources[0]?.columns ?? null;
  for (const { signs, backwards, columns: own } of sources) {
    yield;
    columns = commonColumns(columns, own);
    shortest = Math.min(shortest, signs.length);
    longest = Math.max(longest, signs.length);
    beginning = commonBeginning(beginning, signs);
    ending = commonBeginning(ending, backwards);
  }
  return { lengths: { shortest, longest }, beginning, ending, columns };
}

/** The most frequent sign in each place of sources, as far as half of them are long. In steps, one for each source. */
function* middleOf(sources: readonly Source[]): Steps<readonly string[]> {
  const places: Map<string, number>[] = [];
  for (const { signs } of sources) {
    yield;
    for (const [at, sign] of signs.entries()) {
      const counts = places[at] ?? new Map<string, number>();
      places[at] = counts.set(sign, (counts.get(sign) ?? 0) + 1);
    }
  }
  const middle: string[] = [];
  for (const counts of places) {
    yield;
    let [reached, most, frequent] = [0, 0, ''];
    for (const [sign, count] of counts) {
      reached += count;
      if (count > most) [most, frequent] = [count, sign];
    }
    if (2 * reached < sources.length) break;
    middle.push(frequent);
  }
  return middle;
}

/** A text, and the most that any of the sources that were compared with it differs from it. */
interface Center {
  readonly signs: readonly string[];
  readonly farthest: number;
  /** Those that were not compared with it: they may differ from it as much as they do. */
  readonly apart: Source[];
}

/** The most that a source can differ from any of those with these columns. */
function mostBetween({ columns }: Source, common: readonly Column[] | null): number {
  const joined = commonColumns(common, columns);
  if (joined === null) return Number.POSITIVE_INFINITY;
  return joined.reduce((sum, { word, longest }) => sum + (word === null ? longest : 0), 0);
}

/**
 * Sources among which one is sought that is unlike another. A source that is like all of them need not be compared with each. An
 * edit distance is at most the sum of those to a third text, and of those of their words. It is also at most what is left of the
 * longer text without a common beginning and end. The third text is that of the most frequent signs: no source need be it.
 */
class Sources {
  readonly #members: Source[];
  readonly #leastLikeness: number;
  /** Null for a first source, which is compared with each. */
  #common: Common | null = null;
  #isFirst = true;
  /** Null until a second source follows one that no member is unlike. Many sets are compared with one source alone. */
  #middle: Center | null = null;
  /** Of the sources that were compared with the members, the one with the fewest members apart, whose farthest other is nearest. */
  #center: Center | null = null;

  constructor(members: ReadonlySet<Source>, leastLikeness: number) {
    this.#members = [...members];
    this.#leastLikeness = leastLikeness;
  }

  /** True if a member is unlike a source, and not one that may be so, as `isAllowed` says. */
  *hasUnlike(source: Source, isAllowed: (member: Source) => boolean): Steps<boolean> {
    if (!this.#isFirst) {
      this.#common ??= yield* commonPartOf(this.#members);
      if (this.#areAllLike(source, this.#common)) return false;
    }
    this.#isFirst = false;
    if (this.#center !== null) this.#middle ??= yield* this.#middleBeside(this.#center.apart);
    const near = this.#nearCenter(source);
    const asked = near?.apart ?? this.#members;
    const apart: Source[] = [];
    let farthest = 0;
    for (const [place, member] of asked.entries()) {
      yield;
      if (member === source) continue;
      // It may be as far as it wants, so a distance that has it would promise nothing about the others.
      if (isAllowed(member)) {
        apart.push(member);
        continue;
      }
      const longer = Math.max(source.signs.length, member.signs.length);
      const shorter = Math.min(source.signs.length, member.signs.length);
      const isFar = likenessAt(longer - shorter, longer) < this.#leastLikeness;
      const distance = isFar ? longer : distanceBetween(source, member);
      farthest = Math.max(farthest, distance);
      if (likenessAt(distance, longer) >= this.#leastLikeness) continue;
      // A member that is unlike one source is probably unlike the next: such members come first from now on.
      if (place > 0) asked.unshift(...asked.splice(place, 1));
      return true;
    }
    if (near === null) this.#keepCenter({ signs: source.signs, farthest, apart });
    return false;
  }

  #keepCenter(center: Center): void {
    const known = this.#center;
    const fewer = known === null ? 1 : known.apart.length - center.apart.length;
    if (fewer > 0 || (fewer === 0 && center.farthest < (known?.farthest ?? 0))) this.#center = center;
  }

  *#middleBeside(apart: readonly Source[]): Steps<Center> {
    const left = new Set(apart);
    const members = this.#members.filter((member) => !left.has(member));
    const signs = yield* middleOf(members);
    let farthest = 0;
    for (const member of members) {
      yield;
      farthest = Math.max(farthest, editDistance(signs, member.signs));
    }
    return { signs, farthest, apart: [...apart] };
  }

  #areAllLike(source: Source, common: Common): boolean {
    const { length } = source.signs;
    const { lengths, columns } = common;
    const [shortest, longest] = [Math.min(lengths.shortest, length), Math.max(lengths.longest, length)];
    const beginning = commonBeginning(common.beginning, source.signs).length;
    const ending = commonBeginning(common.ending, source.backwards).length;
    const shared = Math.min(beginning + ending, shortest);
    if (likenessAt(longest - shared, longest) >= this.#leastLikeness) return true;
    return this.#isWithin(mostBetween(source, columns), source);
  }

  /** The center by which a source is like all members but those apart from it; null if neither says so. */
  #nearCenter(source: Source): Center | null {
    const near = [this.#middle, this.#center].filter(
      (center): center is Center =>
        center !== null && this.#isWithin(editDistance(source.signs, center.signs) + center.farthest, source),
    );
    return near.toSorted((one, other) => one.apart.length - other.apart.length)[0] ?? null;
  }

  /** True if a source is like every text that differs from it by at most so much. */
  #isWithin(most: number, { signs }: Source): boolean {
    return likenessAt(most, Math.max(1, signs.length)) >= this.#leastLikeness;
  }
}

/** Translations of which one has all words of the other. */
interface Kin {
  /** Those whose words it has, itself included. */
  readonly inner: Set<Repetition>;
  /** Those that have its words, itself included. */
  readonly outer: Repetition[];
}

function* kinOf(repetitions: readonly Repetition[]): Steps<ReadonlyMap<Repetition, Kin>> {
  const index = new WordIndex(repetitions.filter(({ lines }) => lines.some(({ isJudged }) => isJudged)));
  yield;
  const kin = new Map<Repetition, Kin>();
  for (const repetition of repetitions)
    kin.set(repetition, { inner: yield* index.within(repetition.words), outer: [] });
  for (const [repetition, { inner }] of kin) for (const each of inner) kin.get(each)?.outer.push(repetition);
  return kin;
}

const linesOf = (repetitions: Iterable<Repetition>): Repetition['lines'] =>
  [...repetitions].flatMap(({ lines }) => lines);

/** The ids of lines whose sources are unlike one among others; lines with one source are compared once. */
function* unlikeOnes(
  lines: Repetition['lines'],
  others: Repetition['lines'],
  { sourceLikeness }: RepetitionRule,
  isAllowed: (source: Source, other: Source) => boolean,
): Steps<string[]> {
  if (lines.length === 0 || others.length === 0) return [];
  const sources = new Sources(new Set(others.map(({ source }) => source)), sourceLikeness);
  yield;
  const known = new Map<Source, boolean>();
  const unlike: string[] = [];
  for (const { id, source } of lines) {
    yield;
    const isUnlike = known.get(source) ?? (yield* sources.hasUnlike(source, (other) => isAllowed(source, other)));
    known.set(source, isUnlike);
    if (isUnlike) unlike.push(id);
  }
  return unlike;
}

/**
 * Lines whose translation has all words of another line's, although their sources differ: the same twice, or two lines in one. Only
 * lines that share words are compared, and each until it meets one difference. Returns the ids of both lines.
 */
export function* repeatedTranslations(
  passed: readonly TranslatedLine[],
  rule: RepetitionRule,
): Steps<ReadonlySet<string>> {
  const repetitions = yield* repetitionsOf(passed, rule);
  const found = new Set<string>();
  for (const [{ lines }, { inner, outer }] of yield* kinOf(repetitions)) {
    const [held, holding] = [linesOf(inner).filter(({ isJudged }) => isJudged), linesOf(outer)];
    // A line by itself, as most are, repeats nothing.
    if (held.length + holding.length <= lines.length + 1 && lines.length === 1) continue;
    const judged = lines.filter(({ isJudged }) => isJudged);
    const repeated = [
      yield* unlikeOnes(lines, held, rule, holds),
      yield* unlikeOnes(judged, holding, rule, (source, other) => holds(other, source)),
    ].flat();
    for (const id of repeated) found.add(id);
  }
  return found;
}
