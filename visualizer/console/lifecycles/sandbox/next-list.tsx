import { type ChartIndex, shortName } from '../chart/chart-index.ts';
import type { Possible } from './sandbox.ts';

interface NextListProps {
  readonly index: ChartIndex;
  readonly possible: readonly Possible[];
  /** Takes a transition; without it the list only says what could happen. */
  readonly onChoose?: (choice: Possible) => void;
}

/** Which events could come next, and on which guards they depend. */
export function NextList({ index, possible, onChoose }: NextListProps) {
  if (possible.length === 0) return <p class="quiet">Nothing: this is an end.</p>;
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
