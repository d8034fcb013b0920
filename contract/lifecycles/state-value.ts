import { z } from 'zod';

/** Where a chart stands, as XState says it: the name of a state, or of each active state with what is active inside. */
export type ChartStateValue = string | { readonly [state: string]: ChartStateValue };

/**
 * Where a chart stands: the name of a state, or an object from the names of active states to where these stand. A parallel state
 * has a key for each of its regions.
 */
export const chartStateValue: z.ZodType<ChartStateValue> = z.lazy(() =>
  z.union([z.string(), z.record(z.string(), chartStateValue)]),
);

/** The ids of active states that have none inside them, as the chart has them, such as `runtime.running.detect`. */
export const activeStates = z.array(z.string().min(1));
