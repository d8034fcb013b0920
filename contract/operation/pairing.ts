import { z } from 'zod';
import { timestamp } from '../base/grammar.ts';

/** How long a pairing code can be used, in milliseconds. */
export const pairingCodeMs = 300_000;

/** So many wrong codes end the one that is open. */
export const pairingGuesses = 5;

/** So many pages have a token at once; the one that was paired first loses its token to the next. */
export const pairedPages = 16;

/** Ten characters that a person can read out: digits and letters without I, L, O and U; 50 bits of chance. */
export const pairingCode = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{10}$/);

export const pairingCodeRequest = z.strictObject({});

/** A code that the owner of the host hands to one page. Another one ends it. */
export const issuedPairingCode = z.strictObject({
  schema: z.literal('studio.pairing-code.v1'),
  code: pairingCode,
  expiresAt: timestamp,
});

export const pairingRequest = z.strictObject({ schema: z.literal('studio.pairing-request.v1'), code: pairingCode });

/** A bearer token of a page's own. It ends with the host. */
export const pairing = z.strictObject({
  schema: z.literal('studio.pairing.v1'),
  authorizationToken: z.string().regex(/^[0-9a-f]{64}$/),
});

export type IssuedPairingCode = z.infer<typeof issuedPairingCode>;
export type Pairing = z.infer<typeof pairing>;
