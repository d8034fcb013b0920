import test from 'ava';
import { DurationHistogram } from '../../../actors/operation/duration-histogram.ts';
import { CommitFigures } from '../../../actors/operation/host-figures.ts';
import { StateDurations } from '../../../actors/operation/state-durations.ts';
import type { Metric } from '../../../contract/operation/metric.ts';

const sampleOf = ({ samples }: Metric, suffix: string, labels: Readonly<Record<string, string>> = {}) =>
  samples.find(
    (sample) =>
      sample.suffix === suffix && Object.entries(labels).every(([name, value]) => sample.labels?.[name] === value),
  )?.value;

const row = (kind: string, value: string | Record<string, string>) => ({
  ...{ kind, machineId: kind, machineVersion: 1, input: null, status: '', updatedAt: 0, ticket: null },
  ...{ resumes: 0, totalResumes: 0, remainingMs: null, snapshot: { value } },
});

test('a histogram counts a duration in every bucket that it fits in, and one beyond all of them at the end', (t) => {
  const histogram = new DurationHistogram('x_seconds', 'x');
  for (const seconds of [0.001, 0.3, 9_999]) histogram.observe(seconds, { step: 'a' });
  const metric = histogram.metric();
  for (const [le, value] of [
    ['0.001', 1],
    ['0.25', 1],
    ['0.5', 2],
    ['1800', 2],
    ['+Inf', 3],
  ] as const) {
    t.is(sampleOf(metric, '_bucket', { le }), value, le);
  }
  t.is(sampleOf(metric, '_sum'), 9_999.301);
  t.is(sampleOf(metric, '_count', { step: 'a' }), 3);
});

test('a state is measured when it is left, under the actor and the state that was left', (t) => {
  let now = 1_000;
  const durations = new StateDurations(() => now);
  durations.committed('a', row('runtime', 'accepted'), false);
  now += 2_000;
  durations.committed('a', row('runtime', { running: 'detect' }), false);
  now += 500;
  durations.committed('a', row('runtime', { running: 'detect' }), false);
  now += 500;
  durations.committed('a', row('runtime', 'terminal'), true);
  const metric = durations.metric();
  t.is(sampleOf(metric, '_sum', { actor: 'runtime', state: 'accepted' }), 2);
  t.is(sampleOf(metric, '_sum', { actor: 'runtime', state: 'running.detect' }), 1);
  t.is(sampleOf(metric, '_count', { state: 'running.detect' }), 1);
  t.is(sampleOf(metric, '_count', { state: 'terminal' }), undefined);
});

test('a batch of the ledger is measured from before its write to after its sync', (t) => {
  let now = 0;
  const commits = new CommitFigures(() => now);
  commits.point('commit:before');
  now += 30;
  commits.point('object-store:put');
  commits.point('commit:after');
  t.is(sampleOf(commits.metric(), '_sum'), 0.03);
  t.is(sampleOf(commits.metric(), '_count'), 1);
});
