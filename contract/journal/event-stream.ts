import { z } from 'zod';
import { errorEnvelope } from '../base/error-envelope.ts';
import { count } from '../base/grammar.ts';
import { ownedIngestStatus } from '../ingest/owned-ingest.ts';
import { videohostIngestStatus } from '../ingest/videohost-ingest.ts';
import { actorsFollowed, streamedTransition } from '../lifecycles/actor-transitions.ts';
import { workProgress } from '../operation/work-progress.ts';
import { runtimeId } from '../study/runtime-start.ts';
import { lifecycle, runtimeReason } from '../study/runtime-status.ts';
import { journalEvent } from './journal-event.ts';

/** The media type of event streams (HTML Living Standard, 9.2). */
export const eventStreamType = 'text/event-stream';

/** After so long a comment is sent in every stream, in ms, so that both ends notice when the other is gone. */
export const heartbeatMs = 15_000;

/** The most events of one journal that a stream reads at once. */
export const streamedEvents = 50;

/** How long a client waits before it asks for a stream again that was cut, in ms; it is said at the start of each. */
export const retryMs = 1000;

/** Says that a runtime has ended and that every event of its journal up to `journalHead` was sent. */
export const runtimeEnded = z.strictObject({
  schema: z.literal('studio.local-runtime-ended.v1'),
  runtimeId,
  lifecycle,
  reason: runtimeReason.nullable(),
  journalHead: count,
});

export type RuntimeEnded = z.infer<typeof runtimeEnded>;

/** The most runtimes, ingests and actors together that one stream follows. */
export const maximumFollowed = 64;

/** What the `data` of each event of a journal's stream is, by the name of the event. */
export const journalStreamEvents = {
  journal: journalEvent,
  ended: runtimeEnded,
  progress: workProgress,
  refused: errorEnvelope,
};

/** The same for a stream that follows several runtimes, ingests and actors. */
export const hostStreamEvents = {
  ...journalStreamEvents,
  ingest: z.union([ownedIngestStatus, videohostIngestStatus]),
  transition: streamedTransition,
  actors: actorsFollowed,
};

/** Stands in the query for every actor of the host. */
export const everyActor = 'all';

/** What a stream follows; the query names it. */
export const followedQuery = {
  runtimes: z
    .string()
    .optional()
    .describe('ids of runtimes, with commas between them; `ID@SEQ` begins behind the event `SEQ`, `ID` at the first'),
  ingests: z.string().optional().describe('ids of ingests of both kinds, with commas between them'),
  actors: z
    .string()
    .optional()
    .describe(
      'ids of actors whose transitions are sent, with commas between them; `ID@SEQ` begins behind the transition `SEQ`, `ID` at the first; or `all` for those of every actor from now on, `all@COMMIT` behind the commit',
    ),
};
