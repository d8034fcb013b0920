import { z } from 'zod';

/** What a host says of itself to every client that reaches it: that it answers, and its version. */
export const hostHealth = z.strictObject({
  schema: z.literal('studio.host-health.v1'),
  status: z.literal('ok'),
  version: z.string(),
});

export type HostHealth = z.infer<typeof hostHealth>;
