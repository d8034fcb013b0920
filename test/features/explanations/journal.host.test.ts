import test from 'ava';
import { languageExplanationMachine } from '../../../machines/language-explanation.ts';
import { newDataRoot, store } from '../../actors/reopening/stored-studies.ts';
import { declared, headOf, mainWay, typesAfter } from '../../machines/lifecycles/declared-journal.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { twoTracks } from '../../receipts/evidence/stored-tracks.ts';
import { openExplanationBench, questionIn, scriptedExplainer } from './explanation-bench.ts';

test('an explanation journals what the main way of its chart declares', async (t) => {
  const bench = await openExplanationBench(t, await newDataRoot(t), { explainer: scriptedExplainer() });
  const runtimeId = await store(bench.store, storedStudy({ version: 1, windows: 4, tracks: twoTracks }));
  await bench.captions.produce(runtimeId, { approval: await bench.approve(runtimeId) });
  const after = headOf(bench, runtimeId);
  await bench.explanations.explain(runtimeId, await questionIn(bench, runtimeId));
  t.deepEqual(
    await typesAfter(bench, runtimeId, after),
    declared(languageExplanationMachine, mainWay(languageExplanationMachine)),
  );
});
