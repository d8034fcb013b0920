import type { Chart, ChartState, ChartTransition } from '../contract/lifecycles/charts.ts';
import type { Marks } from './drawing/svg.ts';

/** One property of a state or of a transition that is not what it was: its values before and now. */
interface ChangedPart {
  readonly part: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * A state or a transition that only one of two charts has, or that both have with different parts. `before` and `after` are its
 * ids in the two charts. The id of a transition counts the candidates of its event, so it may differ without any change.
 */
export interface ChartChange {
  readonly kind: 'added' | 'removed' | 'changed';
  readonly of: 'state' | 'transition';
  readonly before: string | null;
  readonly after: string | null;
  readonly parts: readonly ChangedPart[];
  /** The words for a reviewer: `Arrow running.read on read done [isEmpty] to running.admit`. */
  readonly words: string;
}

/** The changes from one version of a chart to another one. */
export interface ChartChanges {
  readonly versions: readonly [before: string, after: string];
  /** In the order of the newer chart; a removed part comes after the state that held it. */
  readonly changes: readonly ChartChange[];
  /** The ids in the newer chart of the states of the older one, of those that both have. */
  readonly sameStates: ReadonlyMap<string, string>;
  /** True if the machine declares another main way. */
  readonly isOtherWay: boolean;
}

interface Pair {
  readonly old: ChartState;
  readonly now: ChartState;
}

/** The path of a state in its machine; the machine itself by its id. */
const pathOf = (id: string): string => (id.includes('.') ? id.slice(id.indexOf('.') + 1) : id);

const allStates = (state: ChartState): readonly ChartState[] => [state, ...state.states.flatMap(allStates)];

const effectsOf = ({ invokes }: ChartState): string[] =>
  invokes.map(({ id, actor }) => (id === actor ? id : `${id} (${actor})`));

/**
 * The behavior of a state, without its name and place: two states that differ only in these are one that was renamed or moved.
 */
const behavior = (state: ChartState): string =>
  JSON.stringify([state.kind, effectsOf(state), state.entry, state.exit, state.transitions.map(({ event }) => event)]);

/** A state without behavior of its own cannot be recognized by it. */
const isTelling = ({ invokes, transitions }: ChartState): boolean => invokes.length > 0 || transitions.length > 1;

/** Pairs the states of two charts: by their names inside the same parent, then those that were renamed or moved by their behavior. */
function pairedStates(old: ChartState, now: ChartState): readonly Pair[] {
  const pairs: Pair[] = [];
  const pair = (one: ChartState, other: ChartState): void => {
    pairs.push({ old: one, now: other });
    for (const child of one.states) {
      const same = other.states.find(({ name }) => name === child.name);
      const isTaken = pairs.some(({ old: known, now: found }) => known === child || found === same);
      if (same !== undefined && !isTaken) pair(child, same);
    }
  };
  pair(old, now);
  for (;;) {
    const [ones, others] = [new Set(pairs.map((each) => each.old)), new Set(pairs.map((each) => each.now))];
    const left = allStates(old).filter((state) => !ones.has(state) && isTelling(state));
    const right = allStates(now).filter((state) => !others.has(state));
    const moved = left.flatMap((one) => {
      const alike = right.filter((other) => behavior(other) === behavior(one));
      const rivals = left.filter((other) => behavior(other) === behavior(one));
      return alike.length === 1 && rivals.length === 1 ? alike.map((other) => ({ old: one, now: other })) : [];
    });
    const [first] = moved;
    if (first === undefined) return pairs;
    pair(first.old, first.now);
  }
}

const part = (name: string, before: readonly string[], after: readonly string[]): ChangedPart[] =>
  before.join('\n') === after.join('\n') ? [] : [{ part: name, before, after }];

const listed = (text: string | null): string[] => (text === null ? [] : [text]);

const parentOf = (id: string): string => id.slice(0, Math.max(0, id.lastIndexOf('.')));

const placeWords = (parent: string): string => (parent.includes('.') ? `in ${pathOf(parent)}` : 'in the machine');

function stateParts({ old, now }: Pair, sameStates: ReadonlyMap<string, string>): ChangedPart[] {
  const initial = old.initial === null ? null : (sameStates.get(old.initial) ?? old.initial);
  const isSame = initial === now.initial;
  const [was, is] = [parentOf(old.id), parentOf(now.id)];
  return [
    ...part('name', [old.name], [now.name]),
    ...((sameStates.get(was) ?? was) === is ? [] : part('place', [placeWords(was)], [placeWords(is)])),
    ...part('kind', [old.kind], [now.kind]),
    ...(isSame ? [] : part('initial state', listed(old.initial).map(pathOf), listed(now.initial).map(pathOf))),
    ...part('effects', effectsOf(old), effectsOf(now)),
    ...part('entry actions', old.entry, now.entry),
    ...part('exit actions', old.exit, now.exit),
    ...part('journal', old.journal, now.journal),
    ...part('description', listed(old.description), listed(now.description)),
  ];
}

interface PairedTransitions {
  readonly old: ChartTransition;
  readonly now: ChartTransition;
}

/** How two transitions of the same event may be the same one, the surest first. */
const likenesses: readonly ((transition: ChartTransition) => string)[] = [
  ({ guard, targets, actions, reenter, journal }) => JSON.stringify([guard, targets, actions, reenter, journal]),
  ({ guard, targets }) => JSON.stringify([guard, targets]),
  ({ targets }) => JSON.stringify(targets),
  ({ guard }) => JSON.stringify(guard),
];

/** Pairs the transitions of a state in two charts. Those of an event are tried in order, so an id does not identify one. */
function pairedTransitions({ old, now }: Pair, sameStates: ReadonlyMap<string, string>): readonly PairedTransitions[] {
  const pairs: PairedTransitions[] = [];
  const inNew = (transition: ChartTransition): ChartTransition => ({
    ...transition,
    targets: transition.targets.map((target) => sameStates.get(target) ?? target),
  });
  for (const likeness of likenesses) {
    for (const one of old.transitions) {
      if (pairs.some((each) => each.old === one)) continue;
      const same = now.transitions.find(
        (other) =>
          other.event === one.event &&
          likeness(other) === likeness(inNew(one)) &&
          !pairs.some((each) => each.now === other),
      );
      if (same !== undefined) pairs.push({ old: one, now: same });
    }
  }
  return pairs;
}

/** The places of transitions among those of their event that both charts have, counted from 1. */
const rankOf = (transitions: readonly ChartTransition[], among: ReadonlySet<ChartTransition>, of: ChartTransition) =>
  transitions.filter((each) => each.event === of.event && among.has(each)).indexOf(of) + 1;

const order = (rank: number): string[] => [`tried as number ${rank}`];

function transitionParts(
  { old, now }: PairedTransitions,
  states: Pair,
  pairs: readonly PairedTransitions[],
  sameStates: ReadonlyMap<string, string>,
): ChangedPart[] {
  const ranks = [
    rankOf(states.old.transitions, new Set(pairs.map((each) => each.old)), old),
    rankOf(states.now.transitions, new Set(pairs.map((each) => each.now)), now),
  ] as const;
  const targets = old.targets.map((target) => sameStates.get(target) ?? target);
  return [
    ...part('guard', listed(old.guard), listed(now.guard)),
    ...(targets.join() === now.targets.join() ? [] : part('target', old.targets.map(pathOf), now.targets.map(pathOf))),
    ...part('actions', old.actions, now.actions),
    ...part('journal', old.journal, now.journal),
    ...part('entered again', [String(old.reenter)], [String(now.reenter)]),
    ...part('order', order(ranks[0]), order(ranks[1])),
    ...part('description', listed(old.description), listed(now.description)),
  ];
}

const stateWords = (state: ChartState, root: ChartState): string =>
  state === root ? 'The machine' : `State ${pathOf(state.id)}`;

const arrowWords = (source: ChartState, { label, guard, targets }: ChartTransition): string =>
  `Arrow ${pathOf(source.id)}: ${label}${guard === null ? '' : ` [${guard}]`} → ${
    targets.length === 0 ? 'stays' : targets.map(pathOf).join(', ')
  }`;

/**
 * The changes from one version of a chart to another. States are the same if they have the same name inside the same parent, or
 * the same behavior under another name or elsewhere. Transitions are the same if they belong to the same state and event and
 * share a target or a guard.
 */
export function chartChanges(before: Chart, after: Chart): ChartChanges {
  const pairs = pairedStates(before.root, after.root);
  const sameStates = new Map(pairs.map(({ old, now }) => [old.id, now.id]));
  const oldOf = new Map(pairs.map((pair) => [pair.now, pair]));
  const kept = new Set(pairs.map(({ old }) => old));
  const arrows = new Map<string, string>();
  const changes: ChartChange[] = [];

  const removeWhole = (state: ChartState): void => {
    if (kept.has(state)) return;
    changes.push({
      kind: 'removed',
      of: 'state',
      before: state.id,
      after: null,
      parts: [],
      words: stateWords(state, before.root),
    });
    for (const each of state.transitions) removeArrow(state, each);
    state.states.forEach(removeWhole);
  };
  const removeArrow = (source: ChartState, each: ChartTransition): void => {
    changes.push({
      kind: 'removed',
      of: 'transition',
      before: each.id,
      after: null,
      parts: [],
      words: arrowWords(source, each),
    });
  };
  const addArrow = (source: ChartState, each: ChartTransition): void => {
    changes.push({
      kind: 'added',
      of: 'transition',
      before: null,
      after: each.id,
      parts: [],
      words: arrowWords(source, each),
    });
  };
  const compare = (pair: Pair): void => {
    const { old, now } = pair;
    const ids = { before: old.id, after: now.id };
    const parts = stateParts(pair, sameStates);
    const words = stateWords(now, after.root);
    if (parts.length > 0) changes.push({ kind: 'changed', of: 'state', ...ids, parts, words });
    const transitions = pairedTransitions(pair, sameStates);
    for (const each of now.transitions) {
      const same = transitions.find((one) => one.now === each);
      if (same === undefined) {
        addArrow(now, each);
        continue;
      }
      arrows.set(same.old.id, each.id);
      const changed = transitionParts(same, pair, transitions, sameStates);
      if (changed.length === 0) continue;
      const of = { before: same.old.id, after: each.id, parts: changed, words: arrowWords(now, each) };
      changes.push({ kind: 'changed', of: 'transition', ...of });
    }
    for (const each of old.transitions) {
      if (!transitions.some((one) => one.old === each)) removeArrow(old, each);
    }
    old.states.forEach(removeWhole);
  };
  const visit = (state: ChartState): void => {
    const pair = oldOf.get(state);
    if (pair === undefined) {
      changes.push({
        kind: 'added',
        of: 'state',
        before: null,
        after: state.id,
        parts: [],
        words: stateWords(state, after.root),
      });
      for (const each of state.transitions) addArrow(state, each);
    } else {
      compare(pair);
    }
    state.states.forEach(visit);
  };
  visit(after.root);
  return {
    versions: [before.machineVersion, after.machineVersion],
    changes,
    sameStates,
    isOtherWay: before.mainWay.map((id) => arrows.get(id)).join() !== after.mainWay.join(),
  };
}

const quoted = (values: readonly string[]): string => (values.length === 0 ? 'none' : values.join(', '));

/** One changed property as a clause: `guard: hasClaims, was none`. Lists say only what joined and what left them. */
export function partWords({ part: name, before, after }: ChangedPart): string {
  if (before.length > 1 || after.length > 1) {
    const [gone, come] = [
      before.filter((each) => !after.includes(each)),
      after.filter((each) => !before.includes(each)),
    ];
    const clauses = [
      ...(come.length === 0 ? [] : [`added ${quoted(come)}`]),
      ...(gone.length === 0 ? [] : [`removed ${quoted(gone)}`]),
    ];
    return `${name}: ${clauses.length === 0 ? 'in another order' : clauses.join('; ')}`;
  }
  const said = (values: readonly string[]) =>
    name === 'description' && values.length > 0 ? `“${values.join()}”` : quoted(values);
  return `${name}: ${said(after)}, was ${said(before)}`;
}

const counted = (count: number, of: ChartChange['of']): string =>
  `${count} ${of === 'state' ? 'state' : 'arrow'}${count === 1 ? '' : 's'}`;

/** How much changed: `2 states added, 1 arrow removed`; a sentence if nothing did. */
export function changesSummary({ changes, isOtherWay }: ChartChanges): string {
  const clauses = (['added', 'removed', 'changed'] as const).flatMap((kind) =>
    (['state', 'transition'] as const).flatMap((of) => {
      const count = changes.filter((change) => change.kind === kind && change.of === of).length;
      return count === 0 ? [] : [`${counted(count, of)} ${kind}`];
    }),
  );
  if (isOtherWay) clauses.push('another main path');
  return clauses.length === 0 ? 'Nothing changed.' : `${clauses.join(', ')}.`;
}

/** The sign of each kind of change, for those who do not see its color. */
export const changeSigns: Readonly<Record<ChartChange['kind'], string>> = { added: '+', removed: '−', changed: '±' };

/** How one of two charts shows what changed: the older one what was removed, the newer one what was added. */
export function changeMarks({ changes }: Pick<ChartChanges, 'changes'>, side: 'before' | 'after'): Marks {
  const marked = changes.flatMap((change) => {
    const id = change[side];
    return id === null ? [] : [{ ...change, id }];
  });
  const classes = (of: ChartChange['of']) =>
    new Map(marked.filter((each) => each.of === of).map(({ id, kind }) => [id, `is-${kind}`]));
  return {
    states: classes('state'),
    transitions: classes('transition'),
    notes: new Map(marked.map(({ id, kind }) => [id, `${changeSigns[kind]} ${kind}`])),
  };
}
