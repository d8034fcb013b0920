import { createMachine } from 'xstate';
import type { Chart } from '../../../../contract/lifecycles/charts.ts';
import { chartOf } from '../../../../machines/machine-chart.ts';
import { FileError } from './file-error.ts';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hint =
  'Give the configuration of an XState 5 machine as JSON, what its toJSON() gives, or a chart that was saved here';

/** A chart that this console or a host wrote. */
function savedChart(value: Json): Chart | null {
  const chart = value.schema === 'studio.drawn-chart.v1' ? value.chart : value;
  if (!isObject(chart) || chart.schema !== 'studio.chart.v1') return null;
  if (!isObject(chart.root) || !Array.isArray(chart.root.states) || !Array.isArray(chart.mainWay)) {
    throw new FileError('the chart in this file is not whole', hint);
  }
  return chart as unknown as Chart;
}

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

/**
 * What `toJSON()` of a machine gives, as a configuration: there the initial state is a transition, and every state has its
 * transitions a second time. XState leaves out those without an event there.
 */
function configOf(state: Json): Json {
  const { initial, states, transitions: _, key: __, ...rest } = state;
  return {
    ...rest,
    ...(initial !== undefined && { initial: isObject(initial) ? localName(first(initial.target)) : initial }),
    ...(isObject(states) && {
      states: Object.fromEntries(
        Object.entries(states).map(([name, inner]) => [name, isObject(inner) ? configOf(inner) : inner]),
      ),
    }),
  };
}

/** `#light.red.walk` names the child `walk`. */
const localName = (target: unknown): unknown =>
  typeof target === 'string' && target.startsWith('#') ? target.slice(target.lastIndexOf('.') + 1) : target;

/** Reads a machine from JSON. Throws `FileError`. */
export function chartFromJson(text: string): Chart {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new FileError('this file is no JSON', hint, error);
  }
  if (!isObject(value)) throw new FileError('this file holds no machine', hint);
  const saved = savedChart(value);
  if (saved !== null) return saved;
  if (!isObject(value.states)) throw new FileError('this file holds no states', hint);
  try {
    // The meta data of a foreign machine is its own; a chart would look there for its main way.
    const { meta: _, ...config } = configOf(value);
    return chartOf(createMachine({ id: 'machine', ...config }));
  } catch (error) {
    throw new FileError(
      `XState does not take this machine: ${error instanceof Error ? error.message : error}`,
      hint,
      error,
    );
  }
}
