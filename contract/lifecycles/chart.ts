import { z } from 'zod';

/** An effect that runs as long as its state is active; `actor` is the name under which the machine is given its logic. */
export const chartInvoke = z.strictObject({ id: z.string().min(1), actor: z.string().min(1) });

/**
 * One transition of the state that holds it. `event` is the machine's own event type, `label` the same in words.
 * Without targets the state stays as it is and only the actions run.
 */
export const chartTransition = z.strictObject({
  id: z.string().min(1),
  event: z.string(),
  label: z.string().min(1),
  guard: z.string().min(1).nullable(),
  actions: z.array(z.string().min(1)),
  targets: z.array(z.string().min(1)),
  reenter: z.boolean(),
  /** Types of the journal events that the transition adds to its commit. */
  journal: z.array(z.string().min(1)),
  description: z.string().nullable(),
});

/** A state and what lies inside it; `id` is the id of the state in the machine, `initial` the id of a child. */
export const chartState = z.strictObject({
  id: z.string().min(1),
  name: z.string().min(1),
  kind: z.enum(['atomic', 'compound', 'parallel', 'final', 'history']),
  description: z.string().nullable(),
  initial: z.string().nullable(),
  entry: z.array(z.string().min(1)),
  exit: z.array(z.string().min(1)),
  /** Types of the journal events that entering the state adds to the commit. */
  journal: z.array(z.string().min(1)),
  invokes: z.array(chartInvoke),
  transitions: z.array(chartTransition),
  get states() {
    return z.array(chartState);
  },
});

/**
 * A machine as plain data, to be drawn. `mainWay` lists the ids of the transitions that the machine is made for: from the
 * initial state to where the work is done, then inside the regions of parallel states.
 */
export const chart = z.strictObject({
  schema: z.literal('studio.chart.v1'),
  machineId: z.string().min(1),
  machineVersion: z.string().min(1),
  root: chartState,
  mainWay: z.array(z.string().min(1)),
});

export type Chart = z.infer<typeof chart>;
export type ChartState = z.infer<typeof chartState>;
export type ChartTransition = z.infer<typeof chartTransition>;
