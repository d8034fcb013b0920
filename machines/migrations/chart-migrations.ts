import type { StateValue } from 'xstate';

/** What the row of an actor holds of its chart. */
export interface StoredChart {
  readonly value: StateValue;
  readonly context: Readonly<Record<string, unknown>>;
  /** What the actor was started with. */
  readonly input: unknown;
}

/**
 * Brings what one version of a chart stored to the form of the next version. Pure. Whatever the new state invokes begins
 * again, so a migration names the state whose work is to be done next.
 */
export type ChartMigration = (stored: StoredChart) => StoredChart;

/**
 * The migrations of one chart: by the version that wrote a row, then by the name of the state in it (`stateNameOf`). Each
 * leads to the next version. A version that was released has an entry for every state that it had, final ones included.
 */
export type ChartMigrations = Readonly<Record<number, Readonly<Record<string, ChartMigration>>>>;

/** For a state that the next version left as it was. */
export const unchanged: ChartMigration = (stored) => stored;
