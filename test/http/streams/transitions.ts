import test, { type ExecutionContext } from 'ava';
import {
  actorsFollowed,
  actorTransitions,
  streamedTransition,
} from '../../../contract/lifecycles/actor-transitions.ts';
import { actorList } from '../../../contract/lifecycles/actors.ts';
import type { HostContract } from '../host/contract.ts';
import { ingestRequest, ingests, openIngest } from '../host/ingest-steps.ts';
import { followed, heldStudy, sampleRow, startStudy, studyRequest } from '../host/study-steps.ts';
import { StreamReader } from './stream-reader.ts';

const told = (stream: StreamReader) => stream.data('transition').map((data) => streamedTransition.parse(data));
const commits = (stream: StreamReader) => stream.data('actors').map((data) => actorsFollowed.parse(data).commit);

/** The transitions of actors as a stream. */
export function transitionStreams(contract: HostContract): void {
  const open = (query: string, headers: Readonly<Record<string, string>> = {}) =>
    StreamReader.open(contract.client, `/v1/events?${query}`, headers);

  const kept = async (t: ExecutionContext, actorId: string) =>
    contract.granted(t, await contract.get(`/v1/actors/${actorId}/transitions`), 200, actorTransitions);

  const cancel = (ingestId: string) => contract.post(`${ingests}/${ingestId}/cancellations`, {});

  test.serial(
    contract.title('a stream has every transition of an actor with the state before it, and goes on behind its id'),
    async (t) => {
      const { runtimeId, head } = await heldStudy(t, contract, 2300);
      const ingestId = await openIngest(t, contract, ingestRequest(5));
      const query = `runtimes=${runtimeId}@${head}&actors=${runtimeId}@1,${ingestId}`;
      const stream = await open(query);
      const isOf = (id: string) => told(stream).filter(({ actorId }) => actorId === id);
      await stream.until('what stands ready', () => told(stream).length === 3);
      t.deepEqual(
        isOf(runtimeId).map(({ seq, from, states }) => [seq, from?.states, states]),
        [
          [2, ['runtime.accepted'], ['runtime.initializing']],
          [3, ['runtime.initializing'], ['runtime.running.detect']],
        ],
      );
      t.like(isOf(ingestId), [{ seq: 1, from: null, kind: 'owned-ingest', runtimeId: null, event: 'xstate.init' }]);
      t.is(stream.lastId, `${head},3,1`);
      await cancel(ingestId);
      await stream.until('the cancellation', () => isOf(ingestId).length === 2);
      t.is(stream.lastId, `${head},3,2`);
      stream.close();
      await contract.gate.open();
      await followed(t, contract, runtimeId);

      const resumed = await open(query, { 'Last-Event-ID': stream.lastId });
      const { transitions } = await kept(t, runtimeId);
      await resumed.until('the rest', () => told(resumed).length === transitions.length - 3);
      const all = [...isOf(runtimeId), ...told(resumed)];
      const shown = all.map(({ seq, cause, event, value, states, at, commit }) => ({
        ...{ seq, cause, event, value, states, at, commit },
      }));
      t.deepEqual(shown, transitions.slice(1));
      t.true(
        all.every(
          ({ from }, index) => index === 0 || JSON.stringify(from?.value) === JSON.stringify(all[index - 1]?.value),
        ),
      );
      resumed.close();
    },
  );

  test.serial(
    contract.title('one stream has what every actor does, also what it did while the client and the host were away'),
    async (t) => {
      const stream = await open('actors=all');
      await stream.until('the beginning', () => commits(stream).length === 1);
      t.deepEqual(told(stream), []);
      const { actors } = contract.granted(t, await contract.get('/v1/actors?limit=1'), 200, actorList);
      const { runtimeId } = await startStudy(
        t,
        contract,
        studyRequest(await sampleRow(t, contract), { clientRequestId: 'lit' }),
      );
      const ingestId = await openIngest(t, contract, ingestRequest(6));
      await followed(t, contract, runtimeId);
      const has = (reader: StreamReader, state: string) => told(reader).some(({ states }) => states.includes(state));
      await stream.until('a study, its review and an ingest', () =>
        ['runtime.terminal', 'publish-review.queued', 'owned-ingest.queued.awaitingMedia'].every((state) =>
          has(stream, state),
        ),
      );
      t.true(told(stream).every(({ actorId }) => actorId !== actors[0]?.actorId));
      const { transitions } = await kept(t, runtimeId);
      t.is(told(stream).filter(({ actorId }) => actorId === runtimeId).length, transitions.length);
      t.is(Number(stream.lastId), Math.max(...told(stream).map(({ commit }) => commit)));
      stream.close();
      await cancel(ingestId);
      await contract.kill();
      await contract.start();

      const next = await openIngest(t, contract, ingestRequest(7));
      const query = `actors=all@${commits(stream)[0]}`;
      for (const resumed of [
        await open(query, { 'Last-Event-ID': stream.lastId }),
        await open(`actors=all@${stream.lastId}`),
      ]) {
        await resumed.until('what was missed', () => commits(resumed).length === 2);
        t.deepEqual(
          told(resumed)
            .map(({ actorId, seq }) => [actorId, seq])
            .sort(),
          [
            [ingestId, 2],
            [next, 1],
          ].sort(),
        );
        t.is(commits(resumed)[0], Number(stream.lastId));
        resumed.close();
      }
      await cancel(next);
    },
  );

  test.serial(contract.title('transitions that no stream can begin with are refused in JSON'), async (t) => {
    const { actors } = contract.granted(t, await contract.get('/v1/actors?limit=2'), 200, actorList);
    const [one, other] = actors.map(({ actorId }) => actorId);
    const rows = [
      ['unknown_actor', 'actors=runtime:none'],
      ['cursor_past_head', `actors=${one}@257`],
      ['cursor_past_head', 'actors=all@9007199254740991'],
      ['invalid_cursor', 'actors=all@x'],
      ['invalid_cursor', `actors=${one}@`],
      ['invalid_subscription', 'actors='],
      ['invalid_subscription', `actors=${one},${one}`],
      ['invalid_subscription', `actors=all,${other}`],
      ['invalid_subscription', `actors=${one}@1@2`],
    ] as const;
    for (const [code, query] of rows) contract.refused(t, await contract.get(`/v1/events?${query}`), code);
    for (const [id, query] of [
      ['1', `actors=${one},${other}`],
      ['1,2', 'actors=all'],
    ] as const) {
      const headers = { 'Last-Event-ID': id };
      contract.refused(t, await contract.get(`/v1/events?${query}`, { headers }), 'invalid_cursor');
    }
  });
}
