import { useMemo } from 'preact/hooks';
import type { DrawnChart } from '../../../../contract/lifecycles/charts.ts';
import { useHost } from '../../host/use-host.ts';
import { useRemote } from '../../host/use-remote.ts';
import { Notice } from '../../parts/notice.tsx';
import { RemotePart } from '../../parts/remote-part.tsx';
import { stepsOf } from '../actor/moves.ts';
import { ChartDesk } from '../chart/chart-desk.tsx';
import { type ChartIndex, chartIndex, shortName } from '../chart/chart-index.ts';
import { isKind, type kindWords, stateName } from '../words.ts';
import { type Heat, heatMarks, heatOf, timeWords } from './heat.ts';
import { readWalks } from './walks.ts';

/** What all actors of a kind did on their chart. */
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
            of={`${isAll ? 'All' : 'The newest'} ${walks.length} ${walks.length === 1 ? 'actor' : 'actors'}`}
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
    <ChartDesk
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
  if (exits.length === 0) return <p class="quiet">None of them left the main way for another end.</p>;
  return (
    <>
      <h3>Where they left the main way</h3>
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
