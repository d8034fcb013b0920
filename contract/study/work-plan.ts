import { z } from 'zod';
import { range } from '../base/grammar.ts';
import { operationId } from '../base/operation.ts';

/** The work that a start commits to: one pass over the requested range. */
export const workPlan = z.strictObject({
  schema: z.literal('studio.forecast.work-plan.v1'),
  planId: z.string().regex(/^plan:bounded-media-seek:[a-f0-9]{64}$/),
  operations: z.tuple([z.strictObject({ operationId, kind: z.literal('media.seek'), range })]),
});

export type WorkPlan = z.infer<typeof workPlan>;
