import test from 'ava';
import {
  type PublishReviewEvent,
  type PublishReviewState,
  publishReviewMachine,
  reviewAfter,
} from '../../machines/publish-review.ts';

const ways: Readonly<Record<PublishReviewState, Partial<Record<PublishReviewEvent['type'], PublishReviewState>>>> = {
  queued: { 'decision.started': 'deciding' },
  deciding: { 'decision.approved': 'approved', 'decision.rejected': 'rejected', 'decision.failed': 'queued' },
  approved: { 'revocation.started': 'revoking' },
  revoking: { 'revocation.completed': 'revoked', 'revocation.failed': 'approved' },
  revoked: {},
  rejected: {},
};

const events = Object.values(ways).flatMap((next) => Object.keys(next) as PublishReviewEvent['type'][]);
const states = Object.keys(ways) as PublishReviewState[];

for (const state of states) {
  test(`a review that is ${state} goes where its next entry says, and takes no other`, (t) => {
    for (const event of events) t.is(reviewAfter(state, [event]), ways[state][event] ?? null, event);
  });
}

test('the chart of reviews has no other states and events, and reviews that are revoked or rejected are at their end', (t) => {
  const chart = publishReviewMachine;
  t.deepEqual(Object.keys(chart.states).sort(), [...states].sort());
  t.deepEqual([...chart.events].sort(), [...events].sort());
  const final = states.filter((value) => chart.resolveState({ value }).status === 'done');
  t.deepEqual(final, ['revoked', 'rejected']);
});
