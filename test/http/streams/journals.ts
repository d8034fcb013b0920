import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { runtimeEnded } from '../../../contract/journal/event-stream.ts';
import { type HostContract, pageOrigin } from '../host/contract.ts';
import { eventsPage, followed, heldStudy, sampleRow, startStudy, studyRequest } from '../host/study-steps.ts';
import { StreamReader } from './stream-reader.ts';

/** Journals as streams of events. */
export function journalStreams(contract: HostContract): void {
  const open = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    StreamReader.open(contract.client, path, headers);

  async function endedStudy(t: ExecutionContext): Promise<string> {
    const { runtimeId } = await startStudy(t, contract, studyRequest(await sampleRow(t, contract)));
    await followed(t, contract, runtimeId);
    return runtimeId;
  }

  test.serial(contract.title('the stream of an ended study is its journal and its end'), async (t) => {
    const runtimeId = await endedStudy(t);
    const { events: records, journalHead } = await eventsPage(t, contract, runtimeId);
    const stream = await open(`/v1/runtimes/${runtimeId}/events`, { Origin: pageOrigin });
    t.is(await stream.ended, 'whole');
    t.like(stream.answer, { statusCode: 200 });
    t.like(stream.answer.headers, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': pageOrigin,
      vary: 'Origin, Accept',
      'transfer-encoding': 'chunked',
    });
    t.is(stream.retry, 1000);
    t.deepEqual(stream.data('journal'), records);
    t.deepEqual(
      stream.events.slice(0, -1).map(({ id }) => id),
      records.map(({ seq }) => String(seq)),
    );
    t.like(stream.events.at(-1), { event: 'ended' });
    t.deepEqual(runtimeEnded.parse(stream.data('ended')[0]), {
      ...{ schema: 'studio.local-runtime-ended.v1', runtimeId, lifecycle: 'terminal', reason: null },
      journalHead,
    });
  });

  test.serial(contract.title('a stream goes on behind Last-Event-ID, else behind after'), async (t) => {
    const runtimeId = await endedStudy(t);
    const { journalHead } = await eventsPage(t, contract, runtimeId);
    const path = `/v1/runtimes/${runtimeId}/events`;
    const rows: [string, Record<string, string>, number][] = [
      [`${path}?after=${journalHead - 2}`, {}, 2],
      [path, { 'Last-Event-ID': String(journalHead - 3) }, 3],
      [`${path}?after=1`, { 'Last-Event-ID': String(journalHead - 1) }, 1],
      [`${path}?after=${journalHead}`, {}, 0],
    ];
    for (const [target, headers, left] of rows) {
      const stream = await open(target, headers);
      t.is(await stream.ended, 'whole');
      t.is(stream.data('journal').length, left, target);
      t.is(stream.data('ended').length, 1);
    }
  });

  test.serial(contract.title('what no stream can begin with is refused in JSON'), async (t) => {
    const runtimeId = await endedStudy(t);
    const Accept = 'text/event-stream';
    const path = `/v1/runtimes/${runtimeId}/events`;
    const ask = (target: string, headers: object = {}) => contract.get(target, { headers: { Accept, ...headers } });
    for (const id of ['x', '01', '-1', '1,2', '9007199254740992']) {
      contract.refused(t, await ask(path, { 'Last-Event-ID': id }), 'invalid_cursor');
      contract.refused(t, await ask(`${path}?after=${encodeURIComponent(id)}`), 'invalid_cursor');
      contract.refused(
        t,
        await ask(`${path}?after=${encodeURIComponent(id)}`, { 'Last-Event-ID': '1' }),
        'invalid_cursor',
      );
    }
    contract.refused(t, await ask(path, { 'Last-Event-ID': ['1', '2'] }), 'invalid_cursor');
    contract.refused(t, await ask(path, { 'Last-Event-ID': '9999' }), 'cursor_past_head');
    contract.refused(t, await ask(`${path}?after=9999`), 'cursor_past_head');
    contract.refused(t, await ask(`${path}?limit=0`), 'invalid_cursor');
    contract.refused(t, await ask('/v1/runtimes/runtime:none/events'), 'unknown_runtime');
    contract.refused(t, await ask(path, { Origin: 'http://elsewhere.example' }), 'origin_not_allowed');
    contract.refused(t, await contract.get(path, { headers: { Accept }, token: null }), 'unauthorized', [
      'www-authenticate',
    ]);
  });

  test.serial(contract.title('only who asks for a stream by its name gets one'), async (t) => {
    const runtimeId = await endedStudy(t);
    const path = `/v1/runtimes/${runtimeId}/events?limit=3`;
    const page = await contract.get(path);
    for (const Accept of [
      ...['*/*', 'text/*', 'application/json', 'text/event-stream;q=0', 'text/event-stream;q=x'],
      'text/event-stream;q=0.5, application/json',
    ]) {
      const answer = await contract.get(path, { headers: { Accept } });
      t.deepEqual(answer.body, page.body, Accept);
      t.is(answer.headers['content-type'], 'application/json; charset=utf-8');
    }
    for (const Accept of ['text/event-stream', 'TEXT/Event-Stream; q=1', 'application/json;q=0.9, text/event-stream']) {
      const answer = await contract.get(path, { headers: { Accept } });
      t.is(answer.headers['content-type'], 'text/event-stream', Accept);
    }
    const head = await contract.ask('HEAD', path, { headers: { Accept: 'text/event-stream' } });
    t.like(head, { status: 200 });
    t.is(head.headers['content-type'], 'text/event-stream');
    t.is(head.body.length, 0);
  });

  test.serial(contract.title('a stream gets each event of a live study once, to its end'), async (t) => {
    const { runtimeId, head } = await heldStudy(t, contract, 1800);
    const all = await open(`/v1/runtimes/${runtimeId}/events`);
    const late = await open(`/v1/runtimes/${runtimeId}/events?after=${head}`);
    await all.until('the events so far', ({ records }) => records === head);
    t.is(late.records, 0);
    await contract.gate.open();
    t.deepEqual(await Promise.all([all.ended, late.ended]), ['whole', 'whole']);
    const { events: records } = await followed(t, contract, runtimeId);
    t.deepEqual(all.data('journal'), records);
    t.deepEqual(late.data('journal'), records.slice(head));
  });

  test.serial(contract.title('clients that leave their streams leave the host and the study alone'), async (t) => {
    const { runtimeId } = await heldStudy(t, contract, 1900);
    for (let left = 0; left < 20; left += 1) {
      const stream = await open(`/v1/runtimes/${runtimeId}/events`);
      await setTimeout(2);
      stream.close();
    }
    await contract.gate.open();
    t.like((await followed(t, contract, runtimeId)).last, { lifecycle: 'terminal', reason: null });
  });
}

/** Streams through the end of their host. The gate holds a study while its host is killed, and while it is asked to stop. */
export function streamsThroughRestarts(contract: HostContract): void {
  test.serial(
    contract.title('a stream is resumed without loss or doubles after its host was killed, and after it was stopped'),
    async (t) => {
      const { runtimeId, head } = await heldStudy(t, contract, 2000);
      const path = `/v1/runtimes/${runtimeId}/events`;
      const first = await StreamReader.open(contract.client, path);
      await first.until('the events so far', ({ records }) => records === head);
      await contract.kill();
      t.is(await first.ended, 'cut');
      await contract.start();

      const resumeAt = { 'Last-Event-ID': first.lastId };
      const second = await StreamReader.open(contract.client, path, resumeAt);
      const stopped = contract.stop();
      t.is(await second.ended, 'whole');
      t.is((await stopped).code, 0);
      t.is(second.data('ended').length, 0);
      await contract.gate.open();
      await contract.start();

      const last = second.records === 0 ? first.lastId : second.lastId;
      const third = await StreamReader.open(contract.client, path, { 'Last-Event-ID': last });
      t.is(await third.ended, 'whole');
      const { events: records } = await followed(t, contract, runtimeId);
      t.deepEqual(
        [first, second, third].flatMap((stream) => stream.data('journal')),
        records,
      );
      t.is(third.data('ended').length, 1);
    },
  );
}
