import type { AnyStateMachine, AnyStateNode, StateValue } from 'xstate';

/**
 * The name of the state of a chart, such as `sealing.writing`. A parallel state is one state: `running.detect`, however far its
 * regions are.
 */
export function stateNameOf(value: StateValue): string {
  if (typeof value === 'string') return value;
  const [[name, inner] = ['', undefined], ...others] = Object.entries(value);
  if (inner === undefined || others.length > 0) return '';
  const rest = stateNameOf(inner);
  return rest === '' ? name : `${name}.${rest}`;
}

/** The names of all states that an actor of a chart can be in, final ones included, in the order of the chart. */
export const statesOf = (machine: AnyStateMachine): string[] => namesBelow(machine.root, []);

function namesBelow(node: AnyStateNode, path: readonly string[]): string[] {
  if (node.type !== 'compound') return [path.join('.')];
  return Object.entries(node.states).flatMap(([name, state]) => namesBelow(state, [...path, name]));
}

/** The chart's part in the row of an actor. */
export interface StoredChart {
  readonly value: StateValue;
  readonly context: Readonly<Record<string, unknown>>;
  /** The input of the actor. */
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

/** There is one version of this chart so far. */
export const captionProductionMigrations: ChartMigrations = {};

/** There is one version of this chart so far. */
export const languageExplanationMigrations: ChartMigrations = {};

/** There is one version of this chart so far. */
export const ownedIngestMigrations: ChartMigrations = {};

/** The four parts of the detection were states of their own, which began and ended with it. */
const detection: ChartMigration = (stored) => ({ ...stored, value: { running: 'detect' } });

export const studyMigrations: ChartMigrations = {
  1: {
    accepted: unchanged,
    initializing: unchanged,
    'running.detect': detection,
    'running.subtitles': unchanged,
    'running.read': unchanged,
    'running.assess': unchanged,
    'running.decide': unchanged,
    'running.admit': unchanged,
    terminal: unchanged,
    failed: unchanged,
    interrupted: unchanged,
  },
};

/** There is one version of this chart so far. */
export const videohostIngestMigrations: ChartMigrations = {};
