import { z } from 'zod';
import { identity, range, timestamp } from '../base/grammar.ts';
import { listQuery, newestFirstFields } from '../base/newest-first.ts';
import { commandId, runtimeId } from './runtime-start.ts';
import { lifecycle, runtimeReason } from './runtime-status.ts';

/** What a reader may ask of the list of studies. */
export const runtimesQuery = {
  ...listQuery,
  source: identity.optional().describe('only studies of the source with this `sourceSessionId`'),
  lifecycle: lifecycle.optional().describe('only studies that stand here'),
  label: z.string().optional().describe('only studies of sources with exactly this label'),
};

/**
 * One study of a host, as its last commit left it. Its status says more, and verifies the journal first. `label` is that of its
 * source, null where the source is gone.
 */
export const runtimeRow = z.strictObject({
  runtimeId,
  commandId,
  sourceSessionId: identity,
  sourceRevisionId: identity,
  label: z.string().nullable(),
  range,
  lifecycle,
  acceptedAt: timestamp,
  lastTransitionAt: timestamp,
  reason: runtimeReason.nullable(),
  terminal: z.boolean(),
});

/** The answer to `GET /v1/runtimes`. */
export const runtimes = z.strictObject({
  schema: z.literal('studio.local-runtimes.v1'),
  runtimes: z.array(runtimeRow),
  ...newestFirstFields,
});

export type RuntimeRow = z.infer<typeof runtimeRow>;
export type Runtimes = z.infer<typeof runtimes>;
