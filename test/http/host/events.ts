import test from 'ava';
import type { ErrorCode } from '../../../contract/base/error-codes.ts';
import type { HostContract } from './contract.ts';
import {
  chainHead,
  eventsPage,
  followed,
  headField,
  runtimeOf,
  sampleRow,
  startStudy,
  studyRequest,
} from './study-steps.ts';

/** Reading a journal page by page. */
export function events(contract: HostContract): void {
  test.serial(
    contract.title('the pages of a journal join without gap, whatever their size, to the chain of its head'),
    async (t) => {
      const { runtimeId } = await startStudy(t, contract, studyRequest(await sampleRow(t, contract)));
      const whole = await eventsPage(t, contract, runtimeId);
      t.like(whole, { requestedCursor: 0, reachedHead: true, terminal: true });
      t.true(whole.events.length > 30);
      t.deepEqual(
        whole.events.map(({ seq }) => seq),
        whole.events.map((_, at) => at + 1),
      );
      t.true(
        whole.events.every(({ runId, seq, eventId }) => eventId === `event:${runId}:${seq}` && runId === runtimeId),
      );
      for (const limit of [1, 7, whole.journalHead, 200]) {
        const joined = [];
        for (let reached = false; !reached; ) {
          const page = await eventsPage(t, contract, runtimeId, `?limit=${limit}&after=${joined.length}`);
          t.true(page.events.length <= limit && page.terminal);
          joined.push(...page.events);
          reached = page.reachedHead;
        }
        t.deepEqual(joined, whole.events);
      }
      const answer = await contract.get(`/v1/runtimes/${runtimeId}/events?after=5&limit=1`);
      t.is(headField(answer), chainHead(runtimeId, whole.events));
      t.is(headField(await contract.get(`/v1/runtimes/${runtimeId}`)), headField(answer));
    },
  );

  test.serial(contract.title('the head of a journal is a page of its own, and nothing lies behind it'), async (t) => {
    const { runtimeId, journalHead } = await startStudy(t, contract, studyRequest(await sampleRow(t, contract)));
    const atHead = await eventsPage(t, contract, runtimeId, `?after=${journalHead}&wait=8000`);
    t.like(atHead, { events: [], nextCursor: journalHead, reachedHead: true, terminal: true });
    const behind = await contract.get(`/v1/runtimes/${runtimeId}/events?after=${journalHead + 1}`);
    contract.refused(t, behind, 'cursor_past_head');
    const far = await contract.get(`/v1/runtimes/${runtimeId}/events?after=${Number.MAX_SAFE_INTEGER}`);
    contract.refused(t, far, 'cursor_past_head');
  });

  test.serial(contract.title('cursor, limit and wait are canonical decimals within their bounds'), async (t) => {
    const { runtimeId } = await startStudy(t, contract, studyRequest(await sampleRow(t, contract)));
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
        contract.refused(t, await contract.get(path), code);
      }
    }
    t.is((await eventsPage(t, contract, runtimeId, '?after=0&limit=200&wait=0')).requestedCursor, 0);
  });

  test.serial(contract.title('HEAD on a journal and on a status says what GET would'), async (t) => {
    const { runtimeId, commandId } = await startStudy(t, contract, studyRequest(await sampleRow(t, contract)));
    for (const path of [
      `/v1/runtimes/${runtimeId}/events?limit=3`,
      `/v1/runtimes/${runtimeId}`,
      `/v1/runtime-starts/${commandId}`,
    ]) {
      const get = await contract.get(path);
      const head = await contract.ask('HEAD', path);
      t.is(head.body.length, 0);
      t.is(head.status, 200);
      t.is(head.headers['content-length'], String(get.body.length));
      t.is(headField(head), headField(get));
    }
  });

  test.serial(contract.title('a journal that grows is read to its end without a gap'), async (t) => {
    const request = studyRequest(await sampleRow(t, contract), { range: { startMs: 3000, endMs: 9000 } });
    const { runtimeId } = await startStudy(t, contract, request);
    const { events: all, last } = await followed(t, contract, runtimeId);
    t.like(last, { lifecycle: 'terminal', reason: null, journalHead: all.length });
    t.is(all.at(-1)?.type, 'task.transitioned');
    t.deepEqual((await eventsPage(t, contract, runtimeId)).events, all);
    const times = all.map(({ recordedAt }) => recordedAt);
    t.deepEqual(times, [...times].sort());
    t.is((await runtimeOf(t, contract, runtimeId)).journalHead, all.length);
  });
}
