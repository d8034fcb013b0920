import type { z } from 'zod';
import type { OpenFeature } from '../../actors/host-feature.ts';
import { type FollowedIngests, type IngestKind, ingestKindNames } from '../../actors/ingest/ingest-service.ts';
import type { OwnedIngests } from '../../actors/ingest/owned/owned-ingests.ts';
import type { StudyService } from '../../actors/study/studies.ts';
import type { FollowedTransitions } from '../../actors/supervision/followed-transitions.ts';
import type { ProgressBoard } from '../../actors/supervision/progress-board.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { ownedIngestId } from '../../contract/ingest.ts';
import { everyActor, followedQuery, hostStreamEvents, maximumFollowed } from '../../contract/journal.ts';
import { workProgress } from '../../contract/operation.ts';
import { runtimeId } from '../../contract/study/start.ts';
import type { Answer } from '../exchange/answer.ts';
import { json, refusalsOfJournals } from '../exchange/description.ts';
import { type Call, type Route, read, route } from '../exchange/route.ts';
import { decimal } from '../exchange/target.ts';
import {
  EventStream,
  type Feed,
  lastEventId,
  type StreamContext,
  streamAnswer,
  streamHeaders,
} from '../streams/event-stream.ts';
import { DocumentFeed, type FollowedDocument, type FollowedPlace, JournalFeed, progressOf } from '../streams/feeds.ts';
import { openTransitionFeed } from '../streams/transition-feeds.ts';

interface Streamed {
  readonly studies: StudyService;
  readonly ownedIngests: OwnedIngests;
  readonly transitions: FollowedTransitions;
  /** The ingests of other kinds come with them. */
  readonly features: readonly Pick<OpenFeature, 'ingests'>[];
}

/** The route of the one stream that a page needs. */
export const eventRoutes = (services: Streamed, streaming: Streaming): readonly Route[] => [
  route('/v1/events', {
    room: 'operation',
    GET: read({
      id: 'followEvents',
      summary: 'one stream of several journals, ingests, actors and their progress',
      details:
        'The answer is always a stream of events. An event of a journal or an actor has an id. It holds a cursor for each runtime and then for each actor, in the order of the query. Sent back as `Last-Event-ID`, it resumes them all. Each ingest comes as its status document, at once and after each change. Each piece of work comes as its progress, at most ten times a second. `ended` means that a runtime has ended; later entries of its journal, such as a review, are sent as well. The transitions of an actor come as `transition`, with the state before, in their order. The cursor of `actors=all` is the number of a commit. The event `actors` gives the commit up to which everything was sent, first and after any missed transitions. Transitions after that commit may come again with the same `actorId` and `seq`. The stream does not end by itself. If a followed item is deleted, it ends with `refused`, whose message begins with the id.',
      query: followedQuery,
      headers: streamHeaders,
      answers: [{ status: 200, events: hostStreamEvents, fields: ['Vary'] }],
      refusals: [
        'invalid_subscription',
        'invalid_cursor',
        'unknown_runtime',
        'unknown_ingest',
        'unknown_actor',
        'videohost_local_ingest_unavailable',
        'cursor_past_head',
        ...refusalsOfJournals,
      ],
      handle: (call) => hostStream(services, streaming, call),
    }),
  }),
];

async function hostStream(services: Streamed, streaming: Streaming, { query, client }: Call<null>): Promise<Answer> {
  const { runtimes, ingests, actors } = followedBy(query, lastEventId(client.head));
  const cursors = [...runtimes, ...actors].map(({ after }) => after ?? 0);
  const documents = ingests.map((ingestId) => ({ id: ingestId, document: ingestOf(services, ingestId) }));
  // Unknown ids are refused before the stream begins.
  for (const { document } of documents) document.read();
  const journals = await Promise.all(
    runtimes.map(async ({ id: runtimeId, after }, at) => {
      const idOf = (seq: number) => cursors.with(at, seq).join(',');
      const sent = (seq: number) => {
        cursors[at] = seq;
      };
      return named(runtimeId, await JournalFeed.open(services.studies, { runtimeId, after: after ?? 0, idOf, sent }));
    }),
  );
  const placeOf = (at: number) => (cursor: number) => {
    cursors[at] = cursor;
    return cursors.join(',');
  };
  const lives = await Promise.all(
    actors.map(async (actor, at) =>
      named(actor.id, await openTransitionFeed(services.transitions, actor, placeOf(runtimes.length + at))),
    ),
  );
  const measured = [...runtimes.map(({ id }) => id), ...ingests].map((id) => ({
    id,
    document: progressOf(streaming.progress, id),
  }));
  const followed = [...documents, ...measured].map(({ id, document }) => named(id, new DocumentFeed(document)));
  return streamAnswer(new EventStream(streaming, [...lives, ...journals, ...followed]));
}

/** A stream of several says whose refusal ends it, so that its client can ask for the others again. */
const named = (id: string, feed: Feed): Feed => ({
  read: async () => {
    try {
      return await feed.read();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      throw new ServiceError(error.code, `${id}: ${error.message}`, error.headers);
    }
  },
  watch: (wake) => feed.watch(wake),
});

/** The status of an ingest. Throws `unknown_ingest` for a kind that no service has. */
function ingestOf({ ownedIngests, features }: Streamed, ingestId: string): FollowedDocument {
  const services: Partial<Record<IngestKind, FollowedIngests>> = { 'owned-ingest': ownedIngests };
  for (const { ingests } of features) Object.assign(services, ingests);
  const kind = ingestKindNames.find((name) => ingestId.startsWith(`${name}:`));
  const service = kind === undefined ? undefined : services[kind];
  if (service === undefined) throw new ServiceError('unknown_ingest', 'no such ingest');
  return {
    event: 'ingest',
    read: () => service.status(ingestId),
    watch: (wake) => service.watch(ingestId, wake),
  };
}

/** The items that a client follows with a stream. */
interface Followed {
  readonly runtimes: readonly FollowedPlace[];
  readonly ingests: readonly string[];
  /** Single actors, or `everyActor` alone. */
  readonly actors: readonly FollowedPlace[];
}

/**
 * The items that a query names, with the cursors of `last`, the last event's id, in the place of its own. Those of the runtimes
 * come first, then those of the actors. Throws `invalid_subscription`, `invalid_cursor`.
 */
function followedBy(query: ReadonlyMap<string, string>, last: string | null): Followed {
  const ingests = namesIn(query, 'ingests');
  const [runtimes, actors] = [placedIn(query, 'runtimes'), placedIn(query, 'actors')];
  const placed = [...runtimes, ...actors];
  const count = placed.length + ingests.length;
  if (count === 0) throw refused('the query names nothing to follow: runtimes, ingests or actors are missing');
  if (count > maximumFollowed) throw refused(`the query names more than ${maximumFollowed}`);
  // A study is followed by its journal and by its transitions.
  for (const ids of [[...runtimes.map(({ id }) => id), ...ingests], actors.map(({ id }) => id)]) {
    if (new Set(ids).size < ids.length) throw refused('the query names one twice');
  }
  if (actors.length > 1 && actors.some(({ id }) => id === everyActor)) {
    throw refused(`actors names others beside ${everyActor}`);
  }
  if (last === null) return { runtimes, ingests, actors };
  const cursors = last.split(',').map((cursor) => decimal(cursor, 'invalid_cursor'));
  if (cursors.length !== placed.length) {
    throw new ServiceError(
      'invalid_cursor',
      'Last-Event-ID has not one cursor for each runtime and actor of the query',
    );
  }
  const resumed = placed.map(({ id }, at) => ({ id, after: cursors[at] ?? null }));
  return { runtimes: resumed.slice(0, runtimes.length), ingests, actors: resumed.slice(runtimes.length) };
}

function placedIn(query: ReadonlyMap<string, string>, key: string): FollowedPlace[] {
  return namesIn(query, key).map((name) => {
    const [id = '', cursor, ...others] = name.split('@');
    if (id === '' || others.length > 0) throw refused(`${name} is not an id with its cursor`);
    return { id, after: cursor === undefined ? null : decimal(cursor, 'invalid_cursor') };
  });
}

function namesIn(query: ReadonlyMap<string, string>, key: string): string[] {
  const names = query.get(key)?.split(',') ?? [];
  if (names.includes('')) throw refused(`${key} has an empty name`);
  return names;
}

const refused = (message: string) => new ServiceError('invalid_subscription', message);

/** The needs of streams beside the services whose work they follow. */
export interface Streaming extends StreamContext {
  readonly progress: ProgressBoard;
}

const details =
  'It is measured by the running host and stored nowhere. What is not measured is null, and so is everything of work that has ended.';

/** The routes of how far work has come. */
export const progressRoutes = (progress: ProgressBoard): readonly Route[] => [
  route('/v1/runtimes/:runtimeId/progress', {
    room: 'study',
    params: { runtimeId },
    GET: read({
      id: 'readRuntimeProgress',
      summary: 'how far a study has come within its step',
      details,
      answers: [json(200, workProgress)],
      refusals: ['unknown_runtime', 'runtime_deleted', 'stored_content_inconsistent'],
      handle: ({ params }) => ({ status: 200, body: progress.runtime(params.runtimeId) }),
    }),
  }),
  ingestProgressRoute(progress, {
    ingests: '/v1/owned-media-ingests',
    id: 'readOwnedIngestProgress',
    ingestId: ownedIngestId,
    kind: 'owned-ingest',
  }),
];

/** The progress of the ingests of one kind. */
interface IngestProgress {
  /** The path of these ingests. */
  readonly ingests: string;
  /** The name of the operation. */
  readonly id: string;
  /** The schema of an id of this kind. */
  readonly ingestId: z.ZodType<string>;
  readonly kind: IngestKind;
}

/** The route of how far the ingests of one kind have come. */
export const ingestProgressRoute = (progress: ProgressBoard, { ingests, id, ingestId, kind }: IngestProgress): Route =>
  route(`${ingests}/:ingestId/progress`, {
    room: 'ingest',
    params: { ingestId },
    GET: read({
      id,
      summary: 'how far an ingest has come within its step',
      details,
      answers: [json(200, workProgress)],
      refusals: ['unknown_ingest', 'source_deleted', 'stored_content_inconsistent'],
      handle: ({ params }) => ({ status: 200, body: progress.ingest(params.ingestId, [kind]) }),
    }),
  });
