import { useState } from 'preact/hooks';
import type { ActorKind } from '../../contract/lifecycles/actors.ts';
import { addressOf } from '../host/route.ts';
import { useHost } from '../host/session.ts';
import { useRemote } from '../host/use-remote.ts';
import { Field } from '../parts/field.tsx';
import { moment } from '../words/numbers.ts';
import { stateNames } from './words.ts';

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
            location.hash = addressOf({ view: 'actor', actorId, besideId: value || null, step: null });
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
