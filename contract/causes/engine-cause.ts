import { z } from 'zod';
import { positive } from '../base/grammar.ts';
import { engineFailureCodes, failingEngines, maximumSaid } from './engine-failures.ts';

/** The failure of an engine in the middle of its work: in answers, and in evidence that is not whole for it. */
export const engineFailureCause = z.strictObject({
  code: z.enum(engineFailureCodes),
  params: z.strictObject({
    engine: z.enum(failingEngines),
    /** The status of an answer over HTTP; absent without one. */
    status: positive.optional(),
    /** The words of the engine, cut to one line; absent if there are none. People see them, and nothing reads them. */
    said: z.string().min(1).max(maximumSaid).optional(),
  }),
});

export type EngineFailureCause = z.infer<typeof engineFailureCause>;
