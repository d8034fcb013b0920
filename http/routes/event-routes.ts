import type { OwnedIngests } from '../../actors/ingest/owned/owned-ingests.ts';
import type { VideohostIngests } from '../../actors/ingest/videohost/videohost-ingests.ts';
import type { VideohostsOff } from '../../actors/ingest/videohost/videohost-service.ts';
import type { Lifecycles } from '../../actors/lifecycles/lifecycles.ts';
import type { Studies } from '../../actors/study/studies.ts';
import { ServiceError } from '../../contract/base/service-error.ts';
import { everyActor, followedQuery, hostStreamEvents } from '../../contract/journal/event-stream.ts';
import type { Answer } from '../exchange/answer.ts';
import { type Call, type Route, read } from '../exchange/route.ts';
import { DocumentFeed, type FollowedDocument, progressOf } from '../streams/document-feed.ts';
import { EventStream, type Feed, streamAnswer } from '../streams/event-stream.ts';
import { followedBy, type Placed } from '../streams/followed.ts';
import { JournalFeed } from '../streams/journal-feed.ts';
import { lastEventId, streamHeaders } from '../streams/last-event-id.ts';
import { ActorFeed, EveryActorFeed, type Place } from '../streams/transition-feeds.ts';
import type { Streaming } from './progress-routes.ts';
import { refusalsOfJournals } from './refusals.ts';

interface Streamed {
  readonly studies: Studies;
  readonly lifecycles: Lifecycles;
  readonly ownedIngests: OwnedIngests;
  readonly videohostIngests: VideohostIngests | VideohostsOff;
}

/** The route of the one stream that a page needs. */
export const eventRoutes = (services: Streamed, streaming: Streaming): readonly Route[] => [
  {
    path: '/v1/events',
    room: 'operation',
    GET: read({
      id: 'followEvents',
      summary: 'one stream of several journals, ingests, actors and their progress',
      details:
        'The answer is always a stream of events. Each event of a journal or an actor has as id the cursors of all runtimes, then those of all actors, in the order of the query: sent back as `Last-Event-ID` it resumes them all. Each ingest comes as its status document, at once and after each change; each piece of work as its progress, at most ten times a second. `ended` says that a runtime has ended; what is added to its journal later, such as a review, is sent as well. The transitions of an actor come as `transition`, with what it was before, in their order. The cursor of `actors=all` is the number of a commit: the event `actors` says up to which one everything was sent, first and after what was missed. What came after that commit may come again with the same `actorId` and `seq`. The stream has no end of its own; what is deleted while it is followed ends it with `refused`, whose message begins with its id.',
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
  },
];

async function hostStream(services: Streamed, streaming: Streaming, { query, client }: Call<null>): Promise<Answer> {
  const { runtimes, ingests, actors } = followedBy(query, lastEventId(client.head));
  const cursors = [...runtimes, ...actors].map(({ after }) => after ?? 0);
  const documents = ingests.map((ingestId) => ({ id: ingestId, document: ingestOf(services, ingestId) }));
  // Whatever is unknown is said before the stream begins.
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
      named(actor.id, await actorFeed(services.lifecycles, actor, placeOf(runtimes.length + at))),
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

/** The transitions of an actor, or of all. Throws `unknown_actor`, `cursor_past_head` and `stored_content_inconsistent`. */
function actorFeed(lifecycles: Lifecycles, { id, after }: Placed, place: Place): Feed | Promise<Feed> {
  if (id === everyActor) return new EveryActorFeed(lifecycles, after, place);
  return ActorFeed.open(lifecycles, id, after ?? 0, place);
}

/** The status of an ingest. Throws where no service has ingests of its kind. */
function ingestOf({ ownedIngests, videohostIngests }: Streamed, ingestId: string): FollowedDocument {
  const isOwned = ingestId.startsWith('owned-ingest:');
  if (!isOwned && !ingestId.startsWith('videohost-ingest:')) {
    throw new ServiceError('unknown_ingest', 'no such ingest');
  }
  const service = isOwned ? ownedIngests : videohostIngests;
  if ('whyOff' in service) {
    throw new ServiceError('videohost_local_ingest_unavailable', `video hosts are off: ${service.whyOff}`);
  }
  return {
    event: 'ingest',
    read: () => service.status(ingestId),
    watch: (wake) => service.watch(ingestId, wake),
  };
}
