import { z } from 'zod';

/** The two texts of a line of captions: what is said, and its translation. */
export const captionSide = z.enum(['source', 'target']);
export type CaptionSide = z.infer<typeof captionSide>;
