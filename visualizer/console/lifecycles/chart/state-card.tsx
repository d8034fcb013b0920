import type { ChartTransition } from '../../../../contract/lifecycles/charts.ts';
import { Facts } from '../../parts/facts.tsx';
import { type ChartIndex, shortName } from './chart-index.ts';

interface StateCardProps {
  readonly index: ChartIndex;
  readonly stateId: string;
  readonly onChoose: (stateId: string) => void;
}

const joined = (names: readonly string[]): string => names.join(', ');

/** What a state is for, what it runs, and where it can be left for. */
export function StateCard({ index, stateId, onChoose }: StateCardProps) {
  const state = index.states.get(stateId)?.state;
  if (state === undefined) return null;
  const { description, invokes, entry, exit, journal, transitions } = state;
  const facts: (readonly [string, string])[] = [
    ['Runs', joined(invokes.map(({ id, actor }) => (id === actor ? id : `${id} (${actor})`)))],
    ['On entry', joined(entry)],
    ['On exit', joined(exit)],
    ['Journal on entry', joined(journal)],
  ];
  return (
    <section class="panel" aria-label="Chosen state">
      <p class="overline">{state.kind === 'atomic' ? 'State' : `State, ${state.kind}`}</p>
      <h2>{state.name}</h2>
      {description !== null && <p>{description}</p>}
      <Facts of={facts.filter(([, words]) => words !== '')} />
      {transitions.length > 0 && (
        <ul class="plain lined">
          {transitions.map((transition) => (
            <Leaving key={transition.id} index={index} transition={transition} onChoose={onChoose} />
          ))}
        </ul>
      )}
    </section>
  );
}

interface LeavingProps {
  readonly index: ChartIndex;
  readonly transition: ChartTransition;
  readonly onChoose: (stateId: string) => void;
}

const Leaving = ({ index, transition: { label, guard, actions, targets, journal }, onChoose }: LeavingProps) => (
  <li>
    <span class="line-name">
      {label}
      {guard !== null && <span class="guard-word"> [{guard}]</span>}
    </span>
    <span>
      {targets.length === 0 && <span class="quiet">stays</span>}
      {targets.map((target) => (
        <button key={target} type="button" class="link" onClick={() => onChoose(target)}>
          {shortName(index, target)}
        </button>
      ))}
    </span>
    {actions.length + journal.length > 0 && (
      <span class="quiet leaving-more">
        {joined(actions)}
        {actions.length > 0 && journal.length > 0 ? ' · ' : ''}
        {journal.length > 0 && `journal ${joined([...new Set(journal)])}`}
      </span>
    )}
  </li>
);
