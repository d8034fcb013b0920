import { z } from 'zod';
import { type ErrorCode, errorCodes } from './error-codes.ts';

/** The answer to a request that is refused: a code of the closed set, and what happened and what can be done about it. */
export const errorEnvelope = z.strictObject({
  schema: z.literal('studio.local-runtime-error.v1'),
  error: z.strictObject({ code: z.enum(Object.keys(errorCodes) as ErrorCode[]), message: z.string().min(1).max(256) }),
});

export type ErrorEnvelope = z.infer<typeof errorEnvelope>;
