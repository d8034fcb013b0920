import { z } from 'zod';
import { count, positive } from '../base/grammar.ts';
import { commandId, runtimeId } from '../study/runtime-start.ts';
import { hasEnded, lifecycle, runtimeReason } from '../study/runtime-status.ts';
import { journalEvent } from './journal-event.ts';

/** Events on a page unless a reader asks for another number, and the most that it may ask for. */
export const usualEvents = 100;
export const maximumEvents = 200;

/** How long an empty page may be held back, in ms. */
export const maximumWaitMs = 8000;

/** What a reader may ask of a page; the query holds decimals without sign or leading zeros. */
export const eventsQuery = {
  after: count.default(0).describe('the cursor: the `seq` of the last event that the reader has'),
  limit: positive.max(maximumEvents).default(usualEvents).describe('the most events on the page'),
  wait: count.max(maximumWaitMs).default(0).describe('how long an empty page may be held back, in ms'),
};

/** One page of a run's journal. A reader is done when a page is both `terminal` and `reachedHead`. */
export const runtimeEvents = z
  .strictObject({
    schema: z.literal('studio.local-runtime-events.v1'),
    commandId,
    runtimeId,
    lifecycle,
    requestedCursor: count,
    nextCursor: count,
    journalHead: count,
    events: z.array(journalEvent),
    reachedHead: z.boolean(),
    terminal: z.boolean(),
    reason: runtimeReason.nullable(),
  })
  .refine(({ requestedCursor, events }) => events.every(({ seq }, index) => seq === requestedCursor + index + 1), {
    message: 'events follow the cursor without a gap',
    path: ['events'],
  })
  .refine(({ requestedCursor, nextCursor, events }) => nextCursor === requestedCursor + events.length, {
    message: 'nextCursor is the last event',
    path: ['nextCursor'],
  })
  .refine(({ nextCursor, journalHead, reachedHead }) => reachedHead === (nextCursor === journalHead), {
    message: 'reachedHead says whether the page ends at the head',
    path: ['reachedHead'],
  })
  .refine(({ events, reachedHead }) => events.length > 0 || reachedHead, {
    message: 'only the head has nothing after it',
    path: ['events'],
  })
  .refine((answer) => hasEnded(answer.lifecycle) === answer.terminal, {
    message: 'terminal says whether the lifecycle has ended',
    path: ['terminal'],
  });

export type RuntimeEvents = z.infer<typeof runtimeEvents>;
