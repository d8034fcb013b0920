import test from 'ava';
import type { Reachable } from './host-process.ts';
import { Standstill, waitUntil } from './standstill.ts';

/** Answers every question with one study, which moves for as long as `stateAt` says something new. */
function hostOf(stateAt: (question: number) => string): Reachable {
  let questions = 0;
  return {
    dataRoot: '/no/data-root',
    announced: { listening: 'http://127.0.0.1:4300', authorizationToken: 'token', pid: 0 },
    reported: () => ['said by the host'],
    ended: new Promise(() => undefined),
    fetch: async () => {
      questions += 1;
      const actor = { actorId: 'runtime:1', value: stateAt(questions), phase: 'live', updatedAt: 'now' };
      return Response.json({ actors: [actor] });
    },
  };
}

const pace = { pauseMs: 1, lookMs: 1 };

test('a host in which nothing moves is at a standstill, and its live work is reported', async (t) => {
  const host = hostOf(() => 'running');
  const error = await t.throwsAsync(
    waitUntil(host, 'the study is to end', async () => false, pace),
    {
      instanceOf: Standstill,
    },
  );
  t.regex(error?.message ?? '', /the study is to end: nothing has moved/);
  t.regex(error?.message ?? '', /"actorId":"runtime:1","value":"running"/);
  t.regex(error?.message ?? '', /said by the host/);
});

test('a host that is slow, while something moves, is waited for', async (t) => {
  let looks = 0;
  const host = hostOf((question) => {
    looks = question;
    return `step ${question >> 3}`;
  });
  await waitUntil(host, 'the study is to end', async () => looks > 30, pace);
  t.true(looks > 30);
});
