import { readdir } from 'node:fs/promises';
import { parse } from 'node:path';
import test from 'ava';
import { StateMachine } from 'xstate';
import { actorMachines, machines } from '../../machines/catalogue.ts';
import {
  type PublishReviewEvent,
  type PublishReviewState,
  publishReviewMachine,
  reviewAfter,
} from '../../machines/publish-review.ts';

const reviews: Readonly<Record<PublishReviewState, Partial<Record<PublishReviewEvent['type'], PublishReviewState>>>> = {
  queued: { 'decision.started': 'deciding' },
  deciding: { 'decision.approved': 'approved', 'decision.rejected': 'rejected', 'decision.failed': 'queued' },
  approved: { 'revocation.started': 'revoking' },
  revoking: { 'revocation.completed': 'revoked', 'revocation.failed': 'approved' },
  revoked: {},
  rejected: {},
};

const reviewEvents = Object.values(reviews).flatMap((next) => Object.keys(next) as PublishReviewEvent['type'][]);
const reviewStates = Object.keys(reviews) as PublishReviewState[];

for (const state of reviewStates) {
  test(`a review that is ${state} goes where its next entry says, and takes no other`, (t) => {
    for (const event of reviewEvents) t.is(reviewAfter(state, [event]), reviews[state][event] ?? null, event);
  });
}

test('the chart of reviews has no other states and events, and ends with revoked or rejected', (t) => {
  const chart = publishReviewMachine;
  t.deepEqual(Object.keys(chart.states).sort(), [...reviewStates].sort());
  t.deepEqual([...chart.events].sort(), [...reviewEvents].sort());
  const final = reviewStates.filter((value) => chart.resolveState({ value }).status === 'done');
  t.deepEqual(final, ['revoked', 'rejected']);
});

const room = new URL('../../machines/', import.meta.url);

test('the catalogue lists every machine that a file of the room exports, under an id of its own', async (t) => {
  const exported: unknown[] = [];
  const files = (await readdir(room)).filter((name) => name.endsWith('.ts') && name !== 'catalogue.ts');
  for (const name of files) {
    const file: Readonly<Record<string, unknown>> = await import(`../../machines/${parse(name).name}.ts`);
    exported.push(...Object.values(file).filter((value) => value instanceof StateMachine));
  }
  t.deepEqual(new Set<unknown>(machines), new Set(exported));
  t.is(new Set(machines.map(({ id }) => id)).size, machines.length);
});

test('every machine of the catalogue belongs to an actor, whose paths are tested, or a command', (t) => {
  const ofCommands = machines.filter((machine) => !actorMachines.includes(machine));
  t.deepEqual(ofCommands, [publishReviewMachine]);
});
