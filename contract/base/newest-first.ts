import { z } from 'zod';
import { identity, positive } from './grammar.ts';

/** The most rows of one page of a list, and the usual number. */
export const longestPage = 200;
export const usualPage = 100;

/** The query of a page of a list. */
export const listQuery = {
  after: z.string().optional().describe('the cursor: `nextCursor` of the page before; by default the newest rows'),
  limit: positive.max(longestPage).default(usualPage).describe('the most rows on the page'),
};

/**
 * The fields of a page beside its rows, which begin with the newest. A page may hold fewer rows than requested, or be empty,
 * while `nextCursor` leads on; null is the end. `damaged` names unreadable rows of this page.
 */
export const newestFirstFields = { damaged: z.array(identity), nextCursor: z.string().nullable() };
