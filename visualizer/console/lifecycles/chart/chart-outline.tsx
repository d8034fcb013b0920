import type { ChartIndex } from './chart-index.ts';
import type { Marks } from './marks.ts';

interface ChartOutlineProps {
  readonly index: ChartIndex;
  readonly chosen: string | null;
  readonly onChoose: (stateId: string) => void;
  /** The states that a search found; null where nothing is searched for. */
  readonly found: readonly string[] | null;
  readonly marks: Marks;
}

const kindWords = {
  atomic: '',
  compound: 'holds others',
  parallel: 'all parts at once',
  final: 'end',
  history: 'history',
};

/** Every state as a button, indented by what it lies in: the chart for keys and for readers of the screen. */
export function ChartOutline({ index, chosen, onChoose, found, marks }: ChartOutlineProps) {
  const shown = [...index.states.values()].filter(({ state }) => found === null || found.includes(state.id));
  return (
    <ul class="outline plain" aria-label="States">
      {shown.map(({ state, depth }) => (
        <li key={state.id}>
          <button
            type="button"
            class="outline-state"
            data-depth={Math.min(depth, 5)}
            data-lit={marks.states.get(state.id)?.includes('lit') === true}
            aria-pressed={state.id === chosen}
            onClick={() => onChoose(state.id)}
          >
            <span>{state.name}</span>
            <span class="quiet">{kindWords[state.kind]}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
