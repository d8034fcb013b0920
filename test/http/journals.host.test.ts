import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { studyKey } from '../../actors/reopening/study-row.ts';
import type { ErrorCode } from '../../contract/base/errors.ts';
import { maximumWaitMs } from '../../contract/journal.ts';
import { eventKey, rowKey } from '../../storage/ledger/keys.ts';
import { TestHost } from '../host/test-host.ts';
import { withRawRows } from '../storage/ledger/scratch.ts';
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

// Reading a journal: page by page, waiting for what comes next, and where its bytes are damaged.

/** Reading a journal page by page. */

test('the pages of a journal join without gap, whatever their size, to the chain of its head', async (t) => {
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

test('HEAD on a journal and on a status says what GET would', async (t) => {
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

/** Waiting for events. The gate holds a study back while its journal stands still. */

const timed = async <Value>(work: Promise<Value>): Promise<{ value: Value; ms: number }> => {
  const from = performance.now();
  return { value: await work, ms: performance.now() - from };
};

test('a long poll at the head of a study that stands still ends with its time', async (t) => {
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
  // On a busy machine the next event may come after the longest wait; then a client asks again.
  const nextEvents = async () => {
    for (;;) {
      const asked = await timed(eventsPage(t, host, runtimeId, `?after=${head}&wait=${maximumWaitMs}`));
      if (asked.value.events.length > 0) return asked;
      t.true(asked.ms >= maximumWaitMs - 10, `${asked.ms}`);
    }
  };
  const waiting = [nextEvents(), nextEvents(), nextEvents()];
  await setTimeout(50);
  host.launcher.release();
  for (const { value, ms } of await Promise.all(waiting)) {
    t.is(value.events[0]?.seq, head + 1);
    t.true(ms < maximumWaitMs, `${ms}`);
  }
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

test('damage in the store is told by its code, and the neighbours stay readable', async (t) => {
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
