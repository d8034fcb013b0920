import test, { type ExecutionContext } from 'ava';
import { errorEnvelope } from '../../../contract/base/errors.ts';
import { actorsFollowed, type StreamedTransition, streamedTransition } from '../../../contract/lifecycles/actors.ts';
import { TestHost } from '../../host/test-host.ts';
import { within } from '../../patience.ts';
import { ingestRequest, ingests, openIngest } from '../host/ingest-steps.ts';
import { followed, heldStudy, sampleRow, startStudy, studyRequest } from '../host/study-steps.ts';
import { StreamReader } from './stream-reader.ts';

const transitionsOf = (stream: StreamReader) => stream.data('transition').map((data) => streamedTransition.parse(data));
const commits = (stream: StreamReader) => stream.data('actors').map((data) => actorsFollowed.parse(data).commit);

const open = (host: TestHost, query: string, headers: Readonly<Record<string, string>> = {}) =>
  StreamReader.of(host, `/v1/events?${query}`, headers);

/** All transitions of a study that has ended, by a stream from its first on. */
async function wholeOf(host: TestHost, runtimeId: string): Promise<StreamedTransition[]> {
  const stream = await open(host, `actors=${runtimeId}`);
  await stream.until('its end', () => transitionsOf(stream).at(-1)?.states.includes('runtime.terminal') === true);
  const whole = transitionsOf(stream);
  stream.close();
  return whole;
}

const cancel = (host: TestHost, ingestId: string) => host.post(`${ingests}/${ingestId}/cancellations`, {});

test('a stream has every transition of an actor with the state before, and resumes by its id', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', mediaTools: true });
  const { runtimeId, head } = await heldStudy(t, host, 2300);
  const ingestId = await openIngest(t, host, ingestRequest(5));
  const query = `runtimes=${runtimeId}@${head}&actors=${runtimeId}@1,${ingestId}`;
  const stream = await open(host, query);
  const isOf = (id: string) => transitionsOf(stream).filter(({ actorId }) => actorId === id);
  await stream.until('what stands ready', () => transitionsOf(stream).length === 3);
  t.deepEqual(
    isOf(runtimeId).map(({ seq, from, states }) => [seq, from?.states, states]),
    [
      [2, ['runtime.accepted'], ['runtime.initializing']],
      [3, ['runtime.initializing'], ['runtime.running.detect']],
    ],
  );
  t.like(isOf(ingestId), [{ seq: 1, from: null, kind: 'owned-ingest', runtimeId: null, event: 'xstate.init' }]);
  t.is(stream.lastId, `${head},3,1`);
  await cancel(host, ingestId);
  await stream.until('the cancellation', () => isOf(ingestId).length === 2);
  t.is(stream.lastId, `${head},3,2`);
  stream.close();
  host.launcher.release();
  await followed(t, host, runtimeId);

  const resumed = await open(host, query, { 'Last-Event-ID': stream.lastId });
  const transitions = await wholeOf(host, runtimeId);
  await resumed.until('the rest', () => transitionsOf(resumed).length === transitions.length - 3);
  const all = [...isOf(runtimeId), ...transitionsOf(resumed)];
  t.deepEqual(all, transitions.slice(1));
  t.true(
    all.every(
      ({ from }, index) => index === 0 || JSON.stringify(from?.value) === JSON.stringify(all[index - 1]?.value),
    ),
  );
  resumed.close();
});

test('one stream has the transitions of all actors, even while client and host were away', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const stream = await open(host, 'actors=all');
  await stream.until('the beginning', () => commits(stream).length === 1);
  t.deepEqual(transitionsOf(stream), []);
  const before = Object.values(host.known.studies);
  const { runtimeId } = await startStudy(t, host, studyRequest(await sampleRow(t, host), { clientRequestId: 'lit' }));
  const ingestId = await openIngest(t, host, ingestRequest(6));
  await followed(t, host, runtimeId);
  const has = (reader: StreamReader, state: string) =>
    transitionsOf(reader).some(({ states }) => states.includes(state));
  await stream.until('a study, its review and an ingest', () =>
    ['runtime.terminal', 'publish-review.queued', 'owned-ingest.queued.awaitingMedia'].every((state) =>
      has(stream, state),
    ),
  );
  t.true(transitionsOf(stream).every(({ actorId }) => !before.includes(actorId)));
  const transitions = await wholeOf(host, runtimeId);
  t.is(transitionsOf(stream).filter(({ actorId }) => actorId === runtimeId).length, transitions.length);
  t.is(Number(stream.lastId), Math.max(...transitionsOf(stream).map(({ commit }) => commit)));
  stream.close();
  await cancel(host, ingestId);
  await host.die();

  const next = await openIngest(t, host, ingestRequest(7));
  const query = `actors=all@${commits(stream)[0]}`;
  for (const resumed of [
    await open(host, query, { 'Last-Event-ID': stream.lastId }),
    await open(host, `actors=all@${stream.lastId}`),
  ]) {
    await resumed.until('what was missed', () => commits(resumed).length === 2);
    t.deepEqual(
      transitionsOf(resumed)
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
  await cancel(host, next);
});

test('transitions that no stream can begin with are refused in JSON', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { oneSecond: one, tenSeconds: other } = host.known.studies;
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
  for (const [code, query] of rows) host.refused(t, await host.get(`/v1/events?${query}`), code);
  for (const [id, query] of [
    ['1', `actors=${one},${other}`],
    ['1,2', 'actors=all'],
  ] as const) {
    const headers = { 'Last-Event-ID': id };
    host.refused(t, await host.get(`/v1/events?${query}`, { headers }), 'invalid_cursor');
  }
});

const watched = (host: TestHost, query: string) => StreamReader.of(host, `/v1/events?${query}`);

/** True if an event came this many times. */
const hasEvent =
  (name: string, times = 1) =>
  ({ events }: StreamReader): boolean =>
    events.filter(({ event }) => event === name).length >= times;

/** Why the host ended a stream. */
async function refusalOf(stream: StreamReader) {
  await within('the end of the stream', stream.ended);
  return errorEnvelope.parse(stream.data('refused')[0]).error;
}

async function deleted(t: ExecutionContext, host: TestHost, path: string): Promise<void> {
  const answer = await host.ask('DELETE', path);
  t.is(answer.status, 200, answer.body.toString());
}

test('bug: an open stream of the transitions of an actor was silent about its deletion', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { oneSecond } = host.known.studies;
  const stream = await watched(host, `actors=${oneSecond}`);
  await stream.until('its transitions', hasEvent('transition'));
  await deleted(t, host, `/v1/runtimes/${oneSecond}`);
  const { code, message } = await refusalOf(stream);
  t.is(code, 'unknown_actor');
  t.true(message.startsWith(`${oneSecond}: `));
});

test('an open stream of all actors continues when one of them is deleted', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const stream = await watched(host, 'actors=all');
  await stream.until('its beginning', hasEvent('actors'));
  await deleted(t, host, `/v1/runtimes/${host.known.studies.oneSecond}`);
  t.deepEqual(stream.data('refused'), []);
});
