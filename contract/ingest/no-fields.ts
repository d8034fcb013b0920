import { z } from 'zod';

/** The body of a request that has nothing to say beside its path: `{}`. */
export const noFields = z.strictObject({});
