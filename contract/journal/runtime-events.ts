import { z } from 'zod';
import { count } from '../base/grammar.ts';
import { commandId, runtimeId } from '../study/runtime-start.ts';
import { hasEnded, lifecycle, runtimeReason } from '../study/runtime-status.ts';
import { journalEvent } from './journal-event.ts';

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
