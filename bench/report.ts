import { z } from 'zod';

/** The file that `npm run bench -- --json FILE` writes. */
export const report = z.strictObject({
  /** Node, processor, system and adapter. */
  environment: z.string(),
  /** How many processes of the whole machine waited for a processor when it began, on average over a minute. */
  load: z.number(),
  rows: z.array(
    z.strictObject({
      name: z.string(),
      figures: z.array(
        z.strictObject({
          figure: z.string(),
          measured: z.string(),
          reference: z.string(),
          ratio: z.number().nullable(),
          mustReach: z.string(),
          reached: z.boolean().nullable(),
        }),
      ),
    }),
  ),
});

export type Report = z.infer<typeof report>;
