import { z } from 'zod';
import { count, identity, positive } from '../base/grammar.ts';

/** What a piece of work does: an ingest from `upload` or `resolve` to `seal`, a study from `initialize` to `admit`. */
export const workStage = z.enum([
  ...(['upload', 'queued', 'resolve', 'download', 'probe', 'seal'] as const),
  ...([
    'initialize',
    'detect',
    'subtitles',
    'recognize',
    'readScreen',
    'read',
    'assess',
    'decide',
    'admit',
    'ended',
  ] as const),
]);
export type WorkStage = z.infer<typeof workStage>;

/**
 * How far an ingest or a study has come within its stage, as the running host measures it: nothing of it is stored. What is
 * not measured is null. `bytes` and `bytesPerSecond` are of transfers and of hashing, `queuePosition` counts from 1, and `etaMs` is the time
 * that the rest of the stage takes at the pace measured so far.
 */
export const workProgress = z.strictObject({
  schema: z.literal('studio.local-work-progress.v1'),
  id: identity,
  stage: workStage,
  completed: count.nullable(),
  total: count.nullable(),
  unit: z.enum(['bytes', 'milliseconds']).nullable(),
  bytes: count.nullable(),
  bytesPerSecond: count.nullable(),
  queuePosition: positive.nullable(),
  etaMs: count.nullable(),
});
export type WorkProgress = z.infer<typeof workProgress>;

/** The least time between two notices about one piece of work, in ms: at most ten a second. */
export const progressPauseMs = 100;
