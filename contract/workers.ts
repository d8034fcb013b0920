import { z } from 'zod';
import { toolIdentity } from './base/artifact.ts';
import { contentId, sha256Hex } from './base/grammar.ts';
import { parameters } from './evidence/evidence.ts';
import { mediaTask } from './study/task.ts';

/** The sound of one region for a recognizer: its 16-bit samples are an object of the object source. */
export const regionTask = z.strictObject({
  capability: z.literal('semantic.recognize.region'),
  soundContentId: contentId,
  /** Base code of the one declared language; null where several or none are declared. */
  language: z.string().min(1).nullable(),
});

export const workTask = z.union([mediaTask, regionTask]);
export type WorkTask = z.infer<typeof workTask>;
export type RegionTask = z.infer<typeof regionTask>;

/**
 * One operation as a host has it carried out by a worker. Its task names what is read: an object of the object source that both
 * reach. `tools` and `parameters` are those of the host's own plan, which the operation key is derived from.
 */
export const workOrder = z.strictObject({
  schema: z.literal('studio.work-order.v1'),
  /** Version of the program of the host: another version may measure otherwise under the same parameters. */
  version: z.string().min(1),
  operationKey: sha256Hex,
  tools: z.array(toolIdentity).min(1),
  parameters,
  task: workTask,
});
export type WorkOrder = z.infer<typeof workOrder>;

/** The result of one run of an order, as its worker states it. The type of `result` depends on the task. */
export const workOutcome = z.strictObject({
  schema: z.literal('studio.work-outcome.v1'),
  orderId: sha256Hex,
  operationKey: sha256Hex,
  worker: z.string().min(1).max(160),
  version: z.string().min(1),
  tools: z.array(toolIdentity).min(1),
  outcome: z.discriminatedUnion('state', [
    z.strictObject({ state: z.literal('completed'), result: z.unknown() }),
    z.strictObject({ state: z.literal('failed'), message: z.string().min(1).max(2000) }),
  ]),
});
export type WorkOutcome = z.infer<typeof workOutcome>;
