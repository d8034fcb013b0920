import test from 'ava';
import { FinishedOperations } from '../../../actors/study/finished-operations.ts';
import { mostObservations, type WorkCohort } from '../../../contract/study/forecast-calibration.ts';
import { openScratchLedger, scratchFolder } from '../../storage/ledger/scratch.ts';

const cohort: WorkCohort = {
  capability: 'media.detect',
  detectors: 'a'.repeat(64),
  video: null,
  audioCodec: 'aac',
  subtitleCodecs: null,
};
const other: WorkCohort = { ...cohort, audioCodec: 'opus' };

const timed = (workMs: number) => ({ mediaMs: 1000, workMs });

test('a cohort keeps its newest operations, over the end of a host too, and each cohort its own', async (t) => {
  const folder = await scratchFolder(t);
  const first = await openScratchLedger(t, folder);
  const before = new FinishedOperations(first);
  for (let at = 0; at < 40; at += 1) await first.commit([await before.noted(cohort, timed(at))]);
  await first.commit([await before.noted(other, timed(7))]);
  await first.close();

  const ledger = await openScratchLedger(t, folder);
  t.teardown(() => ledger.close());
  const finished = new FinishedOperations(ledger);
  // Operations that end at the same time have rows of their own.
  const together = Array.from({ length: 40 }, (_, at) => finished.noted(cohort, timed(40 + at)));
  await ledger.commit(await Promise.all(together));
  t.deepEqual(
    await finished.of(cohort),
    Array.from({ length: mostObservations }, (_, at) => timed(79 - at)),
  );
  t.deepEqual(await finished.of(other), [timed(7)]);
  t.is((await ledger.list('observation')).length, mostObservations + 1);
});

test('a row that cannot be read is no operation', async (t) => {
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  t.teardown(() => ledger.close());
  const finished = new FinishedOperations(ledger);
  await ledger.commit([await finished.noted(cohort, timed(1)), await finished.noted(cohort, timed(2))]);
  const [row] = await ledger.list('observation');
  await ledger.commit([{ put: 'observation', key: row?.key ?? '', value: { what: 'else' } }]);
  t.deepEqual(await finished.of(cohort), [timed(2)]);
});
