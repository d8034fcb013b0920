import { z } from 'zod';
import { contentId, positive, sha256Hex } from '../base/grammar.ts';
import { toolIdentity } from '../base/tool.ts';

/** Where a sealed file lies below its source's folder: a relative path with forward slashes. */
export const sealedPath = z.string().min(1).max(1024);

export const contentHash = z.strictObject({ algorithm: z.literal('sha256'), digest: sha256Hex });

/** The bytes of a sealed file as its records name them. */
export const sealedContent = z.strictObject({ id: contentId, hash: contentHash, bytes: positive });

/** Seconds with at most three decimals, before or after zero. */
export const signedSeconds = z
  .number()
  .refine((value) => Math.round(value * 1000) / 1000 === value, 'must not be finer than a millisecond');

/** Seconds with at most three decimals. */
export const seconds = signedSeconds.nonnegative();

/** Who measured: the tools that ran and the models that they ran on, models being part of the record's lineage. */
export const evidenceRun = z.strictObject({ tools: z.array(toolIdentity), models: z.array(toolIdentity) });

export type SealedContent = z.infer<typeof sealedContent>;
