import test from 'ava';
import { type WorkProgress, workStage } from '../../../contract/operation/work-progress.ts';
import type { RuntimeOverview } from '../../../contract/overview/runtime-overview.ts';
import { standingOf } from '../../../visualizer/console/study/standing.ts';
import { progressWords, shareOf, stageWords } from '../../../visualizer/console/words/progress.ts';

const nothing: WorkProgress = {
  schema: 'studio.local-work-progress.v1',
  ...{ id: 'runtime:1', stage: 'detect', completed: null, total: null, unit: null },
  ...{ bytes: null, bytesPerSecond: null, queuePosition: null, etaMs: null },
};

const overviewOf = (code: string, text: string, reason: { readonly code: string } | null = null): RuntimeOverview =>
  ({
    ...{ situation: { code, text }, lifecycle: 'running', study: { reason } },
    check: { reasonCodes: [] },
  }) as unknown as RuntimeOverview;

test('every step has plain words', (t) => {
  for (const stage of workStage.options) t.regex(stageWords[stage], /^[a-z ]+$/);
});

test('progress says what the host says, and nothing that it does not', (t) => {
  t.is(progressWords(nothing), '');
  t.is(shareOf(nothing), null);
  const measured = { completed: 61_499, total: 240_000, unit: 'milliseconds', etaMs: 61_000 } as const;
  t.is(progressWords({ ...nothing, ...measured }), '25 % · 1:01 of 4:00 of media · about 2 min left of this step');
  t.is(
    progressWords({ ...nothing, completed: 0, total: 1_800_234, unit: 'milliseconds' }),
    '0 % · 0:00 of 30:00 of media',
  );
  t.is(
    progressWords({
      ...nothing,
      stage: 'upload',
      completed: 1_500_000,
      total: 3e6,
      unit: 'bytes',
      bytesPerSecond: 2e6,
    }),
    '50 % · 1.5 MB of 3.0 MB · 2.0 MB a second',
  );
  t.is(progressWords({ ...nothing, stage: 'queued', queuePosition: 2 }), 'place 2 in the queue');
  // All speech counts twice where the recogniser runs twice, so an amount of it is no length.
  t.is(
    progressWords({ ...nothing, ...measured, stage: 'recognize', etaMs: 200 }),
    '25 % · about 1 s left of this step',
  );
  t.is(shareOf({ ...nothing, completed: 0, total: 0 }), null);
});

test('a study stands where its stream says while it is at work, and where its overview says otherwise', (t) => {
  const studying = overviewOf('studying', 'studying: reading the evidence');
  t.is(standingOf(studying, null).words, 'studying: reading the evidence');
  t.is(standingOf(studying, 'recognize').words, 'studying: recognising what is said');
  t.deepEqual(standingOf(studying, 'queued'), { state: 'waiting', words: 'waiting for its turn' });
  const waiting = overviewOf('waiting_for_a_worker', 'waiting for a worker: none is there');
  t.deepEqual(standingOf(waiting, 'queued'), { state: 'waiting', words: 'waiting for a worker: none is there' });
  t.deepEqual(standingOf(waiting, 'detect'), { state: 'running', words: 'studying: measuring sound and picture' });
  const ended = overviewOf('waiting_for_review', 'waiting for your review');
  t.is(standingOf(ended, 'admit').words, 'waiting for your review');
  const failed = overviewOf('failed', 'failed: executor_failed: the time is used up', { code: 'executor_failed' });
  t.is(standingOf(failed, null).words, 'failed: the time is used up');
});
