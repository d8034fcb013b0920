import { z } from 'zod';
import { sha256Hex } from '../base/grammar.ts';
import { toolIdentity } from '../base/tool.ts';

/** What one run of an order came to, as its worker states it. What `result` is depends on the task. */
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
