import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { studyKey } from '../../actors/reopening/study-row.ts';
import { type ErrorCode, errorEnvelope } from '../../contract/base/errors.ts';
import { ownedIngestStatus } from '../../contract/ingest.ts';
import { hostStreamEvents, maximumFollowed, maximumWaitMs, runtimeEnded } from '../../contract/journal.ts';
import { workProgress } from '../../contract/operation.ts';
import { eventKey, rowKey } from '../../storage/ledger/keys.ts';
import { TestHost } from '../host/test-host.ts';
import { within } from '../patience.ts';
import { withRawRows } from '../storage/ledger/scratch.ts';
import { pageOrigin } from './host/contract.ts';
import { ingestRequest, ingests, octets } from './host/ingest-steps.ts';
import {
  chainHead,
  eventsPage,
  followed,
  headField,
  heldStudy,
  runtimeOf,
  sampleRow,
  startStudy,
  studyRequest,
} from './host/study-steps.ts';
import { StreamReader } from './streams/stream-reader.ts';

// Streams of events: one journal, and several journals and ingests.

/** Journals as streams of events. */

test('the stream of an ended study is its journal and its end', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const runtimeId = host.known.studies.oneSecond;
  const { events: records, journalHead } = await eventsPage(t, host, runtimeId);
  const stream = await StreamReader.of(host, `/v1/runtimes/${runtimeId}/events`, { Origin: pageOrigin });
  t.is(await stream.ended, 'whole');
  t.like(stream, { status: 200 });
  t.like(stream.headers, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': pageOrigin,
    vary: 'Origin, Accept',
  });
  t.is(stream.retry, 1000);
  t.deepEqual(stream.data('journal'), records);
  t.deepEqual(
    stream.events.slice(0, -1).map(({ id }) => id),
    records.map(({ seq }) => String(seq)),
  );
  t.like(stream.events.at(-1), { event: 'ended' });
  t.deepEqual(runtimeEnded.parse(stream.data('ended')[0]), {
    schema: 'studio.local-runtime-ended.v1',
    runtimeId,
    lifecycle: 'terminal',
    reason: null,
    journalHead,
  });
});

test('a stream continues after Last-Event-ID, otherwise after `after`', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const runtimeId = host.known.studies.oneSecond;
  const { journalHead } = await eventsPage(t, host, runtimeId);
  const path = `/v1/runtimes/${runtimeId}/events`;
  const rows: [string, Record<string, string>, number][] = [
    [`${path}?after=${journalHead - 2}`, {}, 2],
    [path, { 'Last-Event-ID': String(journalHead - 3) }, 3],
    [`${path}?after=1`, { 'Last-Event-ID': String(journalHead - 1) }, 1],
    [`${path}?after=${journalHead}`, {}, 0],
  ];
  for (const [target, headers, left] of rows) {
    const stream = await StreamReader.of(host, target, headers);
    t.is(await stream.ended, 'whole');
    t.is(stream.data('journal').length, left, target);
    t.is(stream.data('ended').length, 1);
  }
});

test('an invalid start of a stream is refused in JSON', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const runtimeId = host.known.studies.oneSecond;
  const Accept = 'text/event-stream';
  const path = `/v1/runtimes/${runtimeId}/events`;
  const ask = (target: string, headers: object = {}) => host.get(target, { headers: { Accept, ...headers } });
  for (const id of ['x', '01', '-1', '1,2', '9007199254740992']) {
    host.refused(t, await ask(path, { 'Last-Event-ID': id }), 'invalid_cursor');
    host.refused(t, await ask(`${path}?after=${encodeURIComponent(id)}`), 'invalid_cursor');
    host.refused(t, await ask(`${path}?after=${encodeURIComponent(id)}`, { 'Last-Event-ID': '1' }), 'invalid_cursor');
  }
  host.refused(t, await ask(path, { 'Last-Event-ID': ['1', '2'] }), 'invalid_cursor');
  host.refused(t, await ask(path, { 'Last-Event-ID': '9999' }), 'cursor_past_head');
  host.refused(t, await ask(`${path}?after=9999`), 'cursor_past_head');
  host.refused(t, await ask(`${path}?limit=0`), 'invalid_cursor');
  host.refused(t, await ask('/v1/runtimes/runtime:none/events'), 'unknown_runtime');
  host.refused(t, await ask(path, { Origin: 'http://elsewhere.example' }), 'origin_not_allowed');
  host.refused(t, await host.get(path, { headers: { Accept }, token: null }), 'unauthorized', ['www-authenticate']);
});

test('only who asks for a stream by its name gets one', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const runtimeId = host.known.studies.oneSecond;
  const path = `/v1/runtimes/${runtimeId}/events?limit=3`;
  const page = await host.get(path);
  for (const Accept of [
    ...['*/*', 'text/*', 'application/json', 'text/event-stream;q=0', 'text/event-stream;q=x'],
    'text/event-stream;q=0.5, application/json',
  ]) {
    const answer = await host.get(path, { headers: { Accept } });
    t.deepEqual(answer.body, page.body, Accept);
    t.is(answer.headers['content-type'], 'application/json; charset=utf-8');
  }
  for (const Accept of ['text/event-stream', 'TEXT/Event-Stream; q=1', 'application/json;q=0.9, text/event-stream']) {
    const answer = await host.get(path, { headers: { Accept } });
    t.is(answer.headers['content-type'], 'text/event-stream', Accept);
  }
  const head = await host.ask('HEAD', path, { headers: { Accept: 'text/event-stream' } });
  t.like(head, { status: 200 });
  t.is(head.headers['content-type'], 'text/event-stream');
  t.is(head.body.length, 0);
});

test('a stream gets each event of a live study once, to its end', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', mediaTools: true });
  const { runtimeId, head } = await heldStudy(t, host, 1800);
  const all = await StreamReader.of(host, `/v1/runtimes/${runtimeId}/events`);
  const late = await StreamReader.of(host, `/v1/runtimes/${runtimeId}/events?after=${head}`);
  await all.until('the events so far', ({ records }) => records === head);
  t.is(late.records, 0);
  host.launcher.release();
  t.deepEqual(await Promise.all([all.ended, late.ended]), ['whole', 'whole']);
  const { events: records } = await followed(t, host, runtimeId);
  t.deepEqual(all.data('journal'), records);
  t.deepEqual(late.data('journal'), records.slice(head));
});

test('clients that leave their streams leave the host and the study alone', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', mediaTools: true });
  const { runtimeId } = await heldStudy(t, host, 1900);
  for (let left = 0; left < 20; left += 1) {
    const stream = await StreamReader.of(host, `/v1/runtimes/${runtimeId}/events`);
    await setTimeout(2);
    stream.close();
  }
  host.launcher.release();
  t.like((await followed(t, host, runtimeId)).last, { lifecycle: 'terminal', reason: null });
});

/** One stream of several journals and ingests, and how far work has come. */

const openedIngest = async (t: ExecutionContext, host: TestHost, declaredBytes: number): Promise<string> => {
  const opened = await host.post(ingests, ingestRequest(declaredBytes));
  return host.granted(t, opened, 202, ownedIngestStatus).ingestId;
};

test('one stream follows journals and ingests, and its id resumes all of them', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', mediaTools: true });
  const { runtimeId: ended } = await startStudy(t, host, studyRequest(await sampleRow(t, host)));
  const { events: records } = await followed(t, host, ended);
  const { runtimeId: live, head } = await heldStudy(t, host, 2100);
  const ingestId = await openedIngest(t, host, 4);
  const path = `/v1/events?runtimes=${ended}@${records.length - 1},${live}&ingests=${ingestId}`;
  const stream = await StreamReader.of(host, path, { Accept: '*/*' });
  t.is(stream.headers['content-type'], 'text/event-stream');
  const isHere = ({ events }: StreamReader) =>
    stream.data('journal').length === head + 1 && events.some(({ event }) => event === 'ingest');
  await stream.until('what stands ready', isHere);
  t.like(stream.data('ended'), [{ runtimeId: ended, journalHead: records.length }]);
  t.like(stream.data('ingest'), [{ ingestId, status: 'queued' }]);
  await host.ask('PUT', `${ingests}/${ingestId}/media`, {
    body: Buffer.from('text'),
    headers: { 'Content-Type': 'application/octet-stream' },
  });
  await stream.until('the failure of an ingest that is no media', () =>
    stream.data('ingest').some((document) => ownedIngestStatus.parse(document).status === 'failed'),
  );
  const lastId = stream.lastId;
  t.is(lastId, `${records.length},${head}`);
  stream.close();
  const progressed = stream.data('progress').map((document) => workProgress.parse(document));
  t.true(progressed.some(({ id, stage }) => id === ended && stage === 'ended'));
  t.true(progressed.some(({ id, stage }) => id === live && stage === 'detect'));
  t.true(progressed.some(({ id, stage }) => id === ingestId && stage === 'upload'));
  // An id stays in force until another comes, so only records may have one.
  const ids = stream.events.filter(({ event, id }) => event !== 'journal' && id !== undefined);
  t.deepEqual(ids, []);

  const resumed = await StreamReader.of(host, path, { 'Last-Event-ID': lastId });
  host.launcher.release();
  await resumed.until('the end of the live study', () => resumed.data('ended').length === 2);
  const { events: all } = await followed(t, host, live);
  t.deepEqual(resumed.data('journal'), all.slice(head));
  for (const { event = '', data } of [...stream.events, ...resumed.events]) {
    hostStreamEvents[event as keyof typeof hostStreamEvents].parse(JSON.parse(data));
  }
  resumed.close();
});

test('an invalid subscription is refused in JSON', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { runtimeId } = await startStudy(t, host, studyRequest(await sampleRow(t, host)));
  const many = Array.from({ length: maximumFollowed + 1 }, (_, at) => `runtime:${at}`).join();
  const rows = [
    ...['', '?runtimes=', '?ingests=', `?runtimes=${runtimeId},`, `?runtimes=${runtimeId},${runtimeId}`].map(
      (query) => ['invalid_subscription', query] as const,
    ),
    ['invalid_subscription', `?runtimes=${runtimeId}@1@2`],
    ['invalid_subscription', `?runtimes=${many}`],
    ['invalid_cursor', `?runtimes=${runtimeId}@x`],
    ['cursor_past_head', `?runtimes=${runtimeId}@9999`],
    ['unknown_runtime', '?runtimes=runtime:none'],
    ['unknown_ingest', '?ingests=owned-ingest:none'],
    ['unknown_ingest', '?ingests=none'],
    ['duplicate_query', `?runtimes=${runtimeId}&runtimes=${runtimeId}`],
    ['unknown_query', '?actor=all'],
  ] as const;
  for (const [code, query] of rows) host.refused(t, await host.get(`/v1/events${query}`), code);
  for (const id of ['1,2', 'x', '1,', ' ']) {
    const headers = { 'Last-Event-ID': id };
    host.refused(t, await host.get(`/v1/events?runtimes=${runtimeId}`, { headers }), 'invalid_cursor');
  }
});

test('progress is readable for studies and ingests, and is in no journal', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', mediaTools: true });
  const progressAt = async (path: string) => host.granted(t, await host.get(`${path}/progress`), 200, workProgress);
  const { runtimeId } = await heldStudy(t, host, 2200);
  t.like(await progressAt(`/v1/runtimes/${runtimeId}`), { id: runtimeId, stage: 'detect', queuePosition: null });
  const source = await sampleRow(t, host);
  const waiting: string[] = [];
  for (const clientRequestId of ['busy', 'first', 'second']) {
    waiting.push((await startStudy(t, host, studyRequest(source, { clientRequestId }))).runtimeId);
  }
  const places = await Promise.all(waiting.map((id) => progressAt(`/v1/runtimes/${id}`)));
  t.deepEqual(
    places.map(({ stage, queuePosition }) => [stage === 'queued', queuePosition]),
    [
      [false, null],
      [true, 1],
      [true, 2],
    ],
  );
  const stream = await StreamReader.of(host, `/v1/events?runtimes=${waiting[2]}`);
  host.launcher.release();
  await stream.until('the end', () => stream.data('progress').some((one) => workProgress.parse(one).stage === 'ended'));
  const seen = stream.data('progress').map((one) => workProgress.parse(one));
  t.like(seen[0], { stage: 'queued', queuePosition: 2 });
  stream.close();
  for (const id of [runtimeId, ...waiting]) await followed(t, host, id);
  t.like(await progressAt(`/v1/runtimes/${runtimeId}`), { stage: 'ended', completed: null, etaMs: null });
  t.false(JSON.stringify(await eventsPage(t, host, runtimeId)).includes('work-progress'));

  const ingestId = await openedIngest(t, host, 100);
  t.like(await progressAt(`${ingests}/${ingestId}`), { id: ingestId, stage: 'upload', completed: null });
  const half = host.request('PUT', `${ingests}/${ingestId}/media`, 100, octets);
  const upload = await StreamReader.of(host, `/v1/events?ingests=${ingestId}`);
  half.send(Buffer.alloc(40));
  await upload.until('the bytes so far', () =>
    upload.data('progress').some((one) => workProgress.parse(one).completed === 40),
  );
  t.like(await progressAt(`${ingests}/${ingestId}`), { completed: 40, total: 100, unit: 'bytes', bytes: 40 });
  half.leave();
  upload.close();
  host.refused(t, await host.get('/v1/runtimes/runtime:none/progress'), 'unknown_runtime');
  host.refused(t, await host.get(`${ingests}/owned-ingest:none/progress`), 'unknown_ingest');
});

// Reading a journal: page by page, waiting for what comes next, and where its bytes are damaged.

/** Reading a journal page by page. */

test('pages of a journal of any size join without a gap to the chain of its head', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const runtimeId = host.known.studies.oneSecond;
  const whole = await eventsPage(t, host, runtimeId);
  t.like(whole, { requestedCursor: 0, reachedHead: true, terminal: true });
  t.true(whole.events.length > 30);
  t.deepEqual(
    whole.events.map(({ seq }) => seq),
    whole.events.map((_, at) => at + 1),
  );
  t.true(whole.events.every(({ runId, seq, eventId }) => eventId === `event:${runId}:${seq}` && runId === runtimeId));
  for (const limit of [1, 7, whole.journalHead, 200]) {
    const joined = [];
    for (let reached = false; !reached; ) {
      const page = await eventsPage(t, host, runtimeId, `?limit=${limit}&after=${joined.length}`);
      t.true(page.events.length <= limit && page.terminal);
      joined.push(...page.events);
      reached = page.reachedHead;
    }
    t.deepEqual(joined, whole.events);
  }
  const answer = await host.get(`/v1/runtimes/${runtimeId}/events?after=5&limit=1`);
  t.is(headField(answer), chainHead(runtimeId, whole.events));
  t.is(headField(await host.get(`/v1/runtimes/${runtimeId}`)), headField(answer));
});

test('the head of a journal is a page of its own, and nothing lies behind it', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { runtimeId, journalHead } = await runtimeOf(t, host, host.known.studies.oneSecond);
  const atHead = await eventsPage(t, host, runtimeId, `?after=${journalHead}&wait=8000`);
  t.like(atHead, { events: [], nextCursor: journalHead, reachedHead: true, terminal: true });
  const behind = await host.get(`/v1/runtimes/${runtimeId}/events?after=${journalHead + 1}`);
  host.refused(t, behind, 'cursor_past_head');
  const far = await host.get(`/v1/runtimes/${runtimeId}/events?after=${Number.MAX_SAFE_INTEGER}`);
  host.refused(t, far, 'cursor_past_head');
});

test('cursor, limit and wait are canonical decimals within their bounds', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const runtimeId = host.known.studies.oneSecond;
  const noDecimals = ['', '-1', '+1', '01', '00', '1.0', '1e2', '0x1', ' 1', '1 ', 'x', '٣', '9007199254740992'];
  const rows: [ErrorCode, string, string[]][] = [
    ['invalid_cursor', 'after', noDecimals],
    ['invalid_cursor', 'limit', [...noDecimals, '0']],
    ['invalid_limit', 'limit', ['201', '9007199254740991']],
    ['invalid_wait', 'wait', [...noDecimals, '8001']],
  ];
  for (const [code, key, values] of rows) {
    for (const value of values) {
      const path = `/v1/runtimes/${runtimeId}/events?${key}=${encodeURIComponent(value)}`;
      host.refused(t, await host.get(path), code);
    }
  }
  t.is((await eventsPage(t, host, runtimeId, '?after=0&limit=200&wait=0')).requestedCursor, 0);
});

test('HEAD on a journal and on a status has the headers of GET', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { runtimeId, commandId } = await runtimeOf(t, host, host.known.studies.oneSecond);
  for (const path of [
    `/v1/runtimes/${runtimeId}/events?limit=3`,
    `/v1/runtimes/${runtimeId}`,
    `/v1/runtime-starts/${commandId}`,
  ]) {
    const get = await host.get(path);
    const head = await host.ask('HEAD', path);
    t.is(head.body.length, 0);
    t.is(head.status, 200);
    t.is(head.headers['content-length'], String(get.body.length));
    t.is(headField(head), headField(get));
  }
});

test('a journal that grows is read to its end without a gap', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const request = studyRequest(await sampleRow(t, host), { range: { startMs: 0, endMs: 10_000 } });
  const { runtimeId } = await startStudy(t, host, request);
  const { events: all, last } = await followed(t, host, runtimeId);
  t.like(last, { lifecycle: 'terminal', reason: null, journalHead: all.length });
  t.is(all.at(-1)?.type, 'task.transitioned');
  t.deepEqual((await eventsPage(t, host, runtimeId)).events, all);
  const times = all.map(({ recordedAt }) => recordedAt);
  t.deepEqual(times, [...times].sort());
  t.is((await runtimeOf(t, host, runtimeId)).journalHead, all.length);
});

/** Waiting for events. The gate holds a study back while its journal does not grow. */

const timed = async <Value>(work: Promise<Value>): Promise<{ value: Value; ms: number }> => {
  const from = performance.now();
  return { value: await work, ms: performance.now() - from };
};

test('a long poll at the head of an idle study ends with its time', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const { runtimeId, head } = await heldStudy(t, host, 1500);
  const { value, ms } = await timed(eventsPage(t, host, runtimeId, `?after=${head}&wait=300`));
  t.like(value, { events: [], nextCursor: head, reachedHead: true, terminal: false, lifecycle: 'running' });
  t.true(ms >= 290, `${ms}`);
  const before = await timed(eventsPage(t, host, runtimeId, `?after=${head - 1}&wait=${maximumWaitMs}`));
  t.is(before.value.events.length, 1);
  t.true(before.ms < maximumWaitMs, `${before.ms}`);
  t.false((await runtimeOf(t, host, runtimeId)).terminal);
  host.launcher.release();
  t.like((await followed(t, host, runtimeId)).last, { lifecycle: 'terminal', reason: null });
});

test('a long poll answers with the next event, to everyone who waits', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const { runtimeId, head } = await heldStudy(t, host, 1600);
  // On a busy machine the next event may come when the longest wait ends; then a client polls again. A poll that no event ended would
  // find the study terminal.
  const endedByAnEvent = async () => {
    for (let after = head; ; ) {
      const { value, ms } = await timed(eventsPage(t, host, runtimeId, `?after=${after}&wait=${maximumWaitMs}`));
      if (value.events.length > 0) t.is(value.events[0]?.seq, after + 1);
      if (value.events.length > 0 && ms < maximumWaitMs) return;
      t.false(value.terminal, 'no poll was ended by an event');
      after = value.nextCursor;
    }
  };
  const waiting = [endedByAnEvent(), endedByAnEvent(), endedByAnEvent()];
  await setTimeout(50);
  host.launcher.release();
  await Promise.all(waiting);
  t.like((await followed(t, host, runtimeId)).last, { lifecycle: 'terminal', reason: null });
});

test('clients that leave their long polls leave the host and the study alone', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const { runtimeId, head } = await heldStudy(t, host, 1700);
  for (let left = 0; left < 20; left += 1) {
    const path = `/v1/runtimes/${runtimeId}/events?after=${head}&wait=${maximumWaitMs}`;
    const poll = host.request('GET', path, 0);
    await setTimeout(5);
    poll.leave();
  }
  t.false((await runtimeOf(t, host, runtimeId)).terminal);
  host.launcher.release();
  t.like((await followed(t, host, runtimeId)).last, { lifecycle: 'terminal', reason: null });
});

test('damage in the store is reported by its code, and the neighbors stay readable', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const source = await sampleRow(t, host);
  const attempt = async (clientRequestId: string) => {
    const request = studyRequest(source, { clientRequestId });
    const { runtimeId } = await startStudy(t, host, request);
    t.is((await followed(t, host, runtimeId)).last.lifecycle, 'terminal');
    return runtimeId;
  };
  const [changed, unreadable, lost, whole] = [
    await attempt('1'),
    await attempt('2'),
    await attempt('3'),
    await attempt('4'),
  ];
  const before = await eventsPage(t, host, whole);
  await host.stop();
  await withRawRows(join(host.dataRoot, 'ledger'), async (rows) => {
    const stored = await rows.get(eventKey(changed, 9));
    await rows.put(
      eventKey(changed, 9),
      Buffer.from(String(stored?.toString('latin1')).replace('"seq":9', '"seq":8'), 'latin1'),
    );
    await rows.put(eventKey(unreadable, 9), Buffer.from('nothing of the kind'));
    await rows.put(rowKey('record', studyKey(lost)), Buffer.from('nothing of the kind'));
  });
  await host.start();
  host.refused(t, await host.get(`/v1/runtimes/${changed}/events`), 'invalid_journal_chain');
  host.refused(t, await host.get(`/v1/runtimes/${unreadable}/events`), 'malformed_journal');
  host.refused(t, await host.get(`/v1/runtimes/${lost}`), 'stored_content_inconsistent');
  for (const runtimeId of [changed, unreadable]) {
    const status = await runtimeOf(t, host, runtimeId);
    t.like(status, {
      lifecycle: 'failed',
      terminal: true,
      journalHead: 8,
      reason: { code: 'stored_content_inconsistent' },
    });
  }
  t.deepEqual(await eventsPage(t, host, whole), before);
  t.is((await runtimeOf(t, host, whole)).lifecycle, 'terminal');
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

test('bug: an open stream of several was silent when one of its runtimes was deleted', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { oneSecond, tenSeconds } = host.known.studies;
  const stream = await watched(host, `runtimes=${tenSeconds},${oneSecond}`);
  await stream.until('both journals', hasEvent('ended', 2));
  await deleted(t, host, `/v1/runtimes/${oneSecond}`);
  const { code, message } = await refusalOf(stream);
  t.is(code, 'runtime_deleted');
  t.true(message.startsWith(`${oneSecond}: the runtime was deleted at `), message);
  const again = await watched(host, `runtimes=${tenSeconds}`);
  await again.until('the other one', hasEvent('ended'));
});

test('bug: an open stream of an ingest was silent when its source was deleted', async (t) => {
  const host = await TestHost.open(t, { life: 'ingested' });
  const { registered } = host.known.ingests;
  const status = host.granted(t, await host.get(`/v1/owned-media-ingests/${registered}`), 200, ownedIngestStatus);
  const sourceSessionId = status.source?.sourceSessionId;
  const stream = await watched(host, `ingests=${registered}`);
  await stream.until('its status', hasEvent('ingest'));
  await deleted(t, host, `/v1/source-sessions/${sourceSessionId}`);
  t.is((await refusalOf(stream)).code, 'source_deleted');
});
