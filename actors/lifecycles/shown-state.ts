import type { StateValue } from 'xstate';
import type { ChartStateValue } from '../../contract/lifecycles/actors.ts';
import { activeStatesOf } from '../../machines/machine-chart.ts';

/** Where a chart stands, as clients are told: its value, and the active states by the ids that they have in the chart. */
export const shownState = (
  machineId: string,
  value: StateValue,
): { readonly value: ChartStateValue; readonly states: string[] } => ({
  value: value as ChartStateValue,
  states: activeStatesOf(value).map((path) => `${machineId}.${path}`),
});
