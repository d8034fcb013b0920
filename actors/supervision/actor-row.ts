import type { StateValue } from 'xstate';
import { z } from 'zod';
import { epochMs } from '../../contract/base/grammar.ts';

const stateValue = z.looseObject({ value: z.union([z.string(), z.record(z.string(), z.unknown())]) });

/** One actor as the ledger keeps it: where its chart stands, and what the supervisor must know to go on. */
export const actorRow = z.strictObject({
  kind: z.string(),
  machineId: z.string(),
  machineVersion: z.number().int(),
  input: z.unknown(),
  /** The state as clients name it, and when it last changed (epoch ms). */
  status: z.string(),
  updatedAt: epochMs,
  /** Position in the work queue, stored under this name since the first version; null outside of the queue. */
  ticket: z.number().int().nullable(),
  /** How often a host died while this was at work, since the last new commit. */
  resumes: z.number().int(),
  /** How often it was taken up again in all. */
  totalResumes: z.number().int(),
  /**
   * Stands with work that hosts died over so often that it is taken up alone: how often a host died since while it was the
   * only work running, and whether it is running now or waits for its turn.
   */
  alone: z.strictObject({ deaths: z.number().int(), isRunning: z.boolean() }).optional(),
  /**
   * What is recorded of its transitions: the number and the time (epoch ms) of the newest, and how often the actor was started
   * again after it failed. Rows that an earlier version wrote last have none.
   */
  recorded: z.strictObject({ seq: z.number().int(), at: epochMs, restarts: z.number().int() }).optional(),
  /** What is left of the time the actor may use, counted only while the host is up. */
  remainingMs: z.number().nullable(),
  /** The chart's own snapshot: at least a state value. */
  snapshot: z.unknown().refine((snapshot) => stateValue.safeParse(snapshot).success, 'not the snapshot of a chart'),
});

export type ActorRow = z.infer<typeof actorRow>;

/** The state value inside a row's snapshot. */
export const snapshotValue = (row: ActorRow): StateValue => (row.snapshot as { readonly value: StateValue }).value;

/** Whether the chart that wrote a row had come to its end there; a state that it rests in is none. */
export const isFinished = (row: ActorRow): boolean => (row.snapshot as { readonly status?: unknown }).status === 'done';

/** The row of the live index: enough to find the definition of the actor without reading the actor. */
export const liveRow = z.strictObject({ kind: z.string() });
