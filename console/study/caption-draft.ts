import { createStore } from '@xstate/store';
import type { AskedChange, AskedLine, CaptionCorrections } from '../../contract/captions/correction.ts';

/** The two texts of a line. */
export const sides = ['source', 'target'] as const;
export type Side = (typeof sides)[number];

/** A text of a line as the host states it: null where the host withholds it or has none. */
interface StatedText {
  readonly text: string | null;
}

/** A line as the host has it now. Times in ms, half open. */
export interface AnsweredLine extends Readonly<Record<Side, StatedText>> {
  readonly id: string;
  readonly startMs: number;
  readonly endMs: number;
  /** The lines of the host that it comes from; none for a line that a person added. */
  readonly originalLineIds?: readonly string[];
}

/** A line as a person has it in the editor. */
export interface EditedLine extends Readonly<Record<Side, string | null>> {
  /** Its name within this draft; it stays while the line is changed. */
  readonly key: string;
  /** The current lines that it is made of; none for a line that the person adds. */
  readonly from: readonly string[];
  /** A person added it, now or before: the host has no line there, so it withholds none. */
  readonly isOwn?: boolean;
  readonly startMs: number;
  readonly endMs: number;
}

/** The shortest line that an edge can be dragged or split to. */
export const shortestLineMs = 100;

/** The length of a line that a person adds, if it has the room, and the least room for one. */
const addedLineMs = 2000;
const leastRoomMs = 300;

/** The lines as a draft begins with them. Captions in one language have one text, that of the target: they have no other in a draft. */
export const draftLines = (current: readonly AnsweredLine[], shown: readonly Side[] = sides): readonly EditedLine[] =>
  current.map(({ id, startMs, endMs, source, target, originalLineIds }) => ({
    key: id,
    from: [id],
    ...(originalLineIds?.length === 0 && { isOwn: true }),
    startMs,
    endMs,
    source: shown.includes('source') ? source.text : null,
    target: target.text,
  }));

const subtagOf = (tag: string): string => {
  try {
    return new Intl.Locale(tag).language;
  } catch {
    return tag;
  }
};

/**
 * The texts of captions that a person edits: the target's alone if both are in one language, such as `en` and `en-GB`. Two tags of one
 * language may look different, such as `no` and `nb`: then the host gives every line one text.
 */
export function editedSides({ languages, lines }: Pick<CaptionCorrections, 'languages' | 'lines'>): readonly Side[] {
  if (languages === null) return sides;
  const isOne = subtagOf(languages.source) === subtagOf(languages.target);
  const haveOneText = lines.length > 1 && lines.every(({ source, target }) => source.text === target.text);
  return isOne || haveOneText ? ['target'] : sides;
}

/** The order of lines. */
export const byTime = (a: EditedLine, b: EditedLine): number => a.startMs - b.startMs || a.endMs - b.endMs;

const replaced = (lines: readonly EditedLine[], key: string, by: (line: EditedLine) => EditedLine) =>
  lines.map((line) => (line.key === key ? by(line) : line));

export const reworded = (lines: readonly EditedLine[], key: string, side: Side, text: string): readonly EditedLine[] =>
  replaced(lines, key, (line) => ({ ...line, [side]: text }));

interface Times {
  readonly startMs: number;
  readonly endMs: number;
}

/** Sets the times of a line, in whole ms within a range; lines stay in order of time. */
export function retimed(lines: readonly EditedLine[], key: string, times: Times, range: Times): readonly EditedLine[] {
  const start = Math.round(Math.min(Math.max(times.startMs, range.startMs), range.endMs - 1));
  const end = Math.round(Math.min(Math.max(times.endMs, range.startMs + 1), range.endMs));
  return replaced(lines, key, (line) => ({ ...line, startMs: start, endMs: end })).toSorted(byTime);
}

/** The place at which a text is split: the space nearest to a place in it. */
function apart(text: string, at: number): readonly [string, string] {
  const breaks = [...text.matchAll(/\s+/gu)].map(({ index }) => index);
  const nearest = breaks.reduce<number | null>(
    (best, each) => (best === null || Math.abs(each - at) < Math.abs(best - at) ? each : best),
    null,
  );
  const place = nearest ?? at;
  return [text.slice(0, place).trim(), text.slice(place).trim()];
}

const isWithinText = (text: string | null, at: number): boolean =>
  text !== null && text.slice(0, at).trim() !== '' && text.slice(at).trim() !== '';

interface SplitPlace {
  /** The text with the cursor and the cursor in it, in UTF-16 units. */
  readonly cursor: { readonly side: Side; readonly at: number } | null;
  /** The time of the player. It is the time of the split if it is within the line. */
  readonly timeMs: number;
}

/**
 * Splits a line in two. The text with the cursor is split at the cursor, and the other one at about the same share. The time is
 * that of the player, or at that share. Without a cursor within a text, both texts are split near the middle. A line stays
 * whole if it is too short, or if one side would be empty.
 */
export function split(lines: readonly EditedLine[], key: string, place: SplitPlace): readonly EditedLine[] {
  const line = lines.find((each) => each.key === key);
  if (line === undefined || line.endMs - line.startMs < 2 * shortestLineMs) return lines;
  const { startMs, endMs } = line;
  const { timeMs } = place;
  // At an edge of the text a cursor parts nothing.
  const cursor = place.cursor !== null && isWithinText(line[place.cursor.side], place.cursor.at) ? place.cursor : null;
  const isInside = timeMs >= startMs + shortestLineMs && timeMs <= endMs - shortestLineMs;
  const cursorLength = cursor === null ? 0 : (line[cursor.side]?.length ?? 0);
  const share =
    cursor !== null && cursorLength > 0
      ? cursor.at / cursorLength
      : isInside
        ? (timeMs - startMs) / (endMs - startMs)
        : 0.5;
  const partsOf = (side: Side): readonly [string | null, string | null] => {
    const text = line[side];
    if (text === null) return [null, null];
    if (cursor?.side === side) return [text.slice(0, cursor.at).trim(), text.slice(cursor.at).trim()];
    return apart(text, Math.round(share * text.length));
  };
  const [source, target] = [partsOf('source'), partsOf('target')];
  if ([...source, ...target].includes('')) return lines;
  const atShare = startMs + share * (endMs - startMs);
  const middle = Math.round(
    isInside ? timeMs : Math.min(endMs - shortestLineMs, Math.max(startMs + shortestLineMs, atShare)),
  );
  const halves: EditedLine[] = [
    { ...line, key: `${key}.1`, endMs: middle, source: source[0], target: target[0] },
    { ...line, key: `${key}.2`, startMs: middle, source: source[1], target: target[1] },
  ];
  return lines.flatMap((each) => (each.key === key ? halves : each));
}

const joined = (first: string | null, second: string | null): string | null =>
  first === null ? second : second === null ? first : `${first}\n${second}`;

/** Merges a line with the one after it. The last line has none. */
export function merged(lines: readonly EditedLine[], key: string): readonly EditedLine[] {
  const at = lines.findIndex((line) => line.key === key);
  const [line, next] = [lines[at], lines[at + 1]];
  if (line === undefined || next === undefined) return lines;
  const whole: EditedLine = {
    key,
    from: [...new Set([...line.from, ...next.from])],
    startMs: line.startMs,
    endMs: Math.max(line.endMs, next.endMs),
    source: joined(line.source, next.source),
    target: joined(line.target, next.target),
  };
  return [...lines.slice(0, at), whole, ...lines.slice(at + 2)];
}

/** The free stretches of a range between lines, in order of time. */
function gapsOf(lines: readonly EditedLine[], range: Times): Times[] {
  const gaps: Times[] = [];
  let endMs = range.startMs;
  for (const line of [...lines.toSorted(byTime), { startMs: range.endMs, endMs: range.endMs }]) {
    if (line.startMs > endMs) gaps.push({ startMs: endMs, endMs: Math.min(line.startMs, range.endMs) });
    endMs = Math.max(endMs, line.endMs);
  }
  return gaps;
}

/**
 * Adds a line without a text at a time, as long as the gap between lines has room for it. If a line is there, the new one comes into the
 * next gap behind it, else into the last one before. Without any gap the lines stay as they are. Null then; else the lines and the key of
 * the new one.
 */
export function added(
  lines: readonly EditedLine[],
  timeMs: number,
  range: Times,
  shown: readonly Side[] = sides,
): { readonly lines: readonly EditedLine[]; readonly key: string } | null {
  const gaps = gapsOf(lines, range).filter((gap) => gap.endMs - gap.startMs >= leastRoomMs);
  const gap = gaps.find(({ endMs }) => endMs - leastRoomMs >= timeMs) ?? gaps.at(-1);
  if (gap === undefined) return null;
  const startMs = Math.round(Math.min(Math.max(timeMs, gap.startMs), gap.endMs - leastRoomMs));
  const numbers = lines.map(({ key }) => Number(/^added-(\d+)/.exec(key)?.[1] ?? 0));
  const key = `added-${Math.max(0, ...numbers) + 1}`;
  const line: EditedLine = {
    key,
    from: [],
    isOwn: true,
    startMs,
    endMs: Math.min(startMs + addedLineMs, gap.endMs),
    source: shown.includes('source') ? '' : null,
    target: '',
  };
  return { lines: [...lines, line].toSorted(byTime), key };
}

/** True for a line that the host does not have yet. */
const isNew = ({ from }: EditedLine): boolean => from.length === 0;

export const droppedLines = (lines: readonly EditedLine[], key: string): readonly EditedLine[] =>
  lines.filter((line) => line.key !== key);

/** Current lines that belong together, by their places, and the lines of the draft that are made of them. */
interface Part {
  readonly first: number;
  readonly last: number;
  readonly lines: readonly EditedLine[];
}

/** Parts of the draft in order of time. A part covers neighbors: what lies between two of its lines belongs to it. */
function partsOf(current: readonly AnsweredLine[], lines: readonly EditedLine[]): readonly Part[] {
  const places = new Map(current.map(({ id }, at) => [id, at]));
  const spans: Part[] = current.map((_, at) => ({ first: at, last: at, lines: [] }));
  for (const line of lines) {
    if (isNew(line)) continue;
    const at = line.from.flatMap((id) => places.get(id) ?? []);
    spans.push({ first: Math.min(...at), last: Math.max(...at), lines: [line] });
  }
  const parts: Part[] = [];
  for (const span of spans.toSorted((a, b) => a.first - b.first)) {
    const before = parts.at(-1);
    if (before === undefined || span.first > before.last) parts.push(span);
    else {
      const last = Math.max(before.last, span.last);
      parts[parts.length - 1] = { first: before.first, last, lines: [...before.lines, ...span.lines] };
    }
  }
  return parts;
}

/**
 * The changes from the current lines to those of the draft; empty if they are the same. Added lines come last, when the others have made
 * room for them.
 */
export function changesOf(
  current: readonly AnsweredLine[],
  lines: readonly EditedLine[],
  shown: readonly Side[] = sides,
): readonly AskedChange[] {
  const changes = partsOf(current, lines).flatMap(({ first, last, lines: own }) => {
    const before = current.slice(first, last + 1);
    const lineIds = before.map(({ id }) => id);
    const [line] = own;
    if (before.length === 1 && own.length === 1 && before[0] !== undefined && line !== undefined) {
      const [was] = before;
      const texts = shown.filter((side) => (line[side]?.trim() ?? null) !== was[side].text);
      if (texts.length === 0 && line.startMs === was.startMs && line.endMs === was.endMs) return [];
      return { lineIds, lines: [changed(line, texts)] };
    }
    return { lineIds, lines: own.toSorted(byTime).map((each) => changed(each, shown)) };
  });
  return [...changes, ...lines.filter(isNew).map((line) => ({ lineIds: [], lines: [changed(line, shown)] }))];
}

const isEqual = (a: AnsweredLine, b: AnsweredLine | undefined): boolean =>
  a.id === b?.id &&
  a.startMs === b.startMs &&
  a.endMs === b.endMs &&
  sides.every((side) => a[side].text === b[side].text);

/** The lines of a draft that differ from those of the host, and those that a correction changed before. */
export function lineMarks(
  { lines: current, corrections }: Pick<CaptionCorrections, 'lines' | 'corrections'>,
  lines: readonly EditedLine[],
  shown: readonly Side[] = sides,
): ReadonlyMap<string, 'unsaved' | 'edited'> {
  const saved = new Map(current.map((line) => [line.id, line]));
  const valid = corrections.filter(({ revertedBy }) => revertedBy === null).flatMap(({ changes }) => changes);
  const corrected = new Set(valid.flatMap(({ after }) => after.map(({ id }) => id)));
  const marks = new Map<string, 'unsaved' | 'edited'>();
  for (const line of lines) {
    const was = saved.get(line.key);
    const isSaved =
      was?.startMs === line.startMs &&
      was.endMs === line.endMs &&
      shown.every((side) => (line[side]?.trim() ?? null) === was[side].text);
    if (!isSaved) marks.set(line.key, 'unsaved');
    else if (corrected.has(line.key)) marks.set(line.key, 'edited');
  }
  return marks;
}

/**
 * The lines that the host has now, with the changes that a person made on those that it had before. Null if a changed line is
 * another one now: then the person has to choose between the words.
 */
function carried(
  before: readonly AnsweredLine[],
  lines: readonly EditedLine[],
  current: readonly AnsweredLine[],
  shown: readonly Side[],
): readonly EditedLine[] | null {
  let result = [...draftLines(current, shown), ...lines.filter(isNew)];
  for (const { first, last, lines: own } of partsOf(before, lines)) {
    const was = before.slice(first, last + 1);
    if (changesOf(was, own, shown).length === 0) continue;
    const at = current.findIndex(({ id }) => id === was[0]?.id);
    if (!was.every((line, place) => isEqual(line, current[at + place]))) return null;
    const replaces = new Set(was.map(({ id }) => id));
    result = [...result.filter(({ key }) => !replaces.has(key)), ...own];
  }
  return result.toSorted(byTime);
}

/**
 * A line as a change states it, with those texts that it has of some sides. The spaces around a text are left out, as a person does not
 * see them. A new line may have no text on one side.
 */
function changed({ startMs, endMs, ...texts }: EditedLine, given: readonly Side[]): AskedLine {
  const stated = given.flatMap((side) => {
    const text = texts[side]?.trim() ?? '';
    return text === '' ? [] : [[side, text] as const];
  });
  return { startMs, endMs, ...Object.fromEntries(stated) };
}

const lacksText = (line: EditedLine): boolean => {
  const texts = sides.flatMap((side) => line[side]?.trim() ?? []);
  return isNew(line) ? texts.every((text) => text === '') : texts.includes('');
};

/** Why a draft cannot be saved yet, with the line; null if it can. */
export function obstacleOf(lines: readonly EditedLine[]): { readonly key: string; readonly words: string } | null {
  let before: EditedLine | null = null;
  for (const line of lines) {
    const { key, startMs, endMs } = line;
    if (startMs >= endMs) return { key, words: 'A line ends before it begins.' };
    if (lacksText(line)) return { key, words: 'A line has no text. Write one, or drop the line.' };
    if (before !== null && startMs < before.endMs && (isNew(line) || isNew(before))) {
      const words = 'A line that you added overlaps another one. Change its start or its end.';
      return { key: isNew(line) ? key : before.key, words };
    }
    if (before === null || endMs > before.endMs) before = line;
  }
  return null;
}

/** The line at a time, else the last one before it; null before the first. */
export function lineAtTime(lines: readonly EditedLine[], timeMs: number): EditedLine | null {
  return lines.findLast(({ startMs }) => startMs <= timeMs) ?? null;
}

/** Characters a second that a text is read at; null for a line without length or text. */
export const readingSpeed = ({ startMs, endMs }: Times, text: string | null): number | null =>
  text === null || text.trim() === '' || endMs <= startMs
    ? null
    : ([...text.replaceAll(/\s*\n\s*/g, '')].length * 1000) / (endMs - startMs);

/** Steps that can be undone. */
const keptSteps = 200;

interface Drafting {
  readonly lines: readonly EditedLine[];
  readonly past: readonly (readonly EditedLine[])[];
  readonly future: readonly (readonly EditedLine[])[];
  /** The kind of the last step: consecutive steps of one kind on one line are undone as one. */
  readonly lastStep: string | null;
  readonly selected: string | null;
}

export type CaptionDraft = ReturnType<typeof captionDraft>;

/**
 * Lines that a person edits, with undo and redo; the line at a time is selected first. `shown` are the sides with a text of their own.
 * Nothing is sent from here.
 */
export function captionDraft(current: readonly AnsweredLine[], atMs = 0, shown: readonly Side[] = sides) {
  const first = draftLines(current, shown);
  const selected = (lineAtTime(first, atMs) ?? first[0])?.key ?? null;
  const store = createStore({
    context: { lines: first, past: [], future: [], lastStep: null, selected } as Drafting,
    on: {
      edited: (context, { lines, step }: { lines: readonly EditedLine[]; step: string | null }) => {
        if (lines === context.lines) return context;
        const isSame = step !== null && step === context.lastStep;
        const past = isSame ? context.past : [...context.past, context.lines].slice(-keptSteps);
        return { ...context, lines, past, future: [], lastStep: step, selected: kept(lines, context) };
      },
      undone: (context) => {
        const lines = context.past.at(-1);
        if (lines === undefined) return context;
        const future = [context.lines, ...context.future];
        return { lines, past: context.past.slice(0, -1), future, lastStep: null, selected: kept(lines, context) };
      },
      redone: (context) => {
        const [lines, ...future] = context.future;
        if (lines === undefined) return context;
        const past = [...context.past, context.lines];
        return { lines, past, future, lastStep: null, selected: kept(lines, context) };
      },
      selected: (context, { key }: { key: string }) => ({ ...context, selected: key, lastStep: null }),
    },
  });
  const now = (): Drafting => store.getSnapshot().context;
  const edit = (change: (lines: readonly EditedLine[]) => readonly EditedLine[], step: string | null = null): void =>
    store.send({ type: 'edited', lines: change(now().lines), step });
  return {
    store,
    current,
    shown,
    edit,
    /** Adds a line at a time and selects it; false if no gap between the lines has room for it. */
    add: (timeMs: number, range: Times): boolean => {
      const made = added(now().lines, timeMs, range, shown);
      if (made === null) return false;
      edit(() => made.lines);
      store.send({ type: 'selected', key: made.key });
      return true;
    },
    select: (key: string) => store.send({ type: 'selected', key }),
    undo: () => store.send({ type: 'undone' }),
    redo: () => store.send({ type: 'redone' }),
    changes: () => changesOf(current, now().lines, shown),
  };
}

/** The line that is selected after a step: the same, its first half, or the one in its place. */
function kept(lines: readonly EditedLine[], { lines: before, selected }: Drafting): string | null {
  const at = before.findIndex(({ key }) => key === selected);
  const same = lines.find(({ key }) => key === selected || key === `${selected}.1`);
  return (same ?? lines[Math.min(Math.max(at, 0), lines.length - 1)])?.key ?? null;
}

/** A draft, and the lines of the host that it changes. */
interface Edited {
  readonly corrections: CaptionCorrections;
  readonly draft: CaptionDraft;
}

/** Drafts of this page by study: they stay while a person looks at another part of the study. */
const drafts = new Map<string, Edited>();

/**
 * The draft of a study. Lines that changed on the host meanwhile, as by captions that were made or by another person, take over
 * what is not saved. If both changed the same line, the draft stays on the older lines.
 */
export function editedLines(corrections: CaptionCorrections, atMs: number): Edited {
  const { runtimeId, head, lines } = corrections;
  const known = drafts.get(runtimeId);
  const isOfHead = known?.corrections.head?.base === head?.base;
  if (known !== undefined && isOfHead && known.corrections.head?.correction === head?.correction) return known;
  const draft = captionDraft(lines, atMs, editedSides(corrections));
  if (known !== undefined && known.draft.changes().length > 0) {
    const { lines: own, selected } = known.draft.store.getSnapshot().context;
    const taken = carried(known.draft.current, own, lines, draft.shown);
    if (taken === null) return known;
    draft.edit(() => taken);
    if (taken.some(({ key }) => key === selected) && selected !== null) draft.select(selected);
  }
  const edited = { corrections, draft };
  drafts.set(runtimeId, edited);
  return edited;
}

/** How many changes of the lines of a study a person has made in the editor of this page and not saved. */
export const unsavedChanges = ({ runtimeId }: Pick<CaptionCorrections, 'runtimeId'>): number =>
  drafts.get(runtimeId)?.draft.changes().length ?? 0;

/** Drops these changes: the editor begins again with the lines of the host. */
export const discardDraft = ({ runtimeId }: Pick<CaptionCorrections, 'runtimeId'>): boolean => drafts.delete(runtimeId);

/** Has the browser ask before it leaves the page with unsaved changes, whatever view is shown. */
export function askBeforeLoss(event: { preventDefault(): void }): void {
  if ([...drafts.values()].some(({ draft }) => draft.changes().length > 0)) event.preventDefault();
}
