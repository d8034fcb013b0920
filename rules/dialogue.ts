import type { Range } from '../contract/base/grammar.ts';
import type { CuePlacement } from '../contract/evidence/evidence.ts';
import { lengthOf } from './time-spans.ts';

/** The text of one track in one stretch of time; null if it shows something unreadable. */
export interface TimedText extends Range {
  readonly text: string | null;
  /** Absent if the track does not state it. */
  readonly placement?: CuePlacement;
}

/** The cues of one track as lines of dialogue, which never overlap, and the texts beside them. */
export interface Dialogue {
  readonly lines: readonly TimedText[];
  /** Signs, notes and songs that are shown over dialogue, in order of time, each as long as it is shown. */
  readonly apart: readonly TimedText[];
}

/** How the lines of one track differ from its cues. */
export interface DialogueChanges {
  /** Lines that end, or begin, at a line beside them. Zero for captions that roll, whose steps all end so. */
  readonly trimmed: number;
  /** Lines of several cues that are shown in one moment. */
  readonly joined: number;
  readonly isRolling: boolean;
}

/**
 * The bounds of this rule; they are choices, and were not measured. A cue that is shown into the next one is trimmed
 * if `leastMs` or `leastShare` of it are left. Otherwise both belong to one moment. Equal texts within `frameMs` are one if one of them
 * is shorter than `shortMs`: a sign that moves has a cue in each picture. A cue is long if others fill `filledShare` of it. A text
 * beside the dialogue is a line if `freeShare` of it is over none, and if it meets at most `mostMet` lines. Captions roll if
 * `rollingCues`, and `rollingShare` of all, begin with rows of the cue before, at most `leastMs` after it.
 */
const DIALOGUE = {
  leastMs: 500,
  leastShare: 0.5,
  frameMs: 50,
  shortMs: 200,
  freeShare: 0.5,
  filledShare: 0.5,
  mostMet: 64,
  mostWays: 8,
  rollingCues: 2,
  rollingShare: 0.25,
  mostRows: 8,
} as const;

export const byStart = (one: Range, other: Range): number => one.startMs - other.startMs || one.endMs - other.endMs;

const hullWith = <Span extends Range>(one: Span, other: Range): Span => ({
  ...one,
  startMs: Math.min(one.startMs, other.startMs),
  endMs: Math.max(one.endMs, other.endMs),
});

/** One sign in several layers, or in a cue for each picture, as one cue. In order of time. */
function withoutCopies(cues: readonly TimedText[]): TimedText[] {
  const whole: TimedText[] = [];
  const last = new Map<string, number>();
  for (const cue of cues) {
    const name = JSON.stringify([cue.text, cue.placement?.style]);
    const at = last.get(name);
    const before = at === undefined ? undefined : whole[at];
    const gapMs = before === undefined ? Number.POSITIVE_INFINITY : cue.startMs - before.endMs;
    const isFrame = before !== undefined && Math.min(lengthOf(cue), lengthOf(before)) < DIALOGUE.shortMs;
    if (cue.text === null || at === undefined || before === undefined || gapMs > DIALOGUE.frameMs) {
      last.set(name, whole.length);
      whole.push(cue);
    } else if (gapMs < 0 || isFrame) whole[at] = hullWith(before, cue);
    else {
      last.set(name, whole.length);
      whole.push(cue);
    }
  }
  return whole.sort(byStart);
}

const bottomRow = 3;

/** Cues of one name are shown in one way; which of several ways is the dialogue follows from their texts. */
function wayOf({ placement = {} }: TimedText): string {
  const { style = '', layer = 0, alignment = 2, x } = placement;
  return JSON.stringify([style, layer, alignment > bottomRow, x !== undefined]);
}

/**
 * The cues of each way of showing them, the one with most characters first; of equals the earlier. What is left of many ways is
 * one.
 */
function waysOf(cues: readonly TimedText[]): TimedText[][] {
  const ways = new Map<string, { readonly cues: TimedText[]; characters: number }>();
  for (const cue of cues) {
    const name = wayOf(cue);
    const way = ways.get(name) ?? { cues: [], characters: 0 };
    ways.set(name, way);
    way.cues.push(cue);
    way.characters += cue.text?.length ?? 0;
  }
  const inOrder = [...ways.values()]
    .sort((one, other) => other.characters - one.characters)
    .map(({ cues: shownAlike }) => shownAlike);
  const rest = inOrder.slice(DIALOGUE.mostWays).flat().sort(byStart);
  return [...inOrder.slice(0, DIALOGUE.mostWays), rest];
}

/** A Fenwick tree: sums over the first places of a row of numbers. */
class Sums {
  readonly #nodes: Float64Array;

  constructor(places: number) {
    this.#nodes = new Float64Array(places + 1);
  }

  /** Adds to a place, counted from 1. */
  add(place: number, value: number): void {
    for (let node = place; node < this.#nodes.length; node += node & -node) {
      this.#nodes[node] = (this.#nodes[node] ?? 0) + value;
    }
  }

  upTo(place: number): number {
    let sum = 0;
    for (let node = place; node > 0; node -= node & -node) sum += this.#nodes[node] ?? 0;
    return sum;
  }
}

const spanName = ({ startMs, endMs }: Range): string => `${startMs} ${endMs}`;

/** The spans of cues that hold several others, which fill most of them: a sign over a scene, not a speaker who is interrupted. */
function longSpans(cues: readonly Range[]): ReadonlySet<string> {
  const spans = [...new Map(cues.map((cue) => [spanName(cue), cue])).values()];
  spans.sort((one, other) => one.startMs - other.startMs || other.endMs - one.endMs);
  const ends = [...new Set(spans.map(({ endMs }) => endMs))].sort((one, other) => one - other);
  const places = new Map(ends.map((endMs, at) => [endMs, at + 1]));
  const [counts, lengths] = [new Sums(ends.length), new Sums(ends.length)];
  const long = new Set<string>();
  for (const span of spans.reverse()) {
    const place = places.get(span.endMs) ?? 0;
    const isFilled = lengths.upTo(place) >= DIALOGUE.filledShare * lengthOf(span);
    if (counts.upTo(place) > 1 && isFilled) long.add(spanName(span));
    counts.add(place, 1);
    lengths.add(place, lengthOf(span));
  }
  return long;
}

/** A line while its cues are put together: several texts belong to one moment. */
interface Moment extends Range {
  readonly texts: (string | null)[];
  readonly placement?: CuePlacement;
  readonly isTrimmed?: true;
}

const rowsOf = (text: string | null): string[] => text?.split('\n') ?? [];

const beginsWithWords = (row: string, before: string): boolean =>
  row.startsWith(before) && !/^[\p{L}\p{M}\p{N}]/u.test(row.slice(before.length));

/** How many first rows of a text are the last ones of the text before it. The last of them may have grown. */
function keptRows(before: readonly string[], rows: readonly string[]): number {
  if (Math.max(before.length, rows.length) > DIALOGUE.mostRows) return 0;
  for (let kept = Math.min(before.length, rows.length); kept > 0; kept -= 1) {
    const old = before.slice(-kept);
    const isKept = (row: string, at: number) =>
      row === old[at] || (at === kept - 1 && beginsWithWords(row, old[at] ?? row));
    if (rows.slice(0, kept).every(isKept)) return kept;
  }
  return 0;
}

/** True if both are not one moment. Enough of the first is left before the second, or the second is its next step. */
function isCutBy(last: Moment, cue: TimedText): boolean {
  const leftMs = cue.startMs - last.startMs;
  if (leftMs >= Math.min(DIALOGUE.leastMs, DIALOGUE.leastShare * lengthOf(last))) return leftMs > 0;
  return leftMs > 0 && keptRows(rowsOf(last.texts.at(-1) ?? null), rowsOf(cue.text)) > 0;
}

const momentOf = ({ text, ...cue }: TimedText): Moment => ({ ...cue, texts: [text] });

/** Cues that are shown alike, in order of time, as moments that do not overlap. */
function successive(cues: readonly TimedText[]): Moment[] {
  const moments: Moment[] = [];
  for (const cue of cues) {
    const last = moments.at(-1);
    if (last === undefined || cue.startMs >= last.endMs) moments.push(momentOf(cue));
    else if (isCutBy(last, cue)) moments.splice(-1, 1, { ...last, endMs: cue.startMs, isTrimmed: true }, momentOf(cue));
    else {
      last.texts.push(cue.text);
      moments.splice(-1, 1, hullWith(last, cue));
    }
  }
  return moments;
}

const letters = /\p{L}/gu;
const isLatin = (text: string): boolean =>
  2 * (text.match(/\p{Script=Latin}/gu)?.length ?? 0) > (text.match(letters)?.length ?? 0);

const hasDash = (text: string): boolean => /^[-–—‐‑♪♫#(（[]/u.test(text);

/** True if a text continues in the next one: no sentence ends between them. */
const continuesIn = (text: string, next: string): boolean => /[\p{L}\p{N},]$/u.test(text) && /^\p{Ll}/u.test(next);

/**
 * The texts of one moment under each other. Each of several speakers has a dash. Parts of one sentence have none, nor do texts in
 * different scripts, which say one thing twice.
 */
function spokenTogether(texts: readonly (string | null)[]): string | null {
  const words = texts.filter((text) => text !== null);
  if (words.length < texts.length) return null;
  const [first = '', ...others] = words;
  const isOne = others.every((text, at) => continuesIn(words[at] ?? '', text) || isLatin(text) !== isLatin(first));
  if (others.length === 0 || isOne) return words.join('\n');
  return words.map((text) => (hasDash(text) ? text : `- ${text}`)).join('\n');
}

/** The place of the first line that ends after a time. */
function firstAfter(lines: readonly Range[], ms: number): number {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.endMs ?? ms) <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The longest stretch of a cue that no line holds; null if most of the cue is over lines. */
function ownStretch(cue: Range, lines: readonly Range[]): Range | null {
  const first = firstAfter(lines, cue.startMs);
  let [longest, fromMs] = [{ startMs: cue.startMs, endMs: cue.startMs }, cue.startMs];
  for (let at = first; ; at += 1) {
    const line = lines[at];
    const untilMs = Math.min(line?.startMs ?? cue.endMs, cue.endMs);
    if (untilMs - fromMs > lengthOf(longest)) longest = { startMs: fromMs, endMs: untilMs };
    if (line === undefined || line.startMs >= cue.endMs) break;
    if (at - first >= DIALOGUE.mostMet) return null;
    fromMs = Math.max(fromMs, line.endMs);
  }
  return lengthOf(longest) >= DIALOGUE.freeShare * lengthOf(cue) && lengthOf(longest) > 0 ? longest : null;
}

/** Puts moments beside lines that are there; those that are mostly over them stay apart. */
function putBeside(lines: readonly Moment[], more: readonly Moment[], apart: Moment[]): Moment[] {
  if (lines.length === 0) return [...more];
  const own = more.flatMap((moment): Moment[] => {
    const stretch = ownStretch(moment, lines);
    if (stretch === null) apart.push(moment);
    if (stretch === null) return [];
    return [lengthOf(stretch) < lengthOf(moment) ? { ...moment, ...stretch, isTrimmed: true } : moment];
  });
  return own.length === 0 ? [...lines] : [...lines, ...own].sort(byStart);
}

const asText = ({ texts, isTrimmed: _, ...moment }: Moment): TimedText => ({ ...moment, text: spokenTogether(texts) });

const follows = (cue: Range, before: Range): boolean => cue.startMs - before.endMs <= DIALOGUE.leastMs;

/** True if the cues of a track show rows of the one before again: captions that roll, or grow by words. */
function isRolling(lines: readonly TimedText[]): boolean {
  let rolls = 0;
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1];
    if (before === undefined || line.text === before.text || !follows(line, before)) continue;
    if (keptRows(rowsOf(before.text), rowsOf(line.text)) > 0) rolls += 1;
  }
  return rolls >= DIALOGUE.rollingCues && rolls >= DIALOGUE.rollingShare * (lines.length - 1);
}

/** Captions that roll, with each row once: a line has the rows that are new in it, and its own times. */
function unrolled(lines: readonly TimedText[]): TimedText[] {
  const once: TimedText[] = [];
  let before: TimedText | undefined;
  for (const line of lines) {
    const rows = rowsOf(line.text);
    const old = before !== undefined && follows(line, before) ? rowsOf(before.text) : [];
    const kept = keptRows(old, rows);
    const held = once.at(-1);
    const fresh = rows.slice(kept);
    const grown = rows[kept - 1];
    before = line;
    if (kept === 0 || held === undefined) once.push(line);
    else if (grown !== undefined && grown !== old.at(-1)) {
      const grownRows = [...rowsOf(held.text).slice(0, -1), grown, ...fresh];
      once.splice(-1, 1, { ...held, endMs: line.endMs, text: grownRows.join('\n') });
    } else if (fresh.length === 0) once.splice(-1, 1, { ...held, endMs: line.endMs });
    else once.push({ ...line, text: fresh.join('\n') });
  }
  return once;
}

/** The moments of one track that are lines of dialogue, and those beside them. */
function momentsOf(cues: readonly TimedText[]): { readonly lines: readonly Moment[]; readonly apart: Moment[] } {
  const shown = withoutCopies(cues.filter(({ startMs, endMs }) => startMs < endMs).toSorted(byStart));
  const apart: Moment[] = [];
  let lines: Moment[] = [];
  for (const alike of waysOf(shown)) {
    const long = longSpans(alike);
    for (const isLong of [false, true]) {
      const some = alike.filter((cue) => long.has(spanName(cue)) === isLong);
      lines = putBeside(lines, successive(some), apart);
    }
  }
  return { lines, apart };
}

/**
 * The dialogue of one track. Cues that end into the next one are trimmed. Those of one moment are one line, with a dash for each
 * speaker; so are the copies of a sign. Captions that roll have each row once. The way of showing text (style, layer, place) that
 * has most characters is the dialogue. Texts in other ways, and cues that hold several others, are lines as far as they are over
 * none, and apart otherwise. A cue without a duration is never shown and falls away.
 */
export function dialogueOf(cues: readonly TimedText[]): Dialogue {
  const { lines, apart } = momentsOf(cues);
  const texts = lines.map(asText);
  return { lines: isRolling(texts) ? unrolled(texts) : texts, apart: apart.map(asText).sort(byStart) };
}

/** The changes that `dialogueOf` makes in the cues of a track, counted. */
export function dialogueChangesOf(cues: readonly TimedText[]): DialogueChanges {
  const { lines } = momentsOf(cues);
  const rolls = isRolling(lines.map(asText));
  return {
    trimmed: rolls ? 0 : lines.filter(({ isTrimmed }) => isTrimmed === true).length,
    joined: lines.filter(({ texts }) => texts.length > 1).length,
    isRolling: rolls,
  };
}
