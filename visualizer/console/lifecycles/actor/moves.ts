import type { ActorTransition } from '../../../../contract/lifecycles/actors.ts';
import { type ChartIndex, enteredBy, type Leaving, liesIn, withAncestors } from '../chart/chart-index.ts';

/** A chart cannot go on by itself more often than it has states, but a foreign one may be made of circles. */
const longestChain = 16;

/** How exactly an event of a chart names one that happened, 0 where it does not: `a.*` names `a.b`, but less than `a.b` does. */
function exactness(pattern: string, event: string): number {
  if (pattern === event) return Number.MAX_SAFE_INTEGER;
  if (pattern === '*') return 1;
  const stem = pattern.endsWith('.*') ? pattern.slice(0, -1) : null;
  return stem !== null && event.startsWith(stem) ? stem.length + 1 : 0;
}

/** Whether the states that a chart came to are where a transition leads. */
const leadsTo = (index: ChartIndex, { transition }: Leaving, after: readonly string[]): boolean =>
  transition.targets.length > 0 &&
  transition.targets.every((target) => after.some((state) => liesIn(index, state, target)));

/** What a state and the states around it do at an event, the innermost and the most exact first. */
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

/** What follows at once from entered states, until a chart stands where it came to. */
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
 * The transitions of a chart that led from states to others at an event, by their ids. A record has the event and both ends, not
 * the arrow: of several that fit, it is the innermost that leads there.
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
  /** How long the actor stayed, in ms; null while it is there, and where the chart has ended. */
  readonly stayedMs: number | null;
}

/** The transitions of an actor, in their order, as steps through its chart. */
export function stepsOf(index: ChartIndex, transitions: readonly ActorTransition[]): readonly Step[] {
  return transitions.map(({ seq, cause, event, states, value, at, commit }, place) => {
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
      taken: before === undefined || event === null ? [] : takenBetween(index, before.states, event, states),
      stayedMs: next === undefined ? null : Math.max(0, Date.parse(next.at) - began),
    };
  });
}
