import type { DeletionService } from '../../actors/deletion/deletions.ts';
import type { Overviews } from '../../actors/overview/overviews.ts';
import type { ListedRuntimes, RuntimeListRequest } from '../../actors/study/listed-runtimes.ts';
import type { PlanWarnings } from '../../actors/study/plan-warnings.ts';
import type { EventsAnswer, StatusAnswer, StudyService } from '../../actors/study/studies.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { noFields } from '../../contract/ingest.ts';
import { eventsQuery, journalStreamEvents, maximumWaitMs, runtimeEvents } from '../../contract/journal.ts';
import { runtimeOverview } from '../../contract/overview.ts';
import { runtimeRequest } from '../../contract/study/plan.ts';
import { commandId, planWarnings, runtimeId, runtimePlan } from '../../contract/study/start.ts';
import { lifecycle, runtimeStatus, runtimes, runtimesQuery } from '../../contract/study/status.ts';
import { type Answer, jsonHeaders } from '../exchange/answer.ts';
import {
  type AnswerField,
  json,
  refusalsOfJournals,
  refusalsOfReopening,
  refusalsOfRequests,
} from '../exchange/description.ts';
import { type Call, type Route, read, route, write } from '../exchange/route.ts';
import { decimal, limitOf, pageOf } from '../exchange/target.ts';
import { asksForStream, EventStream, lastEventId, streamAnswer, streamHeaders } from '../streams/event-stream.ts';
import { DocumentFeed, JournalFeed, progressOf } from '../streams/feeds.ts';
import { deleteRuntime } from './deletion.ts';
import type { Streaming } from './events.ts';

/** The refusals of a `recognition` that the host may not or cannot carry out. */
const refusalsOfWishes = ['permission_required', 'engine_unavailable'] as const;

/** The routes of plans, starts, statuses and journals. */
export const studyRoutes = (
  studies: StudyService,
  listed: ListedRuntimes,
  deletions: DeletionService,
  streams: Streaming,
): readonly Route[] => [
  route('/v1/runtime-plans', {
    room: 'study',
    POST: write({
      id: 'planStudy',
      summary: 'plan a study: the ids and the forecast that a start would have',
      details: 'Nothing is stored.',
      request: runtimeRequest,
      invalid: 'invalid_start_request',
      answers: [json(200, runtimePlan)],
      refusals: [...refusalsOfRequests, 'runtime_deleted', ...refusalsOfWishes],
      handle: async ({ body }) => ({ status: 200, body: await studies.plan(body) }),
    }),
  }),
  route('/v1/runtime-starts', {
    room: 'study',
    POST: write({
      id: 'startStudy',
      summary: 'start a study, or find the one that an equal request started',
      details:
        'A `clientRequestId` of its own asks for another attempt over the same inputs. `recognition` asks for a recognizer of the speech, or for none with null; without it the settings of the host decide.',
      request: runtimeRequest,
      invalid: 'invalid_start_request',
      answers: [json(202, runtimeStatus)],
      refusals: [
        ...refusalsOfRequests,
        'runtime_deleted',
        ...refusalsOfWishes,
        'study_queue_full',
        'insufficient_storage',
        ...refusalsOfJournals,
      ],
      handle: async ({ body }) => ({ status: 202, body: await studies.start(body) }),
    }),
  }),
  route('/v1/runtime-starts/:commandId', {
    room: 'study',
    params: { commandId },
    GET: read({
      id: 'readRuntimeStart',
      summary: 'the status of the study that a command started',
      answers: [json(200, runtimeStatus, journalFields)],
      refusals: ['invalid_command_id', 'unknown_command', 'runtime_deleted', ...refusalsOfJournals],
      handle: async ({ params }) => journalAnswer(await studies.byCommand(params.commandId)),
    }),
  }),
  route('/v1/runtimes', {
    room: 'study',
    GET: read({
      id: 'listRuntimes',
      summary: 'the studies, newest first',
      details:
        'A row shows a study as its last commit left it. A page may hold fewer rows than `limit`, or be empty, while `nextCursor` is not null.',
      query: runtimesQuery,
      answers: [json(200, runtimes)],
      refusals: ['invalid_cursor', 'invalid_limit', 'invalid_filter', 'unknown_source_session', 'source_deleted'],
      handle: async ({ query }) => ({ status: 200, body: await listed.page(listRequest(query)) }),
    }),
  }),
  route('/v1/runtimes/:runtimeId', {
    room: 'study',
    params: { runtimeId },
    GET: read({
      id: 'readRuntime',
      summary: 'the status of a study',
      answers: [json(200, runtimeStatus, journalFields)],
      refusals: ['unknown_runtime', 'runtime_deleted', ...refusalsOfJournals],
      handle: ({ params }) => answerOf(studies.status(params.runtimeId)),
    }),
    DELETE: deleteRuntime(deletions),
  }),
  route('/v1/runtimes/:runtimeId/cancellations', {
    room: 'study',
    params: { runtimeId },
    POST: write({
      id: 'cancelRuntime',
      summary: 'cancel a study that runs or waits',
      details: 'It ends as `interrupted`; what it had stored stays readable.',
      request: noFields,
      invalid: 'invalid_cancellation_request',
      answers: [json(202, runtimeStatus, journalFields)],
      refusals: ['unknown_runtime', 'runtime_deleted', 'runtime_already_terminal', ...refusalsOfJournals],
      handle: async ({ params }) => ({ ...journalAnswer(await studies.cancel(params.runtimeId)), status: 202 }),
    }),
  }),
  route('/v1/runtimes/:runtimeId/events', {
    room: 'study',
    params: { runtimeId },
    GET: read({
      id: 'readRuntimeEvents',
      summary: 'a page of the journal of a study',
      details:
        'The journal has ended when a page is `terminal` and `reachedHead`. With `wait` the host holds back an empty page of a live study until an event comes. With `Accept: text/event-stream` the answer is a stream of the same events, each with its `seq` as id. It begins behind `Last-Event-ID`, or else behind `after`. It ends with the event `ended` once a study that has ended was sent whole. A stream that ends without it was cut. `limit` and `wait` are for pages.',
      query: eventsQuery,
      headers: streamHeaders,
      answers: [
        json(200, runtimeEvents, journalFields),
        { status: 200, events: journalStreamEvents, fields: ['Vary'] },
      ],
      refusals: [
        'invalid_cursor',
        'invalid_limit',
        'invalid_wait',
        'unknown_runtime',
        'runtime_deleted',
        'cursor_past_head',
        ...refusalsOfJournals,
      ],
      handle: (call) =>
        asksForStream(call.client.head) ? journalStream(studies, streams, call) : eventsAnswer(studies, call),
    }),
  }),
];

const journalFields: readonly AnswerField[] = ['Studio-Journal-Head', 'Access-Control-Expose-Headers'];

function listRequest(query: ReadonlyMap<string, string>): RuntimeListRequest {
  const asked = lifecycle.nullable().safeParse(query.get('lifecycle') ?? null);
  if (!asked.success) {
    throw new ServiceError('invalid_filter', `lifecycle must be one of ${lifecycle.options.join(', ')}`);
  }
  const filters = { sourceSessionId: query.get('source') ?? null, label: query.get('label') ?? null };
  return { ...pageOf(query), ...filters, lifecycle: asked.data };
}

// A known answer is given in the same turn.
const answerOf = (found: StatusAnswer | Promise<StatusAnswer>): Answer | Promise<Answer> =>
  found instanceof Promise ? found.then(journalAnswer) : journalAnswer(found);

// A status or a page stays the same object until its runtime's next commit, and so does its answer.
const journalAnswers = new WeakMap<StatusAnswer, Answer>();

function journalAnswer(answered: StatusAnswer): Answer {
  const known = journalAnswers.get(answered);
  if (known !== undefined) return known;
  const answer: Answer = {
    status: 200,
    body: answered.bytes,
    headers: {
      ...jsonHeaders,
      'Studio-Journal-Head': answered.journalHead,
      'Access-Control-Expose-Headers': 'Studio-Journal-Head',
    },
  };
  journalAnswers.set(answered, answer);
  return answer;
}

function pageRequest(query: ReadonlyMap<string, string>) {
  const after = decimal(query.get('after') ?? '0', 'invalid_cursor');
  const limit = limitOf(query);
  const wait = decimal(query.get('wait') ?? '0', 'invalid_wait');
  if (wait > maximumWaitMs) throw new ServiceError('invalid_wait', `wait must be at most ${maximumWaitMs} ms`);
  return { after, limit, wait };
}

function eventsAnswer(
  studies: StudyService,
  { params, query, client }: Call<null, 'runtimeId'>,
): Answer | Promise<Answer> {
  const { runtimeId } = params;
  const { after, limit, wait } = pageRequest(query);
  return answerOf(
    wait === 0 ? studies.events(runtimeId, after, limit) : longPoll(studies, { runtimeId, after, limit, wait }, client),
  );
}

async function journalStream(
  studies: StudyService,
  streams: Streaming,
  { params, query, client }: Call<null, 'runtimeId'>,
) {
  const { runtimeId } = params;
  const { after } = pageRequest(query);
  const last = lastEventId(client.head);
  const cursor = last === null ? after : decimal(last, 'invalid_cursor');
  const journal = await JournalFeed.open(studies, { runtimeId, after: cursor, idOf: String });
  const measured = new DocumentFeed(progressOf(streams.progress, runtimeId));
  return streamAnswer(new EventStream(streams, [journal, measured], journal));
}

/** Holds an empty answer back until the runtime commits something, the time is up, the client is gone, or the host stops. */
async function longPoll(
  studies: StudyService,
  { runtimeId, after, limit, wait }: { runtimeId: string; after: number; limit: number; wait: number },
  client: Call<null>['client'],
): Promise<EventsAnswer> {
  let over = false;
  let wake = (): void => undefined;
  const end = () => {
    over = true;
    wake();
  };
  client.onAbort(end);
  client.onClosing(end);
  let changed = false;
  const unwatch = studies.watch(runtimeId, () => {
    changed = true;
    wake();
  });
  const timer = setTimeout(end, wait);
  try {
    for (;;) {
      changed = false;
      const answer = await studies.events(runtimeId, after, limit);
      if (over || !answer.mayGrow) return answer;
      if (!changed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    clearTimeout(timer);
    unwatch();
  }
}

/** The route of warnings, beside that of plans, whose answer has no room for them. */
export const planWarningRoutes = (warnings: PlanWarnings): readonly Route[] => [
  route('/v1/runtime-plan-warnings', {
    room: 'study',
    POST: write({
      id: 'warnOfStudy',
      summary: 'what is known before a study that a person would rather know now',
      details:
        'Takes the body of a plan. Nothing is stored or measured, and a study with warnings can be started all the same. If the study exists, no warning announces its work.',
      request: runtimeRequest,
      invalid: 'invalid_start_request',
      answers: [json(200, planWarnings)],
      refusals: refusalsOfRequests,
      handle: async ({ body }) => ({ status: 200, body: await warnings.of(body) }),
    }),
  }),
];

/** The route of a runtime as a whole. */
export const overviewRoutes = (overviews: Overviews): readonly Route[] => [
  route('/v1/runtimes/:runtimeId/overview', {
    room: 'study',
    params: { runtimeId },
    GET: read({
      id: 'readOverview',
      summary: 'a study as a whole, from its ingest to its explanations, in words and numbers',
      details:
        'Contains the state, findings and claims of the study, the withheld parts with their reasons, and the possible next steps as requests. Each has a template of its body. The caller gives the values that a template leaves null and names in `fill`; a person gives the attestation of a review. A part is `not_yet` if it is still to come, and `never` if it cannot come any more. It is `withheld`, with reason codes, if it was decided against.',
      answers: [json(200, runtimeOverview)],
      refusals: refusalsOfReopening,
      handle: async ({ params }) => ({ status: 200, body: await overviews.of(params.runtimeId) }),
    }),
  }),
];
