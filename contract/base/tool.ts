import { z } from 'zod';
import { contentId } from './grammar.ts';

/** Who produced a fact: `digest` is the SHA-256 of the executable or of the model weights. */
export const toolIdentity = z.strictObject({
  name: z.string().min(1).max(80),
  version: z.string().min(1).max(160),
  digest: contentId,
});

export type ToolIdentity = z.infer<typeof toolIdentity>;
