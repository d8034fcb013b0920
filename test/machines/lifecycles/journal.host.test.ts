import test, { type ExecutionContext } from 'ava';
import { captionProductionMachine } from '../../../machines/caption-production.ts';
import { publishReviewMachine } from '../../../machines/publish-review.ts';
import { studyMachine } from '../../../machines/study.ts';
import { openCaptionBench } from '../../actors/captions/caption-bench.ts';
import { newDataRoot, store } from '../../actors/reopening/stored-studies.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { twoTracks } from '../../receipts/evidence/stored-tracks.ts';
import { declared, headOf, mainWay, typesAfter } from './declared-journal.ts';

const studyOn = async (t: ExecutionContext) => {
  const bench = await openCaptionBench(t, await newDataRoot(t));
  const runtimeId = await store(bench.store, storedStudy({ version: 1, windows: 4, tracks: twoTracks }));
  return { bench, runtimeId };
};

test('the journal of a study holds what the main way of its chart declares', async (t) => {
  const { bench, runtimeId } = await studyOn(t);
  t.deepEqual(await typesAfter(bench, runtimeId, 0), declared(studyMachine, mainWay(studyMachine)));
});

test('an approval and its withdrawal journal what the chart of reviews declares', async (t) => {
  const { bench, runtimeId } = await studyOn(t);
  const after = headOf(bench, runtimeId);
  await bench.revoke(runtimeId, await bench.approve(runtimeId));
  const way = ['deciding', 'approved', 'revoking', 'revoked'];
  t.deepEqual(await typesAfter(bench, runtimeId, after), declared(publishReviewMachine, way));
});

test('captions journal what the main way of their chart declares', async (t) => {
  const { bench, runtimeId } = await studyOn(t);
  const approval = await bench.approve(runtimeId);
  const after = headOf(bench, runtimeId);
  await bench.captions.produce(runtimeId, { approval });
  t.deepEqual(
    await typesAfter(bench, runtimeId, after),
    declared(captionProductionMachine, mainWay(captionProductionMachine)),
  );
});
