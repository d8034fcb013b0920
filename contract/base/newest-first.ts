import { z } from 'zod';
import { identity, positive } from './grammar.ts';

/** The most rows of one page of a list, and the usual number. */
export const longestPage = 200;
export const usualPage = 100;

/** What a reader may ask of a page of a list. */
export const listQuery = {
  after: z
    .string()
    .optional()
    .describe('the cursor: `nextCursor` of the page before; the newest rows where it is left out'),
  limit: positive.max(longestPage).default(usualPage).describe('the most rows on the page'),
};

/**
 * What a page of a list says beside its rows, which begin with the newest. A page may hold fewer rows than were asked for, even
 * none, while `nextCursor` leads on; null is the end. `damaged` names what stands in the place of this page and cannot be read.
 */
export const newestFirstFields = { damaged: z.array(identity), nextCursor: z.string().nullable() };
