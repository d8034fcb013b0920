import test, { type ExecutionContext } from 'ava';
import { type ActorTransitions, actorTransitions } from '../../../contract/lifecycles/actor-transitions.ts';
import { type ActorList, actorList } from '../../../contract/lifecycles/actors.ts';
import type { HostContract } from '../host/contract.ts';
import { ingestRequest, ingests, openIngest } from '../host/ingest-steps.ts';

const path = '/v1/actors';

const listed = async (t: ExecutionContext, contract: HostContract, query = ''): Promise<ActorList> =>
  contract.granted(t, await contract.get(`${path}${query}`), 200, actorList);

const transitionsOf = async (
  t: ExecutionContext,
  contract: HostContract,
  actorId: string,
  query = '',
): Promise<ActorTransitions> =>
  contract.granted(t, await contract.get(`${path}/${actorId}/transitions${query}`), 200, actorTransitions);

const ways = ({ transitions }: ActorTransitions): string[] =>
  transitions.map(({ states, event, cause }) => `${event ?? cause} > ${states.join()}`);

/** The actors of a host that has studied something, and what they went through. */
export function actorsOfHost(contract: HostContract): void {
  test.serial(
    contract.title('an ingest is an actor from its opening to its end, and keeps every state that it was in'),
    async (t) => {
      const ingestId = await openIngest(t, contract, ingestRequest(5));
      const [open] = (await listed(t, contract, '?limit=1')).actors;
      t.like(open, {
        actorId: ingestId,
        kind: 'owned-ingest',
        chartId: 'owned-ingest',
        runtimeId: null,
        value: { queued: 'awaitingMedia' },
        states: ['owned-ingest.queued.awaitingMedia'],
        phase: 'waiting',
        restarts: 0,
        resumes: 0,
      });
      await contract.post(`${ingests}/${ingestId}/cancellations`, {});
      const way = await transitionsOf(t, contract, ingestId);
      t.deepEqual(ways(way), [
        'xstate.init > owned-ingest.queued.awaitingMedia',
        'ingest.cancel > owned-ingest.failed',
      ]);
      t.like(way, { kind: 'owned-ingest', isComplete: true, nextCursor: 2, reachedHead: true });
      t.is(way.recordedFrom, way.transitions[0]?.at ?? null);
      const next = await transitionsOf(t, contract, ingestId, '?after=1&limit=1');
      t.deepEqual(next.transitions, way.transitions.slice(1));
      const first = await transitionsOf(t, contract, ingestId, '?limit=1');
      t.like(first, { nextCursor: 1, reachedHead: false });
      const ended = (await listed(t, contract, '?kind=owned-ingest&state=failed')).actors[0];
      t.like(ended, { actorId: ingestId, phase: 'ended', updatedAt: way.transitions[1]?.at });
    },
  );

  test.serial(
    contract.title('a study is listed with its way through the chart, newest first and page by page'),
    async (t) => {
      const [study] = (await listed(t, contract, '?kind=runtime')).actors;
      if (study === undefined) return t.fail('nothing was studied');
      t.like(study, { runtimeId: study.actorId, states: ['runtime.terminal'], phase: 'ended' });
      const way = ways(await transitionsOf(t, contract, study.actorId));
      t.deepEqual(way.slice(0, 3), [
        'xstate.init > runtime.accepted',
        'worker.granted > runtime.initializing',
        'xstate.done.actor.initialize > runtime.running.detect',
      ]);
      t.is(way.at(-1), 'xstate.done.actor.admit > runtime.terminal');
      const all = (await listed(t, contract)).actors;
      t.deepEqual(
        all.map(({ startedAt }) => startedAt ?? ''),
        all
          .map(({ startedAt }) => startedAt ?? '')
          .sort()
          .reverse(),
      );
      const paged: unknown[] = [];
      for (let after: string | null = ''; after !== null; ) {
        const page: ActorList = await listed(t, contract, `?limit=1${after && `&after=${encodeURIComponent(after)}`}`);
        paged.push(...page.actors);
        after = page.nextCursor;
      }
      t.deepEqual(paged, all);
      t.deepEqual((await listed(t, contract, '?state=running')).actors, []);
    },
  );

  test.serial(
    contract.title('an actor that is not there, and a cursor or filter that is none, are refused'),
    async (t) => {
      contract.refused(t, await contract.get(`${path}/runtime:none/transitions`), 'unknown_actor');
      const [{ actorId } = { actorId: '' }] = (await listed(t, contract, '?limit=1')).actors;
      contract.refused(t, await contract.get(`${path}/${actorId}/transitions?after=99`), 'cursor_past_head');
      contract.refused(t, await contract.get(`${path}/${actorId}/transitions?after=x`), 'invalid_cursor');
      contract.refused(t, await contract.get(`${path}?kind=none`), 'invalid_filter');
      contract.refused(t, await contract.get(`${path}?after=none`), 'invalid_cursor');
      contract.refused(t, await contract.get(`${path}?limit=201`), 'invalid_limit');
      contract.refused(t, await contract.get(path, { token: null }), 'unauthorized', ['www-authenticate']);
    },
  );

  test.serial(contract.title('actors and their transitions are the same after the host was killed'), async (t) => {
    const [study] = (await listed(t, contract, '?kind=runtime')).actors;
    const before = [await listed(t, contract), await transitionsOf(t, contract, study?.actorId ?? '')];
    await contract.kill();
    await contract.start();
    t.deepEqual([await listed(t, contract), await transitionsOf(t, contract, study?.actorId ?? '')], before);
  });
}

/** The actors of a host that has made captions under an approval. */
export function actorsOfCaptions(contract: HostContract): void {
  test.serial(contract.title('reviews and captions are actors of their study'), async (t) => {
    const [made] = (await listed(t, contract, '?kind=caption-production&state=checked')).actors;
    if (made === undefined) return t.fail('no captions were made');
    t.deepEqual(ways(await transitionsOf(t, contract, made.actorId)), [
      'xstate.init > caption-production.producing',
      'xstate.done.actor.produceCaptions > caption-production.checking',
      'xstate.done.actor.checkCaptions > caption-production.checked',
    ]);
    const reviews = (await listed(t, contract, '?kind=publish-review')).actors;
    const review = reviews.find(({ runtimeId }) => runtimeId === made.runtimeId);
    if (review === undefined) return t.fail('the study was not reviewed');
    const { transitions, isComplete } = await transitionsOf(t, contract, review.actorId);
    t.true(isComplete);
    t.deepEqual(
      transitions.slice(0, 3).map(({ event, value }) => `${event} ${JSON.stringify(value)}`),
      ['xstate.init "queued"', 'decision.started "deciding"', 'decision.approved "approved"'],
    );
    t.is(transitions[1]?.commit, transitions[2]?.commit);
    t.deepEqual(review.states, transitions.at(-1)?.states);
  });
}
