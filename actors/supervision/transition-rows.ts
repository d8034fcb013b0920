import type { StateValue } from 'xstate';
import { z } from 'zod';
import { epochMs, positive } from '../../contract/base/grammar.ts';
import { transitionCause } from '../../contract/lifecycles/actors.ts';
import type { Space, Write } from '../../storage/ledger/ledger.ts';
import { type ActorRow, snapshotValue } from './actor-row.ts';

/** Of each actor so many transitions are kept, the newest. No chart comes near that without being restarted or resumed again and again. */
export const keptTransitions = 256;

/** The event with which a chart enters its first state, as XState names it. */
export const firstEvent = 'xstate.init';

/** The cause of a row. Only an event has a type. */
export interface TransitionCause {
  readonly cause: z.infer<typeof transitionCause>;
  readonly event: string | null;
  /** The ids of the transitions of the chart that were taken, in their order; empty for a start in the same state. */
  readonly taken: readonly string[];
}

export const byEvent = (event: string, taken: readonly string[]): TransitionCause => ({ cause: 'event', event, taken });
export const byRestart: TransitionCause = { cause: 'restarted', event: null, taken: [] };
export const byResume: TransitionCause = { cause: 'resumed', event: null, taken: [] };

/**
 * One recorded transition: the state that was entered, why, when (epoch ms), and the number of the commit that holds it. `taken`
 * names the arrows of the chart; rows of versions before 0.4.0 have none. `fromSeq` and `toSeq` are the first and the last entry
 * that the commit added to a journal; a commit that added none has neither.
 */
export const transitionRow = z.strictObject({
  value: z.custom<StateValue>((value) => typeof value === 'string' || (typeof value === 'object' && value !== null)),
  event: z.string().nullable(),
  cause: transitionCause,
  taken: z.array(z.string().min(1)).optional(),
  at: epochMs,
  fromSeq: positive.optional(),
  toSeq: positive.optional(),
  commit: z.number().int(),
});

export type TransitionRow = z.infer<typeof transitionRow>;

const digits = 10;

/** All transitions of an actor have keys with this beginning, in their order. */
export const transitionsOf = (id: string): string => `${id}/`;

/** The key of one transition of an actor; `seq` counts from 1. */
export const transitionKey = (id: string, seq: number): string =>
  `${transitionsOf(id)}${String(seq).padStart(digits, '0')}`;

/** The number at the end of a key. */
export const transitionSeqOf = (key: string): number => Number(key.slice(-digits));

/** The actor that a key is of. */
export const actorOf = (key: string): string => key.slice(0, -(digits + 1));

/** The writes that a transition adds to its commit; `seq` counts the transitions of the actor from 1. */
export function transitionWrites(
  id: string,
  seq: number,
  value: StateValue,
  why: TransitionCause,
  at: number,
): Write[] {
  const row: Write = { stamp: 'transition', key: transitionKey(id, seq), value: { value, ...why, at } };
  return seq <= keptTransitions ? [row] : [row, { del: 'transition', key: transitionKey(id, seq - keptTransitions) }];
}

/** The row of an actor as its commit stores it, with one more transition counted. */
export function withTransitionCounted(
  previous: ActorRow | null,
  row: ActorRow,
  { cause }: TransitionCause,
  at: number,
): ActorRow {
  const { seq = 0, restarts = 0 } = previous?.recorded ?? {};
  return { ...row, recorded: { seq: seq + 1, at, restarts: restarts + (cause === 'restarted' ? 1 : 0) } };
}

/** The transition that the row of an actor counted last. */
export const recordedWrites = (id: string, row: ActorRow, why: TransitionCause): Write[] =>
  row.recorded === undefined ? [] : transitionWrites(id, row.recorded.seq, snapshotValue(row), why, row.recorded.at);

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
