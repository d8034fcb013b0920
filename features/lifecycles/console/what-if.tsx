import { useMemo } from 'preact/hooks';
import { useStore } from '../../../console/host/use-remote.ts';
import { Notice } from '../../../console/parts/notice.tsx';
import type { ChartStateValue } from '../../../contract/lifecycles/actors.ts';
import type { DrawnChart } from '../../../contract/lifecycles/charts.ts';
import type { Marks } from '../../../visualizer/drawing/svg.ts';
import { ChartExplorer } from './chart-explorer.tsx';
import { activeWith, type ChartIndex, shortName } from './chart-index.ts';
import { type Possible, type Sandbox, type Standing, sandboxAt } from './sandbox.ts';
import { eventWords, stateNames } from './words.ts';

interface NextListProps {
  readonly index: ChartIndex;
  readonly possible: readonly Possible[];
  /** Takes a transition; without it the list is for reading only. */
  readonly onChoose?: (choice: Possible) => void;
}

/** The events that could come next, and the guards on which they depend. */
export function NextList({ index, possible, onChoose }: NextListProps) {
  if (possible.length === 0) return <p class="quiet">Nothing: this is a final state.</p>;
  return (
    <ul class="plain lined" aria-label="What could happen next">
      {possible.map((choice) => {
        const { transition, source, isAtOnce } = choice;
        const { id, label, guard, targets } = transition;
        const to = targets.length === 0 ? 'stays' : targets.map((target) => shortName(index, target)).join(', ');
        return (
          <li key={id}>
            {onChoose === undefined ? (
              <span class="line-name">{label}</span>
            ) : (
              <button type="button" class="link line-name" onClick={() => onChoose(choice)}>
                {label}
              </button>
            )}
            <span>→ {to}</span>
            <span class="quiet leaving-more">
              {isAtOnce ? 'without an event, ' : ''}in {source.name}
              {guard !== null && (
                <>
                  {' '}
                  · depends on <span class="guard-word">{guard}</span>
                </>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

interface WhatIfProps {
  readonly drawn: DrawnChart;
  /** The state in which it begins; null for the initial state. */
  readonly from: ChartStateValue | null;
}

/** Steps through a copy of a machine. Nothing in the host moves. */
export function WhatIf({ drawn, from }: WhatIfProps) {
  const box = useMemo(() => sandboxAt(drawn.chart, from), [drawn, JSON.stringify(from)]);
  if (box === null) {
    return (
      <Notice kind="unavailable" title="The machine cannot begin there">
        The address names a state that this chart does not have.
      </Notice>
    );
  }
  return <OpenSandbox drawn={drawn} box={box} />;
}

function OpenSandbox({ drawn, box }: { readonly drawn: DrawnChart; readonly box: Sandbox }) {
  const standings = useStore(box.store, (context) => context.standings);
  const now = standings.at(-1);
  const marks = useMemo(() => marksOf(box.index, standings), [box, standings]);
  const way = useMemo(
    () => ({
      transitions: standings.flatMap(({ taken }) => taken),
      states: standings.flatMap(({ states }) => states),
    }),
    [standings],
  );
  if (now === undefined) return null;
  return (
    <ChartExplorer
      drawn={drawn}
      index={box.index}
      marks={marks}
      way={way}
      wayWords="the path so far"
      inSight={now.states[0] ?? null}
      beside={
        <section class="panel" aria-label="What if" aria-live="polite">
          <p class="overline">A copy of the machine; nothing in the host moves</p>
          <h2>{stateNames(now.states)}</h2>
          <NextList
            index={box.index}
            possible={box.possible(now)}
            onChoose={(choice) => box.store.send({ type: 'chose', choice })}
          />
          <div class="actions">
            <button
              type="button"
              disabled={standings.length === 1}
              onClick={() => box.store.send({ type: 'wentBack' })}
            >
              Back
            </button>
            <button
              type="button"
              disabled={standings.length === 1}
              onClick={() => box.store.send({ type: 'beganAgain' })}
            >
              From the beginning
            </button>
          </div>
          {standings.length > 1 && <Way standings={standings.slice(1)} />}
        </section>
      }
    />
  );
}

const Way = ({ standings }: { readonly standings: readonly Standing[] }) => (
  <ol class="plain lined" aria-label="The path so far">
    {standings.map(({ event, states, assumed }, at) => (
      <li key={at}>
        <span class="line-name">{event === '' ? 'at once' : eventWords(event)}</span>
        <span>{stateNames(states)}</span>
        {assumed.length > 0 && <span class="quiet leaving-more">where {assumed.join(', ')} holds</span>}
      </li>
    ))}
  </ol>
);

function marksOf(index: ChartIndex, standings: readonly Standing[]): Marks {
  const now = standings.at(-1);
  const passed = standings.flatMap(({ states }) => [...activeWith(index, states)]);
  const active = now === undefined ? [] : [...activeWith(index, now.states)];
  return {
    states: new Map([
      ...passed.map((id) => [id, 'passed'] as const),
      ...active.map((id) => [id, now?.states.includes(id) ? 'lit now' : 'lit'] as const),
    ]),
    transitions: new Map([
      ...standings.flatMap(({ taken }) => taken.map((id) => [id, 'taken'] as const)),
      ...(now?.taken ?? []).map((id) => [id, 'taken last'] as const),
    ]),
    notes: new Map(),
  };
}
