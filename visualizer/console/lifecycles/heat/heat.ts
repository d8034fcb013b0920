import type { Step } from '../actor/moves.ts';
import { activeWith, type ChartIndex, liesIn } from '../chart/chart-index.ts';
import type { Marks } from '../chart/marks.ts';
import { briefly } from '../words.ts';

/** How long actors were in a state, over all visits that have ended, in ms. */
export interface StateHeat {
  readonly stateId: string;
  readonly visits: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** An arrow that leads to an end that the main way does not lead to: a failure, a refusal, a cancellation. */
export interface Exit {
  readonly transitionId: string;
  readonly count: number;
  /** The states that actors were in when they took it, the most frequent first. */
  readonly from: readonly (readonly [stateId: string, count: number])[];
}

export interface Heat {
  readonly actors: number;
  readonly arrows: ReadonlyMap<string, number>;
  readonly states: readonly StateHeat[];
  readonly exits: readonly Exit[];
}

/** The smallest of the values that so large a share of them does not exceed (nearest rank). */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/** The lengths of all visits to each state, states around others included. A start in the same state goes on with its visit. */
function visitsIn(index: ChartIndex, walks: readonly (readonly Step[])[]): ReadonlyMap<string, readonly number[]> {
  const visits = new Map<string, number[]>();
  for (const steps of walks) {
    const entered = new Map<string, number>();
    for (const { states, at } of steps) {
      const active = activeWith(index, states);
      for (const [id, since] of [...entered]) {
        if (active.has(id)) continue;
        entered.delete(id);
        visits.set(id, [...(visits.get(id) ?? []), at - since]);
      }
      for (const id of active) if (!entered.has(id)) entered.set(id, at);
    }
  }
  return visits;
}

const counted = (ids: readonly string[]): (readonly [string, number])[] => {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one);
};

/** What many actors did on their chart. */
export function heatOf(index: ChartIndex, walks: readonly (readonly Step[])[]): Heat {
  const good = new Set(index.chart.mainWay.flatMap((id) => index.transitions.get(id)?.transition.targets ?? []));
  const isExit = (id: string): boolean =>
    (index.transitions.get(id)?.transition.targets ?? []).some(
      (target) => index.states.get(target)?.state.kind === 'final' && !good.has(target) && !isInner(index, target),
    );
  const arrows = new Map(counted(walks.flatMap((steps) => steps.flatMap(({ taken }) => [...taken]))));
  const leftFrom = (id: string): string[] =>
    walks.flatMap((steps) =>
      steps.flatMap(({ taken }, at) => (taken.includes(id) ? [...(steps[at - 1]?.states ?? [])] : [])),
    );
  return {
    actors: walks.length,
    arrows,
    states: [...visitsIn(index, walks)]
      .filter(([id]) => id !== index.chart.root.id)
      .map(([stateId, lengths]) => ({
        stateId,
        visits: lengths.length,
        medianMs: percentile(lengths, 0.5),
        p95Ms: percentile(lengths, 0.95),
      })),
    exits: [...arrows]
      .filter(([id]) => isExit(id))
      .map(([transitionId, count]) => ({ transitionId, count, from: counted(leftFrom(transitionId)) })),
  };
}

/** An end of a part of the chart is no end of the actor. */
const isInner = (index: ChartIndex, id: string): boolean =>
  index.states.get(id)?.parent?.state.id !== index.chart.root.id && liesIn(index, id, index.chart.root.id);

const warmest = 4;

/** Arrows as thick as they are often taken, those that leave the main way for an end apart. */
export function heatMarks({ arrows, states, exits }: Heat): Marks {
  const most = Math.max(1, ...arrows.values());
  const lost = new Set(exits.map(({ transitionId }) => transitionId));
  const slowest = Math.max(1, ...states.map(({ medianMs }) => medianMs));
  const warmth = (share: number): number => Math.max(1, Math.ceil(share * warmest));
  return {
    states: new Map(states.map(({ stateId, medianMs }) => [stateId, `warm-${warmth(medianMs / slowest)}`])),
    transitions: new Map(
      [...arrows].map(([id, count]) => [id, `${lost.has(id) ? 'lost' : 'taken'} thick-${warmth(count / most)}`]),
    ),
    notes: new Map([...arrows].map(([id, count]) => [id, `${count} ×`])),
  };
}

export const timeWords = ({ medianMs, p95Ms }: StateHeat): readonly [string, string] => [
  briefly(medianMs),
  briefly(p95Ms),
];
