import type { ActorKind, ListedActor } from '../../../../contract/lifecycles/actors.ts';
import { addressOf } from '../../host/route.ts';
import { Badge } from '../../parts/badge.tsx';
import { Identity } from '../../parts/identity.tsx';
import { sentence } from '../../words/codes.ts';
import { moment } from '../../words/time-code.ts';
import { actorTone, kindWords, phaseWords, stateNames } from '../words.ts';

interface ActorHeadProps {
  readonly actorId: string;
  readonly kind: ActorKind | null;
  readonly row: ListedActor | null;
}

/** How often work began again, in words; empty where it never did. */
export function againWords({ restarts, resumes }: Pick<ListedActor, 'restarts' | 'resumes'>): string {
  const words = [
    restarts === 0 ? '' : restarts === 1 ? 'restarted once' : `restarted ${restarts} times`,
    resumes === 0 ? '' : resumes === 1 ? 'resumed once' : `resumed ${resumes} times`,
  ];
  return words.filter(Boolean).join(', ');
}

export const ActorBadge = ({ row }: { readonly row: ListedActor }) => (
  <Badge state={row.phase} tone={actorTone(row)} words={`${stateNames(row.states)}, ${phaseWords[row.phase]}`} />
);

/** Which actor it is, how it is, and where what it works on can be seen. */
export function ActorHead({ actorId, kind, row }: ActorHeadProps) {
  const again = row === null ? '' : againWords(row);
  return (
    <div class="study-head">
      <div>
        <h1>{kind === null ? 'An actor' : sentence(kindWords[kind])}</h1>
        <p class="quiet">
          <Identity id={actorId} />
          {row?.startedAt != null && ` · since ${moment(row.startedAt)}`}
          {again !== '' && ` · ${again}`}
        </p>
      </div>
      <div class="study-state" aria-live="polite">
        {row !== null && <ActorBadge row={row} />}
        {row?.runtimeId != null && (
          <a href={addressOf({ view: 'study', runtimeId: row.runtimeId, pane: 'evidence' })}>Its study</a>
        )}
      </div>
    </div>
  );
}
