import test from 'ava';
import { progressLine } from '../../cli/terminal/progress-line.ts';
import type { WorkProgress } from '../../contract/operation/work-progress.ts';

const nothing: WorkProgress = {
  ...{ schema: 'studio.local-work-progress.v1', id: 'runtime:1', stage: 'queued' },
  ...{ completed: null, total: null, unit: null, bytes: null, bytesPerSecond: null, queuePosition: null, etaMs: null },
};

test('a line says what is known of the work, and nothing else', (t) => {
  t.is(progressLine('clip', nothing), 'clip: queued');
  t.is(progressLine('clip', { ...nothing, queuePosition: 3 }), 'clip: queued place 3');
  const upload = { stage: 'upload', completed: 40, total: 100, unit: 'bytes' } as const;
  t.is(progressLine('clip', { ...nothing, ...upload }), 'clip: upload [########............] 40 %');
  t.is(
    progressLine('clip', { ...nothing, ...upload, completed: 100, bytesPerSecond: 2_340_000, etaMs: 1001 }),
    'clip: upload [####################] 100 % 2.3 MB/s 2 s left',
  );
});
