import { z } from 'zod';
import { withoutPaths } from './path-free.ts';
import { cutText, labelLine } from './text.ts';

/** Why something ended badly: a code of a closed set and a sentence of at most 256 characters. */
export const failure = z.strictObject({ code: z.string().min(1), message: z.string().min(1).max(256) });

export type Failure = z.infer<typeof failure>;

const maximumLength = 256;

const oneLine = (text: string, maximum: number): string => {
  const line = cutText(withoutPaths(labelLine(text).replace(/\s+/g, ' ')), maximum);
  return line === '' ? 'no further detail' : line;
};

/**
 * Cuts a message to the wire's 256 characters, never to nothing, and takes this machine's paths out of it. It may quote a client, so
 * it is made the one line that a label is.
 */
export const failureMessage = (text: string): string => oneLine(text, maximumLength);

/** A message of at most 256 characters that ends with what can be done; what happened is cut first, as it may quote a client. */
export const withRemedy = (text: string, remedy: string | null): string =>
  remedy === null ? failureMessage(text) : `${oneLine(text, maximumLength - remedy.length - 2)}; ${remedy}`;
