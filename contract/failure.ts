import { z } from 'zod';

/** Why something ended badly: a code of a closed set and a sentence of at most 256 characters. */
export const failure = z.strictObject({ code: z.string().min(1), message: z.string().min(1).max(256) });

export type Failure = z.infer<typeof failure>;

/** Cuts a message to the wire's 256 characters, never to nothing. */
export const failureMessage = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim().slice(0, 256);
  return line === '' ? 'no further detail' : line;
};
