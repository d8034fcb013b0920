import { useMemo } from 'preact/hooks';
import { useHost } from '../../../console/host/session.ts';
import { useRemote } from '../../../console/host/use-remote.ts';
import { Notice, RemotePart } from '../../../console/parts/notice.tsx';
import type { DrawnChart } from '../../../contract/lifecycles/charts.ts';
import type { Marks } from '../../../visualizer/drawing/svg.ts';
import { ChartExplorer } from './chart-explorer.tsx';
import { activeWith, type ChartIndex, chartIndex, liesIn, shortName } from './chart-index.ts';
import { type Step, stepsOf } from './path.ts';
import { lifecycleAddress } from './route.ts';
import { readWalks } from './walks.ts';
import { briefly, isKind, type kindWords, stateName } from './words.ts';

/** How long actors were in a state, over all visits that have ended, in ms. */
interface StateHeat {
  readonly stateId: string;
  readonly visits: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** An arrow that leads to an end that the main way does not lead to: a failure, a refusal, a cancellation. */
interface Exit {
  readonly transitionId: string;
  readonly count: number;
  /** The states that actors were in when they took it, the most frequent first. */
  readonly from: readonly (readonly [stateId: string, count: number])[];
}

interface Heat {
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

/** The transitions and times of many actors on their chart. */
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

/** A final state within a part of the chart does not end the actor. */
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

const timeWords = ({ medianMs, p95Ms }: StateHeat): readonly [string, string] => [briefly(medianMs), briefly(p95Ms)];

/** The transitions and times of all actors of a kind on their chart. */
export function HeatView({ drawn }: { readonly drawn: DrawnChart }) {
  const kind = drawn.chart.machineId;
  if (!isKind(kind)) {
    return (
      <Notice kind="unavailable" title="No actors have this chart">
        A command walks it from beginning to end in one commit, so there is no time in its states to measure.
      </Notice>
    );
  }
  return <OfKind drawn={drawn} kind={kind} />;
}

function OfKind({ drawn, kind }: { readonly drawn: DrawnChart; readonly kind: keyof typeof kindWords }) {
  const host = useHost();
  const index = useMemo(() => chartIndex(drawn.chart), [drawn]);
  const { remote, reload } = useRemote(() => readWalks(host, kind), [host, kind]);
  return (
    <RemotePart of={remote} what="the steps of all actors" onRetry={reload}>
      {({ walks, isAll }) =>
        walks.length === 0 ? (
          <Notice kind="empty" title="There is no actor of this kind yet" />
        ) : (
          <OnChart
            drawn={drawn}
            index={index}
            heat={heatOf(
              index,
              walks.map((walk) => stepsOf(index, walk)),
            )}
            of={walks.length === 1 ? 'The only actor' : `${isAll ? 'All' : 'The newest'} ${walks.length} actors`}
          />
        )
      }
    </RemotePart>
  );
}

interface OnChartProps {
  readonly drawn: DrawnChart;
  readonly index: ChartIndex;
  readonly heat: Heat;
  readonly of: string;
}

function OnChart({ drawn, index, heat, of }: OnChartProps) {
  const marks = useMemo(() => heatMarks(heat), [heat]);
  const way = useMemo(() => ({ transitions: [...heat.arrows.keys()], states: [] }), [heat]);
  return (
    <ChartExplorer
      drawn={drawn}
      index={index}
      marks={marks}
      way={way}
      wayWords="what was taken"
      beside={
        <section class="panel" aria-label="Times">
          <p class="overline">{of}</p>
          <StateTimes index={index} heat={heat} />
          <Exits index={index} heat={heat} />
          <a href={lifecycleAddress({ view: 'chart', chartId: drawn.chart.machineId, mode: 'coverage', from: null })}>
            What no actor took
          </a>
        </section>
      }
    />
  );
}

function StateTimes({ index, heat }: { readonly index: ChartIndex; readonly heat: Heat }) {
  const order = [...index.states.keys()];
  const rows = heat.states.toSorted((one, other) => order.indexOf(one.stateId) - order.indexOf(other.stateId));
  return (
    <table class="times">
      <caption>Time in each state</caption>
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col" class="number">
            Visits
          </th>
          <th scope="col" class="number">
            Median
          </th>
          <th scope="col" class="number">
            p95
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const [median, p95] = timeWords(row);
          return (
            <tr key={row.stateId}>
              <th scope="row">{stateName(row.stateId)}</th>
              <td class="number">{row.visits}</td>
              <td class="number">{median}</td>
              <td class="number">{p95}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Exits({ index, heat: { exits, actors } }: { readonly index: ChartIndex; readonly heat: Heat }) {
  if (exits.length === 0) {
    return (
      <p class="quiet">{actors === 1 ? 'It did not leave' : 'None of them left'} the main path for another end.</p>
    );
  }
  return (
    <>
      <h3>Where {actors === 1 ? 'it' : 'they'} left the main path</h3>
      <ul class="plain lined">
        {exits.map(({ transitionId, count, from }) => {
          const { transition } = index.transitions.get(transitionId) ?? {};
          return (
            <li key={transitionId}>
              <span class="line-name bad-text">{transition?.label}</span>
              <span>
                {count} of {actors}
              </span>
              <span class="quiet leaving-more">
                {from.map(([state, times]) => `${stateName(state)} ${times} ×`).join(', ')} →{' '}
                {transition?.targets.map((target) => shortName(index, target)).join(', ')}
              </span>
            </li>
          );
        })}
      </ul>
    </>
  );
}
