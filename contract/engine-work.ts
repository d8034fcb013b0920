import { z } from 'zod';
import { count } from './base/grammar.ts';

/** The progress of a command that works on an engine, one document a line on stderr with `--json`. */
export const engineProgress = z.strictObject({
  schema: z.literal('studio.engine-progress.v1'),
  name: z.string().min(1),
  step: z.enum(['fetching', 'trying']),
  /** Bytes that are here, of so many; null for a step without a measure. */
  done: count.nullable(),
  total: count.nullable(),
});

export type EngineProgress = z.infer<typeof engineProgress>;
