import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import type { Reachable } from './host-process.ts';
import { Standstill, waitUntil } from './standstill.ts';

/** Answers every question with one study, which moves for as long as `stateAt` says something new. */
async function hostOf(t: ExecutionContext, stateAt: (question: number) => string): Promise<Reachable> {
  let questions = 0;
  const server = createServer((_, answer) => {
    questions += 1;
    const actor = { actorId: 'runtime:1', value: stateAt(questions), phase: 'live', updatedAt: 'now' };
    answer.end(JSON.stringify({ actors: [actor] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.closeAllConnections());
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return {
    dataRoot: '/no/data-root',
    announced: { listening: `http://127.0.0.1:${port}`, authorizationToken: 'token', pid: 0 },
    told: () => ['said by the host'],
    ended: new Promise(() => undefined),
  };
}

const pace = { pauseMs: 1, lookMs: 1 };

test('a host of which nothing moves is at a standstill, and is told with what is live', async (t) => {
  const host = await hostOf(t, () => 'running');
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
  const host = await hostOf(t, (question) => {
    looks = question;
    return `step ${question >> 3}`;
  });
  await waitUntil(host, 'the study is to end', async () => looks > 30, pace);
  t.true(looks > 30);
});
