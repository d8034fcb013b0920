import type { StoredObject } from '../../contract/base/stored-object.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';

/** What one step of a study leaves behind: bytes to store first, then events to commit in this order. */
export interface StepResult<References> {
  readonly objects: readonly StoredObject[];
  readonly events: readonly EventDraft[];
  /** Under which names the results are found again by the later steps. */
  readonly refs: References;
}

/** Several results as that of one step. */
export const stepOf = <Reference>(results: readonly StepResult<Reference>[]): StepResult<Reference[]> => ({
  objects: results.flatMap(({ objects }) => objects),
  events: results.flatMap(({ events }) => events),
  refs: results.map(({ refs }) => refs),
});
