import { z } from 'zod';
import { errorEnvelope } from './base/errors.ts';
import type { EventSchema } from './base/event-envelope.ts';
import { count, positive } from './base/grammar.ts';
import { captionEvents } from './captions/caption-answers.ts';
import { captionPlanEvents } from './captions/caption-plan.ts';
import { captionCorrectionEvents } from './captions/correction.ts';
import { assessmentEvents, decisionEvents, readEvents } from './evidence/evidence-events.ts';
import { mediaEvents } from './evidence/media-operation.ts';
import { languageExplanationEvents } from './explanations/explanation.ts';
import { ownedIngestStatus, videohostIngestStatus } from './ingest.ts';
import { actorsFollowed, streamedTransition } from './lifecycles/actors.ts';
import { workProgress } from './operation.ts';
import { semanticEvents } from './recognition.ts';
import { publishReviewEvents } from './review.ts';
import { screenTextEvents } from './screentext.ts';
import type { LaterStageName, StageName } from './study/stages.ts';
import { commandId, runtimeId } from './study/start.ts';
import { hasEnded, lifecycle, runtimeReason } from './study/status.ts';
import { taskEvents } from './study/task.ts';

/** The words of a machine for people who review its drawing; they change nothing that the machine does. */
export interface ChartMeta {
  /**
   * On a state: the entries that its entry adds to the journal; on a transition: those of the transition. Types of events in
   * their order; consecutive equal ones are listed once.
   */
  readonly journal?: readonly EventType[];
  /**
   * On the machine itself: the ways that it is made for, each as the paths of the states that it passes, such as
   * `['queued.awaitingMedia', 'queued.awaitingWorker', 'probing']`. The first begins at the initial state; the others lie
   * inside regions of parallel states.
   */
  readonly mainWays?: readonly (readonly string[])[];
}

/**
 * The types of events that came with each stage, each with its producer and its closed data. A type that several stages write is
 * listed with the first of them.
 */
const stageEvents = {
  initialize: taskEvents,
  detect: mediaEvents,
  subtitles: [],
  recognize: semanticEvents,
  readScreen: screenTextEvents,
  read: readEvents,
  assess: assessmentEvents,
  decide: decisionEvents,
  admit: [],
  review: publishReviewEvents,
  captionPlan: captionPlanEvents,
  captions: captionEvents,
  correction: captionCorrectionEvents,
  explanation: languageExplanationEvents,
} as const satisfies Readonly<Record<StageName | LaterStageName, readonly EventSchema[]>>;

type StageEvent = (typeof stageEvents)[keyof typeof stageEvents][number];

/** Every event that a journal may hold: a closed set, each type with its producer and its closed data. */
export const journalEvent = z.discriminatedUnion(
  'type',
  Object.values(stageEvents).flat() as [StageEvent, ...StageEvent[]],
);

export type JournalEvent = z.infer<typeof journalEvent>;
export type EventType = JournalEvent['type'];
export type EventOf<Type extends EventType> = Extract<JournalEvent, { type: Type }>;
export type EventData<Type extends EventType> = EventOf<Type>['data'];

/** Events on a page unless a reader asks for another number, and the most that it may ask for. */
const usualEvents = 100;
export const maximumEvents = 200;

/** How long an empty page may be held back, in ms. */
export const maximumWaitMs = 8000;

/** The query of a page; it holds decimals without sign or leading zeros. */
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
    message: 'reachedHead must be true exactly if the page ends at the head',
    path: ['reachedHead'],
  })
  .refine(({ events, reachedHead }) => events.length > 0 || reachedHead, {
    message: 'only the head has nothing after it',
    path: ['events'],
  })
  .refine((answer) => hasEnded(answer.lifecycle) === answer.terminal, {
    message: 'terminal must be true exactly if the lifecycle has ended',
    path: ['terminal'],
  });

export type RuntimeEvents = z.infer<typeof runtimeEvents>;

/** The media type of event streams (HTML Living Standard, 9.2). */
export const eventStreamType = 'text/event-stream';

/** After so long a comment is sent in every stream, in ms, so that both ends notice when the other is gone. */
export const heartbeatMs = 15_000;

/** The most events of one journal that a stream reads at once. */
export const streamedEvents = 50;

/** The time in ms that a client waits before it reopens a stream that was cut; each stream begins with it. */
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

/** The `data` of each event of a journal's stream, by the name of the event. */
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

/** The word in the query for every actor of the host. */
export const everyActor = 'all';

/** The items that a stream follows, as the query names them. */
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
