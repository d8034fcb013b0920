import type { Range } from '../contract/base/grammar.ts';
import type { TranscriptWord } from '../contract/evidence/evidence.ts';
import type { ScriptUnheard } from '../contract/sources/derived-subtitles.ts';
import type { Steps } from '../formats/steps.ts';
import { comparedLetters, type Script, type ScriptPhrase } from './script-text.ts';
import { distancesIn } from './text-comparison.ts';

/**
 * The figures of the alignment of a script. All are choices. They were tried with a weak and a good recognizer, on right scripts, and
 * on those of other films and in other orders.
 */
export const SCRIPT_ALIGNMENT = {
  /** A place counts from so many letters better than the best place of the same phrase backwards, which is chance. */
  leastGain: 3,
  /** The same between two phrases that have a place. */
  leastGainWithin: 2,
  /** No more than so much of a phrase differs, in hundredths of its letters. */
  mostDifference: 50,
  /** So many places of one phrase are kept. */
  mostPlaces: 6,
  /** A phrase without a neighbor that has a place needs so much more. */
  gainAlone: 9,
  neighborPhrases: 3,
  neighborLetters: 120,
  /** So many neighbors in their order prove a script. */
  provenPairs: 9,
  /** Fewer do if half of the letters are the same, in hundredths of the script or of what was heard. */
  likelyPairs: 6,
  likelyShare: 50,
  /** Too few for any proof need all in their order, a larger share, and so many letters that are the same. */
  fewShare: 65,
  fewLetters: 24,
  rounds: 3,
} as const;

/** What was heard, letter by letter. */
interface HeardText {
  readonly letters: readonly string[];
  /** The word of each letter, and its time in ms. */
  readonly words: Int32Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

export type HeardWord = Pick<TranscriptWord, 'text' | 'startMs' | 'endMs'>;

function heardText(words: readonly HeardWord[], language: string): HeardText {
  const letters: string[] = [];
  const [owners, starts, ends]: [number[], number[], number[]] = [[], [], []];
  for (const [at, { text, startMs, endMs }] of words.entries()) {
    const own = comparedLetters(text, language);
    for (const [letter, sign] of own.entries()) {
      letters.push(sign);
      owners.push(at);
      starts.push(startMs + Math.round(((endMs - startMs) * letter) / own.length));
      ends.push(startMs + Math.round(((endMs - startMs) * (letter + 1)) / own.length));
    }
  }
  return { letters, words: Int32Array.from(owners), starts: Int32Array.from(starts), ends: Int32Array.from(ends) };
}

/** A place of a phrase: the heard letter behind its last one, the edits between both, and how many fewer they are than by chance. */
interface Place {
  readonly phrase: number;
  readonly end: number;
  readonly edits: number;
  readonly gain: number;
}

const leastOf = (distances: Int32Array, otherwise: number): number => {
  let least = otherwise;
  for (const distance of distances) if (distance < least) least = distance;
  return least;
};

/** The places of a phrase in a part of the heard letters, the best first. */
function placesIn(
  heard: HeardText,
  { letters }: ScriptPhrase,
  phrase: number,
  { from, to, leastGain }: { readonly from: number; readonly to: number; readonly leastGain: number },
): Place[] {
  const part = from === 0 && to === heard.letters.length ? heard.letters : heard.letters.slice(from, to);
  if (part.length === 0 || letters.length === 0) return [];
  const size = letters.length;
  const distances = distancesIn(part, letters);
  const chance = leastOf(distancesIn(part, [...letters].reverse()), size);
  const most = Math.min(chance - leastGain, Math.floor((SCRIPT_ALIGNMENT.mostDifference * size) / 100));
  const places: Place[] = [];
  for (let at = 0; at < distances.length; at += 1) {
    const distance = distances[at] ?? size;
    if (distance > most) continue;
    const last = places.at(-1);
    const gain = chance - distance;
    const place = { phrase, end: from + at + 1, edits: distance, gain };
    if (last === undefined || place.end - last.end > size / 2) places.push(place);
    else if (gain > last.gain) places[places.length - 1] = place;
  }
  return places
    .sort((one, other) => other.gain - one.gain || one.end - other.end)
    .slice(0, SCRIPT_ALIGNMENT.mostPlaces);
}

/** Where phrases begin among all letters of a script. */
function beginsOf(phrases: readonly ScriptPhrase[]): number[] {
  let sum = 0;
  return phrases.map(({ letters }) => {
    const begin = sum;
    sum += letters.length;
    return begin;
  });
}

/** Places that follow each other as the script does, with the most gain together. */
class Chain {
  readonly #phrases: readonly ScriptPhrase[];
  readonly #begins: readonly number[];

  constructor(phrases: readonly ScriptPhrase[]) {
    this.#phrases = phrases;
    this.#begins = beginsOf(phrases);
  }

  sizeOf({ phrase }: Place): number {
    return this.#phrases[phrase]?.letters.length ?? 0;
  }

  /** By so many letters the time between two places differs from the text between them. */
  strayOf(before: Place, after: Place): number {
    const written = (this.#begins[after.phrase] ?? 0) - (this.#begins[before.phrase] ?? 0) - this.sizeOf(before);
    const heard = after.end - this.sizeOf(after) - before.end;
    return Math.abs(heard - written);
  }

  /** `places` are in the order of their phrases. Costs are sixteenths of a letter. */
  *best(places: readonly Place[]): Steps<Place[]> {
    const best: { readonly value: number; readonly before: number }[] = [];
    for (const [at, place] of places.entries()) {
      let found = { value: 0, before: -1 };
      const size = this.sizeOf(place);
      for (let other = at - 1; other >= 0; other -= 1) {
        const before = places[other];
        if (before === undefined || before.phrase === place.phrase || before.end > place.end - size / 2) continue;
        const value = (best[other]?.value ?? 0) - Math.min(16, this.strayOf(before, place) >> 3);
        if (value > found.value) found = { value, before: other };
      }
      best.push({ value: found.value + 16 * place.gain, before: found.before });
      if (at % 64 === 63) yield;
    }
    let last = -1;
    for (const [at, { value }] of best.entries()) if (last < 0 || value > (best[last]?.value ?? 0)) last = at;
    const chain: Place[] = [];
    for (let at = last; at >= 0; at = best[at]?.before ?? -1) {
      const place = places[at];
      if (place !== undefined) chain.push(place);
    }
    return chain.reverse();
  }

  /** A chain without places that stand alone and are no better than chance gives now and then. */
  supported(chain: readonly Place[]): Place[] {
    const { gainAlone, neighborPhrases, neighborLetters } = SCRIPT_ALIGNMENT;
    const areNear = (before: Place | undefined, after: Place | undefined): boolean =>
      before !== undefined &&
      after !== undefined &&
      after.phrase - before.phrase <= neighborPhrases &&
      this.strayOf(before, after) <= neighborLetters;
    return chain.filter(
      (place, at) => place.gain >= gainAlone || areNear(chain[at - 1], place) || areNear(place, chain[at + 1]),
    );
  }
}

/**
 * True if sentences were heard in the order of the script. Counted are those with one best place. In a random order, the number of
 * neighbors that stay neighbors follows Poisson's distribution with mean 1: nine of them come once in a million scripts.
 */
function isInOrder(
  phrases: readonly ScriptPhrase[],
  places: readonly (readonly Place[])[],
  same: { readonly letters: number; readonly share: number },
): boolean {
  const { provenPairs, likelyPairs, likelyShare, fewShare, fewLetters } = SCRIPT_ALIGNMENT;
  const found = new Map<number, number>();
  for (const [at, [first, second]] of places.entries()) {
    const sentence = phrases[at]?.sentence ?? 0;
    if (first === undefined || first.gain - (second?.gain ?? 0) < 2 || found.has(sentence)) continue;
    found.set(sentence, first.end);
  }
  const ends = [...found.entries()].sort(([one], [other]) => one - other).map(([, end]) => end);
  const ranks = new Map(ends.toSorted((one, other) => one - other).map((end, rank) => [end, rank]));
  let pairs = 0;
  for (let at = 1; at < ends.length; at += 1) {
    if ((ranks.get(ends[at] ?? 0) ?? 0) - (ranks.get(ends[at - 1] ?? 0) ?? 0) === 1) pairs += 1;
  }
  if (pairs >= provenPairs && 4 * pairs >= ends.length) return true;
  if (pairs >= likelyPairs && same.share >= likelyShare) return true;
  const isLong = same.letters >= fewLetters && same.share >= fewShare;
  return isLong && ends.length > 0 && pairs === ends.length - 1;
}

/** A phrase with the times of its words. */
export interface TimedPhrase {
  readonly phrase: number;
  /** So many of its first letters were not heard. */
  readonly unheard: number;
  readonly words: readonly Range[];
}

export interface ScriptAlignment {
  readonly timed: readonly TimedPhrase[];
  readonly withheld: readonly { readonly phrase: number; readonly reason: ScriptUnheard }[];
  /** Heard words that the script does not have: from one to before another. */
  readonly unwritten: readonly { readonly from: number; readonly to: number }[];
}

/** So many heard letters without a place are told. */
const leastUnwritten = 8;

/** The fewest edits between the beginnings of two lists, row by row. */
function editTable(pattern: readonly string[], text: readonly string[]): Int32Array {
  const width = text.length + 1;
  const edits = new Int32Array((pattern.length + 1) * width);
  for (let at = 1; at <= text.length; at += 1) edits[at] = at;
  for (let row = 1; row <= pattern.length; row += 1) {
    edits[row * width] = row;
    for (let at = 1; at <= text.length; at += 1) {
      const pair = (edits[(row - 1) * width + at - 1] ?? 0) + (pattern[row - 1] === text[at - 1] ? 0 : 1);
      const skip = Math.min(edits[(row - 1) * width + at] ?? 0, edits[row * width + at - 1] ?? 0) + 1;
      edits[row * width + at] = Math.min(pair, skip);
    }
  }
  return edits;
}

/**
 * The heard letter for each letter of a phrase whose place ends at `end`, by the fewest edits. Null for a letter that was not heard.
 * It goes back from the end, so the phrase begins where it fits best.
 */
function lettersHeard(heard: HeardText, { letters }: ScriptPhrase, reached: number, end: number): (number | null)[] {
  const from = Math.max(reached, end - letters.length - (letters.length >> 1) - 4);
  const back = heard.letters.slice(from, end).reverse();
  const pattern = [...letters].reverse();
  const [width, rows] = [back.length + 1, pattern.length];
  const edits = editTable(pattern, back);
  let last = 0;
  for (let at = 1; at < width; at += 1) {
    if ((edits[rows * width + at] ?? 0) < (edits[rows * width + last] ?? 0)) last = at;
  }
  const beside: (number | null)[] = letters.map(() => null);
  for (let [row, at] = [rows, last]; row > 0 && at > 0; ) {
    const here = edits[row * width + at] ?? 0;
    const pair = (edits[(row - 1) * width + at - 1] ?? 0) + (pattern[row - 1] === back[at - 1] ? 0 : 1);
    if (here === pair) {
      beside[rows - row] = end - at;
      row -= 1;
      at -= 1;
    } else if (here === (edits[(row - 1) * width + at] ?? 0) + 1) row -= 1;
    else at -= 1;
  }
  return beside;
}

/** A pause between heard words, in ms, over which a phrase does not reach for single letters. */
const strayPauseMs = 250;

/**
 * The same letters without strays: a phrase whose last word was not heard finds some of its letters in the next sentence, behind a
 * pause. The part beyond a pause stays only if half of it was heard there.
 */
function withoutStrays(
  heard: HeardText,
  { letters }: ScriptPhrase,
  beside: readonly (number | null)[],
): (number | null)[] {
  const kept = [...beside];
  const equalIn = (from: number, to: number): number => {
    let equal = 0;
    for (let letter = from; letter < to; letter += 1) {
      const at = kept[letter] ?? null;
      if (at !== null && heard.letters[at] === letters[letter]) equal += 1;
    }
    return equal;
  };
  let before: { readonly letter: number; readonly at: number } | null = null;
  for (const [letter, at] of beside.entries()) {
    if (at === null) continue;
    const pauseMs = before === null ? 0 : (heard.starts[at] ?? 0) - (heard.ends[before.at] ?? 0);
    if (before !== null && pauseMs >= strayPauseMs) {
      const isTail = 2 * letter >= letters.length;
      const behind = letters.length - before.letter - 1;
      if (isTail && 2 * equalIn(letter, letters.length) < behind) return kept.fill(null, letter);
      if (!isTail && 2 * equalIn(0, letter) < letter) kept.fill(null, 0, letter);
    }
    before = { letter, at };
  }
  return kept;
}

/** The times of the words of a phrase by the letters that were heard for them. Those without any share the time between the others. */
function wordTimes(heard: HeardText, sizes: readonly number[], beside: readonly (number | null)[]): Range[] {
  const known = beside.flatMap((at, letter) => (at === null ? [] : [{ at, letter }]));
  const startOf = (letter: number): number => {
    const after = known.find((each) => each.letter >= letter) ?? known.at(-1);
    const before = known.findLast((each) => each.letter < letter);
    if (after === undefined) return 0;
    const endMs = heard.starts[after.at] ?? 0;
    if (after.letter <= letter || before === undefined) return endMs;
    const startMs = heard.ends[before.at] ?? endMs;
    const share = letter - before.letter - 1;
    return startMs + Math.round(((endMs - startMs) * share) / (after.letter - before.letter - 1 || 1));
  };
  const last = known.at(-1);
  const lastMs = last === undefined ? 0 : (heard.ends[last.at] ?? 0);
  const begins: number[] = [];
  let letter = 0;
  for (const size of sizes) {
    begins.push(startOf(letter));
    letter += size;
  }
  let reached = begins[0] ?? 0;
  letter = 0;
  return sizes.map((size, word) => {
    letter += size;
    const startMs = Math.max(reached, begins[word] ?? reached);
    // A word ends with its last heard letter: what follows may be a pause.
    const own = known.findLast((each) => each.letter < letter && each.letter >= letter - size);
    const nextMs = begins[word + 1] ?? lastMs;
    const endMs = own === undefined ? nextMs : Math.min(heard.ends[own.at] ?? nextMs, Math.max(nextMs, startMs));
    reached = Math.max(startMs, endMs);
    return { startMs, endMs: reached };
  });
}

/** The phrases between two that have a place, and the letters that were heard between them. */
interface Gap {
  readonly phrases: readonly number[];
  readonly from: number;
  readonly to: number;
}

function gapsIn(phrases: readonly ScriptPhrase[], chain: readonly Place[], heardLetters: number): Gap[] {
  const gaps: Gap[] = [];
  let [phrase, from] = [0, 0];
  const add = (next: number, to: number): void => {
    const between = phrases.slice(phrase, next).map((_, at) => phrase + at);
    if (between.length > 0 && to > from) gaps.push({ phrases: between, from, to });
  };
  for (const place of chain) {
    const size = phrases[place.phrase]?.letters.length ?? 0;
    add(place.phrase, Math.max(from, place.end - (size - (size >> 2))));
    [phrase, from] = [place.phrase + 1, place.end];
  }
  add(phrases.length, heardLetters);
  return gaps;
}

/** Looks for the phrases without a place between those that have one. */
function* withinGaps(heard: HeardText, phrases: readonly ScriptPhrase[], chain: readonly Place[]): Steps<Place[]> {
  const found: Place[] = [];
  for (const { phrases: between, from, to } of gapsIn(phrases, chain, heard.letters.length)) {
    for (const phrase of between) {
      const own = phrases[phrase];
      if (own === undefined) continue;
      found.push(...placesIn(heard, own, phrase, { from, to, leastGain: SCRIPT_ALIGNMENT.leastGainWithin }));
      yield;
    }
  }
  return found;
}

/** Why phrases that are in no chain have no time. */
function withheldOf(
  phrases: readonly ScriptPhrase[],
  places: readonly (readonly Place[])[],
  chain: readonly Place[],
  heardLetters: number,
): ScriptAlignment['withheld'] {
  const gaps = gapsIn(phrases, chain, heardLetters);
  const timed = new Set(chain.map(({ phrase }) => phrase));
  return phrases.flatMap((_, phrase): ScriptAlignment['withheld'] => {
    if (timed.has(phrase)) return [];
    const gap = gaps.find((each) => each.phrases.includes(phrase));
    const [best] = places[phrase] ?? [];
    if (best !== undefined && best.gain >= SCRIPT_ALIGNMENT.gainAlone) return [{ phrase, reason: 'other_place' }];
    const isSilent = gap === undefined || gap.to - gap.from < leastUnwritten;
    return [{ phrase, reason: isSilent ? 'nothing_heard' : 'other_words' }];
  });
}

/** Heard words in runs that stand for no phrase. */
function unwrittenIn(heard: HeardText, taken: Uint8Array): ScriptAlignment['unwritten'] {
  const runs: { from: number; to: number; letters: number }[] = [];
  for (let at = 0; at < heard.letters.length; at += 1) {
    if (taken[at] === 1) continue;
    const word = heard.words[at] ?? 0;
    const last = runs.at(-1);
    if (last !== undefined && taken[at - 1] !== 1) {
      last.to = word + 1;
      last.letters += 1;
    } else runs.push({ from: word, to: word + 1, letters: 1 });
  }
  return runs.filter(({ letters }) => letters >= leastUnwritten).map(({ from, to }) => ({ from, to }));
}

/**
 * Finds the words of a script among those that a recognizer heard, also by a weak one. Letters are compared, so that words which
 * were divided otherwise still fit. Each phrase is looked for everywhere. Those that follow each other as the script does have a
 * place. The others are looked for between them. What stays without a place is withheld. So is the whole script unless its
 * sentences are in the order in which they were heard.
 */
export function* alignedScript(script: Script, words: readonly HeardWord[], language: string): Steps<ScriptAlignment> {
  const { phrases } = script;
  const heard = heardText(words, language);
  const all = { from: 0, to: heard.letters.length, leastGain: SCRIPT_ALIGNMENT.leastGain };
  const everywhere: (readonly Place[])[] = [];
  for (const [at, phrase] of phrases.entries()) {
    everywhere.push(placesIn(heard, phrase, at, all));
    yield;
  }
  const chains = new Chain(phrases);
  const inOrder = everywhere.map((places) => places.toSorted((one, other) => one.end - other.end));
  let chain = chains.supported(yield* chains.best(inOrder.flat()));
  for (let round = 1; round < SCRIPT_ALIGNMENT.rounds; round += 1) {
    const more = yield* withinGaps(heard, phrases, chain);
    const together = [...chain, ...more].sort((one, other) => one.phrase - other.phrase || one.end - other.end);
    const next = chains.supported(yield* chains.best(together));
    if (next.length <= chain.length) break;
    chain = next;
  }
  const written = phrases.reduce((sum, { letters }) => sum + letters.length, 0);
  const letters = chain.reduce((sum, place) => sum + chains.sizeOf(place) - place.edits, 0);
  const share = Math.floor((100 * letters) / Math.max(1, Math.min(written, heard.letters.length)));
  if (!isInOrder(phrases, everywhere, { letters, share })) {
    const reason: ScriptUnheard = heard.letters.length === 0 ? 'nothing_heard' : 'no_better_than_chance';
    return { timed: [], withheld: phrases.map((_, phrase) => ({ phrase, reason })), unwritten: [] };
  }
  const taken = new Uint8Array(heard.letters.length);
  const timed: TimedPhrase[] = [];
  let reached = 0;
  for (const place of chain) {
    const phrase = phrases[place.phrase];
    if (phrase === undefined) continue;
    const beside = withoutStrays(heard, phrase, lettersHeard(heard, phrase, reached, place.end));
    const first = beside.find((at) => at !== null) ?? null;
    const last = beside.findLast((at) => at !== null) ?? null;
    if (first === null || last === null) continue;
    taken.fill(1, first, last + 1);
    reached = last + 1;
    const sizes = script.words.slice(phrase.from, phrase.to).map(({ letters }) => letters.length);
    const unheard = beside.findIndex((at) => at !== null);
    timed.push({ phrase: place.phrase, unheard, words: wordTimes(heard, sizes, beside) });
    yield;
  }
  const withheld = withheldOf(phrases, everywhere, chain, heard.letters.length);
  return { timed, withheld, unwritten: unwrittenIn(heard, taken) };
}
