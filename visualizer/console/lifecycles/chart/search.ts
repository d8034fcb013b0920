import type { ChartState } from '../../../../contract/lifecycles/charts.ts';
import type { ChartIndex } from './chart-index.ts';

const wordsIn = ({ id, description, invokes, entry, exit, journal, transitions }: ChartState): string =>
  [
    id,
    description ?? '',
    ...invokes.flatMap((invoke) => [invoke.id, invoke.actor]),
    ...entry,
    ...exit,
    ...journal,
    ...transitions.flatMap(({ event, label, guard, actions, journal: types }) => [
      event,
      label,
      guard ?? '',
      ...actions,
      ...types,
    ]),
  ]
    .join('\n')
    .toLowerCase();

/** The states in which all words of a search stand: in a name, an event, a guard, an action, an effect or a description. */
export function statesWith(index: ChartIndex, search: string): readonly string[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return [...index.states.values()].flatMap(({ state }) => {
    const text = wordsIn(state);
    return words.every((word) => text.includes(word)) ? [state.id] : [];
  });
}
