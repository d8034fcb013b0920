import test from 'ava';
import { coverageWorths, edgeNats, FIT, inSteps, MODELS, offsetCost } from '../../rules/cue-fit.ts';

/** Libraries of logarithms differ in the last digit or two of 16. */
const apart = 1e-9;

/** True if a value lies too near to a half to be rounded alike by every library. */
const isDoubtful = (value: number): boolean => Math.abs(Math.abs(value % 1) - 0.5) < apart;

test('every library of logarithms rounds the scores of edges alike, for each density of edges', (t) => {
  const doubtful: string[] = [];
  for (const kind of ['speech', 'cues'] as const) {
    for (const side of ['start', 'end'] as const) {
      for (let edges = FIT.fewestEdges; edges <= FIT.mostEdges; edges += 1) {
        const { nats, far } = edgeNats(MODELS[kind][side], edges);
        if ([...nats, far].some((nat) => isDoubtful(100 * nat))) doubtful.push(`${kind} ${side} ${edges}`);
      }
    }
  }
  t.deepEqual(doubtful, []);
});

test('every library of logarithms rounds the worth of covered time alike, for each share of speech', (t) => {
  const doubtful: number[] = [];
  for (let share = FIT.leastShare; share <= 1000 - FIT.leastShare; share += 1) {
    const { over, beside } = coverageWorths(share);
    if (isDoubtful(over) || isDoubtful(beside)) doubtful.push(share);
  }
  t.deepEqual(doubtful, []);
});

test('every library of logarithms rounds the costs of places alike', (t) => {
  const doubtful: number[] = [];
  for (let offset = 0; offset <= inSteps(600_000); offset += 1) {
    if (isDoubtful(100 * Math.log1p((offset * 20) / 1000))) doubtful.push(offset);
  }
  t.deepEqual(doubtful, []);
  t.is(offsetCost(-50), offsetCost(50));
});
