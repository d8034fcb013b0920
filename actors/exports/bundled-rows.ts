import { z } from 'zod';
import { registeredSource } from '../../contract/sources/source-session.ts';
import { hasEnded, lifecycle, runtimeReason } from '../../contract/study/status.ts';
import { studyRow } from '../reopening/study-row.ts';

/** What the rows of a ledger say of a runtime, as a bundle has it: files of the source are those of the bundle. */
export const bundledRows = z.strictObject({
  schema: z.literal('studio.runtime-bundle-rows.v1'),
  /** Bundles are of studies that have ended: the journal of another could be cut anywhere. */
  lifecycle: lifecycle.refine(hasEnded, 'must have ended'),
  reason: runtimeReason.nullable(),
  start: studyRow,
  source: registeredSource,
  /** The actors of later stages, and the state in which each stands. */
  actors: z.array(z.strictObject({ name: z.enum(['caption', 'explanation']), id: z.string(), status: z.string() })),
});

export type BundledRows = z.infer<typeof bundledRows>;
