import type { EventsAnswer, StatusAnswer, Studies } from '../../actors/study/studies.ts';
import { ServiceError } from '../../contract/base/service-error.ts';
import { runtimeRequest } from '../../contract/study/runtime-request.ts';
import { type Answer, jsonHeaders } from '../exchange/answer.ts';
import { type Call, type Route, read, write } from '../exchange/route.ts';

/** The routes of plans, starts, statuses and journals. */
export const studyRoutes = (studies: Studies): readonly Route[] => [
  {
    path: '/v1/runtime-plans',
    methods: {
      POST: write(runtimeRequest, 'invalid_start_request', async ({ body }) => ({
        status: 200,
        body: await studies.plan(body),
      })),
    },
  },
  {
    path: '/v1/runtime-starts',
    methods: {
      POST: write(runtimeRequest, 'invalid_start_request', async ({ body }) => ({
        status: 202,
        body: await studies.start(body),
      })),
    },
  },
  {
    path: '/v1/runtime-starts/:commandId',
    methods: { GET: read(async ({ params }) => journalAnswer(await studies.byCommand(params.commandId ?? ''))) },
  },
  {
    path: '/v1/runtimes/:runtimeId',
    methods: { GET: read(({ params }) => answerOf(studies.status(params.runtimeId ?? ''))) },
  },
  {
    path: '/v1/runtimes/:runtimeId/events',
    methods: { GET: read((call) => eventsAnswer(studies, call), ['after', 'limit', 'wait']) },
  },
];

// What is known already is answered in the same turn.
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

function eventsAnswer(studies: Studies, { params, query, client }: Call<null>): Answer | Promise<Answer> {
  const runtimeId = params.runtimeId ?? '';
  const after = decimal(query.get('after') ?? '0', 'invalid_cursor');
  const limit = decimal(query.get('limit') ?? '100', 'invalid_cursor');
  const wait = decimal(query.get('wait') ?? '0', 'invalid_wait');
  if (limit === 0) throw new ServiceError('invalid_cursor', 'limit must be at least 1');
  if (limit > 200) throw new ServiceError('invalid_limit', 'limit must be at most 200');
  if (wait > 8000) throw new ServiceError('invalid_wait', 'wait must be at most 8000 ms');
  return answerOf(
    wait === 0 ? studies.events(runtimeId, after, limit) : longPoll(studies, { runtimeId, after, limit, wait }, client),
  );
}

/** Holds an empty answer back until the runtime commits something, the time is up, or the client is gone. */
async function longPoll(
  studies: Studies,
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

/** A canonical decimal: no sign, no leading zero, within the safe integers. */
function decimal(text: string, code: 'invalid_cursor' | 'invalid_wait'): number {
  const value = Number(text);
  if (!/^(0|[1-9]\d*)$/.test(text) || !Number.isSafeInteger(value)) {
    throw new ServiceError(code, 'not a canonical decimal number');
  }
  return value;
}
