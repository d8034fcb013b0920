import { z } from 'zod';

/** Bytes inside the state of a measurement. */
export const packedBytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
