import type { Space } from '../../storage/ledger/ledger.ts';
import { transitionsOf } from './transition-rows.ts';

/** The spaces that have one row of an actor, under its id. */
const spacesOfActors: readonly Space[] = ['snapshot', 'live', 'unproven'];

/** A row of the ledger by its place. */
export interface RowKey {
  readonly space: Space;
  readonly key: string;
}

/** Rows of the ledger whose keys begin alike. */
export interface RowRange {
  readonly space: Space;
  readonly prefix: string;
}

/**
 * Everything that the ledger may hold of an actor beside a journal: rows under its id, and ranges of rows below its id. Whatever
 * deletes an actor goes by this list; a new kind of row of actors joins it.
 */
export const rowsOfActor = (
  id: string,
): { readonly rows: readonly RowKey[]; readonly ranges: readonly RowRange[] } => ({
  rows: spacesOfActors.map((space) => ({ space, key: id })),
  ranges: [{ space: 'transition', prefix: transitionsOf(id) }],
});
