import { z } from 'zod';
import { ServiceError } from '../../contract/base/errors.ts';
import { type ActorKind, actorKind } from '../../contract/lifecycles/actors.ts';
import { publishReviewMachine } from '../../machines/publish-review.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import { reviewKey, reviewRow, reviewScope } from '../reopening/review-rows.ts';
import { readStored } from '../supervision/stored-read.ts';
import type { Supervisor } from '../supervision/supervisor.ts';

/** What clients are told of an actor beside where it stands. */
export interface KnownActor {
  readonly actorId: string;
  readonly kind: ActorKind;
  readonly chartId: string;
  /** The study that it is part of. */
  readonly runtimeId: string | null;
}

const partOfRuntime = z.object({ runtimeId: z.string() });

/** The study that the input of an actor names. */
export const runtimeOf = (input: unknown): string | null => partOfRuntime.safeParse(input).data?.runtimeId ?? null;

/** What an id names: an actor, or the review of an intake. Throws `unknown_actor` and `stored_content_inconsistent`. */
export function knownActor(
  { ledger, supervisor }: { readonly ledger: Ledger; readonly supervisor: Supervisor },
  actorId: string,
): KnownActor {
  return readStored(() => {
    const row = supervisor.read(actorId);
    if (row !== undefined && supervisor.definition(row.kind) !== undefined) {
      return { actorId, kind: actorKind.parse(row.kind), chartId: row.machineId, runtimeId: runtimeOf(row.input) };
    }
    const review = actorId === '' ? undefined : ledger.get('record', reviewKey(actorId));
    if (review === undefined) throw new ServiceError('unknown_actor', 'no such actor');
    const { runtimeId } = reviewRow.parse(review);
    return { actorId, kind: reviewScope, chartId: publishReviewMachine.id, runtimeId };
  });
}
