import type { Step } from '../actor/moves.ts';
import { briefly, stateNames } from '../words.ts';
import { compared, partingWords } from './comparison.ts';

interface CompareTableProps {
  readonly steps: readonly Step[];
  readonly otherSteps: readonly Step[];
}

/** Two ways beside each other: where they part, and what each step took. */
export function CompareTable({ steps, otherSteps }: CompareTableProps) {
  const comparison = compared(steps, otherSteps);
  const time = (step: Step | null): string => (step?.stayedMs == null ? '' : briefly(step.stayedMs));
  return (
    <section class="panel" aria-label="Comparison">
      <p>{partingWords(comparison)}</p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Steps side by side">
        <table class="times">
          <thead>
            <tr>
              <th scope="col">This one</th>
              <th scope="col" class="number">
                Stayed
              </th>
              <th scope="col">The other</th>
              <th scope="col" class="number">
                Stayed
              </th>
            </tr>
          </thead>
          <tbody>
            {comparison.pairs.map(({ one, other, isSame }, at) => (
              <tr key={at} data-same={isSame}>
                <td>{one === null ? '' : stateNames(one.states)}</td>
                <td class="number">{time(one)}</td>
                <td>{isSame ? <span class="quiet">the same</span> : other === null ? '' : stateNames(other.states)}</td>
                <td class="number">{time(other)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
