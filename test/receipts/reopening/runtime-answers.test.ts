import test from 'ava';
import { runtimeEvents } from '../../../contract/journal/runtime-events.ts';
import { type Lifecycle, runtimeStatus } from '../../../contract/study/runtime-status.ts';
import { canonicalJson } from '../../../receipts/core/canonical-json.ts';
import { draftEvent } from '../../../receipts/core/event-draft.ts';
import { journalHeadField, runtimeEventsBytes } from '../../../receipts/reopening/runtime-events.ts';
import { runtimeStatusOf } from '../../../receipts/reopening/runtime-status.ts';
import { acceptStudy } from '../../../receipts/start/runtime-start.ts';
import { planStudy } from '../../../receipts/start/study-plan.ts';
import { acceptedAt, clipRequest, koreanClip } from '../sources/korean-clip.ts';

const accepted = acceptStudy(planStudy(koreanClip, clipRequest), koreanClip, acceptedAt);
const { commandId, runtimeId } = accepted.record;
const reason = { code: 'executor_failed', message: 'tool_exit: 1' } as const;

const stateOf = (lifecycle: Lifecycle) => ({
  record: accepted.record,
  receiptContentId: accepted.receiptContentId,
  lifecycle,
  lastTransitionAt: acceptedAt,
  reason: lifecycle === 'failed' || lifecycle === 'interrupted' ? reason : null,
  journalHead: 3,
});

for (const lifecycle of ['accepted', 'initializing', 'running', 'terminal', 'failed', 'interrupted'] as const) {
  test(`the status of a run that is ${lifecycle} fits the wire`, (t) => {
    const answer = runtimeStatus.parse(runtimeStatusOf('studio.local-runtime-status.v1', stateOf(lifecycle)));
    t.is(answer.terminal, lifecycle === 'terminal' || lifecycle === 'failed' || lifecycle === 'interrupted');
    t.is(answer.runStartReceipt?.contentId, accepted.receiptContentId);
    t.is(answer.forecast?.frozenForecastId, accepted.frozenForecast.freezeId);
  });
}

test('the acknowledgement of a start is the status under its own name', (t) => {
  const ack = runtimeStatusOf('studio.local-runtime-start-ack.v1', stateOf('accepted'));
  const status = runtimeStatusOf('studio.local-runtime-status.v1', stateOf('accepted'));
  t.deepEqual({ ...ack, schema: status.schema }, status);
});

test('a status that contradicts itself is none', (t) => {
  const status = runtimeStatusOf('studio.local-runtime-status.v1', stateOf('running'));
  t.false(runtimeStatus.safeParse({ ...status, reason }).success);
  t.false(runtimeStatus.safeParse({ ...status, terminal: true }).success);
  t.false(runtimeStatus.safeParse({ ...status, forecast: null }).success);
  t.false(runtimeStatus.safeParse({ ...status, progress: 0.5 }).success);
});

const stored = [1, 2, 3].map((seq) =>
  Buffer.from(
    canonicalJson({
      schema: 'studio.runtime.event.v1',
      runId: runtimeId,
      seq,
      eventId: `event:${runtimeId}:${seq}`,
      recordedAt: acceptedAt,
      ...draftEvent(
        'task.transitioned',
        { taskId: 'task:1', agentId: 'agent:1', status: 'working', reason: null },
        { correlationId: commandId, causationId: null },
      ),
    }),
  ),
);
const head = { seq: 3, digest: 'f'.repeat(64), recordedAt: acceptedAt };
const pageOf = (after: number, limit: number, lifecycle: Lifecycle = 'running') =>
  runtimeEventsBytes({
    commandId,
    runtimeId,
    lifecycle,
    reason: null,
    after,
    page: { events: stored.slice(after, after + limit), head },
  });
const read = (bytes: Buffer) => runtimeEvents.parse(JSON.parse(bytes.toString('utf8')));

test('a page holds the stored events as they are and ends in a newline', (t) => {
  const bytes = pageOf(0, 2);
  t.is(bytes.at(-1), 0x0a);
  t.true(bytes.includes(Buffer.concat([stored[0] ?? Buffer.alloc(0), Buffer.from(','), stored[1] ?? Buffer.alloc(0)])));
  t.like(read(bytes), { requestedCursor: 0, nextCursor: 2, journalHead: 3, reachedHead: false, terminal: false });
});

test('the page at the head says so, with events and without', (t) => {
  t.like(read(pageOf(2, 2)), { requestedCursor: 2, nextCursor: 3, reachedHead: true });
  const empty = read(pageOf(3, 100, 'terminal'));
  t.like(empty, { requestedCursor: 3, nextCursor: 3, reachedHead: true, terminal: true });
  t.deepEqual(empty.events, []);
});

test('a page with a gap, a false cursor or an early end is none', (t) => {
  const page = read(pageOf(0, 3));
  t.false(runtimeEvents.safeParse({ ...page, requestedCursor: 1, nextCursor: 4 }).success);
  t.false(runtimeEvents.safeParse({ ...page, nextCursor: 2 }).success);
  t.false(runtimeEvents.safeParse({ ...page, reachedHead: false }).success);
  t.false(runtimeEvents.safeParse({ ...page, terminal: true }).success);
  t.false(runtimeEvents.safeParse({ ...page, events: [], nextCursor: 0, reachedHead: false }).success);
});

test('the journal head field holds the count and the chain digest', (t) => {
  t.is(journalHeadField(head), `3;sha256=${'f'.repeat(64)}`);
});
