import type { JournalEvent } from '../../../contract/journal.ts';
import type { ActorTransition } from '../../../contract/lifecycles/actors.ts';
import type { Marks } from '../../../visualizer/drawing/svg.ts';
import { activeWith, type ChartIndex, enteredBy, type Leaving, liesIn, withAncestors } from './chart-index.ts';
import { briefly } from './words.ts';

/** A chart cannot go on by itself more often than it has states, but a foreign one may be made of circles. */
const longestChain = 16;

/**
 * The precision with which an event of a chart names one that happened, or 0: `a.*` names `a.b`, but less precisely than `a.b`
 * does.
 */
function exactness(pattern: string, event: string): number {
  if (pattern === event) return Number.MAX_SAFE_INTEGER;
  if (pattern === '*') return 1;
  const stem = pattern.endsWith('.*') ? pattern.slice(0, -1) : null;
  return stem !== null && event.startsWith(stem) ? stem.length + 1 : 0;
}

/** True if a transition leads to the states that a chart came to. */
const leadsTo = (index: ChartIndex, { transition }: Leaving, after: readonly string[]): boolean =>
  transition.targets.length > 0 &&
  transition.targets.every((target) => after.some((state) => liesIn(index, state, target)));

/** The transitions of a state and the states around it for an event, the innermost and the most precise first. */
function candidates(index: ChartIndex, state: string, event: string): Leaving[] {
  return withAncestors(index, state).flatMap((around) => {
    const source = index.states.get(around)?.state;
    if (source === undefined) return [];
    return source.transitions
      .map((transition) => ({ transition, source, exact: exactness(transition.event, event) }))
      .filter(({ exact }) => exact > 0)
      .toSorted((one, other) => other.exact - one.exact);
  });
}

/** The transitions that follow at once from entered states, up to the states that a chart came to. */
function atOnce(index: ChartIndex, entered: readonly string[], after: readonly string[]): string[] {
  const taken: string[] = [];
  let states = entered;
  for (let chain = 0; chain < longestChain; chain += 1) {
    const left = states.filter((state) => !after.includes(state));
    const next = left.flatMap((state) => candidates(index, state, '').slice(0, 1));
    const better = left.flatMap((state) => candidates(index, state, '').filter((each) => leadsTo(index, each, after)));
    const chosen = better[0] ?? next[0];
    if (chosen === undefined) break;
    taken.push(chosen.transition.id);
    states = chosen.transition.targets.flatMap((target) => enteredBy(index, target));
  }
  return taken;
}

/**
 * The transitions of a chart that led from states to others at an event, by their ids. For rows of versions before 0.4.0 alone:
 * these have the event and both ends, not the arrows. Of several that fit, it is the innermost that leads there.
 */
export function takenBetween(
  index: ChartIndex,
  before: readonly string[],
  event: string,
  after: readonly string[],
): readonly string[] {
  const taken = new Set<string>();
  for (const state of before) {
    const possible = candidates(index, state, event);
    const found =
      possible.find((each) => leadsTo(index, each, after)) ??
      (after.includes(state) ? possible.find(({ transition }) => transition.targets.length === 0) : possible[0]);
    if (found === undefined) continue;
    taken.add(found.transition.id);
    const entered = found.transition.targets.flatMap((target) => enteredBy(index, target));
    for (const id of atOnce(index, entered, after)) taken.add(id);
  }
  return [...taken];
}

/** A transition of an actor, and which arrows of its chart it took. */
export interface Step {
  readonly seq: number;
  readonly cause: ActorTransition['cause'];
  readonly event: string | null;
  readonly states: readonly string[];
  readonly value: ActorTransition['value'];
  /** In epoch ms. */
  readonly at: number;
  readonly commit: number;
  /** Ids of transitions of the chart; empty for a beginning and for a start in the same state. */
  readonly taken: readonly string[];
  /** The entries of the journal that its commit wrote; null for none, undefined if an earlier version did not record them. */
  readonly journal: ActorTransition['journal'];
  /** How long the actor stayed, in ms; null while it is there, and where the chart has ended. */
  readonly stayedMs: number | null;
}

/** The transitions of an actor, in their order, as steps through its chart. */
export function stepsOf(index: ChartIndex, transitions: readonly ActorTransition[]): readonly Step[] {
  return transitions.map(({ seq, cause, event, states, value, at, commit, taken, journal }, place) => {
    const before = transitions[place - 1];
    const next = transitions[place + 1];
    const began = Date.parse(at);
    return {
      seq,
      cause,
      event,
      states,
      value,
      at: began,
      commit,
      taken: taken ?? (before === undefined || event === null ? [] : takenBetween(index, before.states, event, states)),
      journal,
      stayedMs: next === undefined ? null : Math.max(0, Date.parse(next.at) - began),
    };
  });
}

/** The use of an arrow by an actor: the number of times, and the time in ms in the state before. */
interface Taken {
  readonly count: number;
  readonly totalMs: number;
}

/** The arrows that steps took, by the ids of their transitions. */
export function takenIn(steps: readonly Step[]): ReadonlyMap<string, Taken> {
  const taken = new Map<string, Taken>();
  steps.forEach(({ taken: ids }, place) => {
    const waited = steps[place - 1]?.stayedMs ?? 0;
    for (const id of ids) {
      const known = taken.get(id) ?? { count: 0, totalMs: 0 };
      taken.set(id, { count: known.count + 1, totalMs: known.totalMs + waited });
    }
  });
  return taken;
}

/** How a chart looks at the last of some steps: what is active, what was passed, and how often and after how long. */
export function pathMarks(index: ChartIndex, steps: readonly Step[]): Marks {
  const now = steps.at(-1);
  const states = new Map<string, string>();
  for (const { states: ids } of steps) for (const id of activeWith(index, ids)) states.set(id, 'passed');
  for (const id of activeWith(index, now?.states ?? [])) states.set(id, 'lit');
  for (const id of now?.states ?? []) states.set(id, 'lit now');
  const taken = takenIn(steps);
  const transitions = new Map([...taken.keys()].map((id) => [id, 'taken']));
  for (const id of now?.taken ?? []) transitions.set(id, 'taken last');
  const notes = new Map(
    [...taken].map(([id, { count, totalMs }]) => [
      id,
      count === 1 ? briefly(totalMs) : `${count} × ${briefly(totalMs / count)}`,
    ]),
  );
  return { states, transitions, notes };
}

/** The parts of a chart that steps passed; the rest can be folded. */
export const wayOfSteps = (steps: readonly Step[]) => ({
  transitions: [...new Set(steps.flatMap(({ taken }) => taken))],
  states: [...new Set(steps.flatMap(({ states }) => states))],
});

/** The entries that a commit added to the journal of a study. */
export interface CommitRecords {
  readonly events: readonly JournalEvent[];
  /** The records that became artifacts, and the receipts that the events contain. */
  readonly receipts: readonly Receipt[];
}

interface Receipt {
  readonly id: string;
  readonly words: string;
}

/** The entries that the commit of a step added to the journal; null if an earlier version did not record it. */
export function recordsOf(events: readonly JournalEvent[], { journal }: Step): CommitRecords | null {
  if (journal === undefined) return null;
  const added = journal === null ? [] : events.filter(({ seq }) => seq >= journal.fromSeq && seq <= journal.toSeq);
  return { events: added, receipts: added.flatMap(receiptsIn) };
}

/** Artifacts and receipts that an event names, by their ids. */
function receiptsIn({ type, data }: JournalEvent): Receipt[] {
  if ('artifact' in data) return [{ id: data.artifact.id, words: data.artifact.kind }];
  if ('receipt' in data && 'receiptId' in data.receipt)
    return [{ id: data.receipt.receiptId, words: `receipt of ${type}` }];
  return [];
}
