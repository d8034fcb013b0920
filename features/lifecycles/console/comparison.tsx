import { useState } from 'preact/hooks';
import { useHost } from '../../../console/host/session.ts';
import { useRemote } from '../../../console/host/use-remote.ts';
import { Field } from '../../../console/parts/field.tsx';
import { moment } from '../../../console/words/numbers.ts';
import type { ActorKind } from '../../../contract/lifecycles/actors.ts';
import type { Marks } from '../../../visualizer/drawing/svg.ts';
import type { Step } from './path.ts';
import { lifecycleAddress } from './route.ts';
import { briefly, eventWords, stateNames } from './words.ts';

/** Two steps in the same place of two ways; null where one way has ended. */
interface Pair {
  readonly one: Step | null;
  readonly other: Step | null;
  readonly isSame: boolean;
}

interface Comparison {
  readonly pairs: readonly Pair[];
  /** How many steps are the same before the ways part. */
  readonly shared: number;
  readonly hasParted: boolean;
}

/** A start after a failure or after the end of a host does not choose a path. */
const choicesOf = (steps: readonly Step[]): readonly Step[] => steps.filter(({ cause }) => cause === 'event');

const isSame = (one: Step, other: Step): boolean =>
  one.event === other.event && JSON.stringify(one.value) === JSON.stringify(other.value);

/** Two ways beside each other, step by step, and where they part. One that is shorter has not parted while it can still follow. */
export function compared(oneSteps: readonly Step[], otherSteps: readonly Step[]): Comparison {
  const [ones, others] = [choicesOf(oneSteps), choicesOf(otherSteps)];
  const pairs = Array.from({ length: Math.max(ones.length, others.length) }, (_, at): Pair => {
    const [one, other] = [ones[at] ?? null, others[at] ?? null];
    return { one, other, isSame: one !== null && other !== null && isSame(one, other) };
  });
  const first = pairs.findIndex((pair) => !pair.isSame);
  const shared = first === -1 ? pairs.length : first;
  const parting = pairs[shared];
  return { pairs, shared, hasParted: parting !== undefined && parting.one !== null && parting.other !== null };
}

/** The marks of one way, with what only the other one took. */
export function withOther(marks: Marks, otherSteps: readonly Step[]): Marks {
  const added = new Map(marks.transitions);
  for (const { taken } of otherSteps) for (const id of taken) if (!added.has(id)) added.set(id, 'other');
  const states = new Map(marks.states);
  for (const { states: ids } of otherSteps) for (const id of ids) if (!states.has(id)) states.set(id, 'other');
  return { ...marks, states, transitions: added };
}

/** Where two ways part, as a sentence. */
export function partingWords({ pairs, shared, hasParted }: Comparison): string {
  const last = pairs[shared - 1]?.one;
  const parting = pairs[shared];
  if (last == null) return 'They begin differently.';
  if (parting === undefined) return `Both took the same ${shared} steps.`;
  if (!hasParted) return `Both took the same ${shared} steps; one has not gone on from ${stateNames(last.states)}.`;
  const went = (step: Step | null): string =>
    step === null ? '' : `to ${stateNames(step.states)} (${eventWords(step.event)})`;
  return `They parted in ${stateNames(last.states)}, after ${shared} steps: this one went ${went(parting.one)}, the other ${went(parting.other)}.`;
}

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

const offered = 50;

interface CompareFieldProps {
  readonly actorId: string;
  readonly kind: ActorKind;
  readonly besideId: string | null;
}

/** Chooses another actor of the kind to compare with. */
export function CompareField({ actorId, kind, besideId }: CompareFieldProps) {
  const host = useHost();
  const [isOpen, setOpen] = useState(besideId !== null);
  const { remote } = useRemote(
    async () => (isOpen ? (await host.lifecycles.actors({ kind, limit: offered })).actors : []),
    [host, kind, isOpen],
  );
  if (!isOpen) {
    return (
      <button type="button" onClick={() => setOpen(true)}>
        Compare
      </button>
    );
  }
  const others = remote.state === 'ready' ? remote.value.filter((each) => each.actorId !== actorId) : [];
  return (
    <Field label="Compare with">
      {(id) => (
        <select
          id={id}
          value={besideId ?? ''}
          onChange={({ currentTarget: { value } }) => {
            location.hash = lifecycleAddress({ view: 'actor', actorId, besideId: value || null, step: null });
          }}
        >
          <option value="">nothing</option>
          {besideId !== null && !others.some((each) => each.actorId === besideId) && (
            <option value={besideId}>{besideId}</option>
          )}
          {others.map((each) => (
            <option key={each.actorId} value={each.actorId}>
              {`${stateNames(each.states)}, ${moment(each.updatedAt)}`}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
