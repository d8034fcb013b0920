import { z } from 'zod';

/** The two texts of a line of captions: what is said, and its translation. */
export const captionSide = z.enum(['source', 'target']);
export type CaptionSide = z.infer<typeof captionSide>;

/** Which texts a file of captions has: one, or the translation above what is said. */
export const shownSides = z.enum([...captionSide.options, 'both']);
export type ShownSides = z.infer<typeof shownSides>;

/** How the lines of a file are broken: as their author broke them, or by a rule set with its version. */
export const lineBreaks = z.enum(['author', 'netflix.v1']);
export type LineBreaks = z.infer<typeof lineBreaks>;
