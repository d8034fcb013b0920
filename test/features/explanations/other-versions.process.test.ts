import { held } from '../../actors/captions/caption-bench.ts';
import { type CutStage, type StageBench, testChangedRows } from '../../actors/reopening/changed-rows.ts';
import { openExplanationBench, questionIn, type ScriptedExplainer, scriptedExplainer } from './explanation-bench.ts';

interface Bench extends StageBench, Pick<Awaited<ReturnType<typeof openExplanationBench>>, 'explanations'> {
  readonly explainer: ScriptedExplainer;
}

const stage: CutStage<Bench> = {
  leave: async ({ bench, runtimeId }) => {
    await bench.captions.produce(runtimeId, { approval: await bench.approve(runtimeId) });
    const gate = held();
    bench.explainer.answer = async () => {
      await gate.wait();
      throw new Error('nobody is there any more');
    };
    bench.explanations.explain(runtimeId, await questionIn(bench, runtimeId)).catch(() => undefined);
    await gate.reached;
  },
  row: 'language-explanation',
  said: [/^failed interrupted: /],
  again: async ({ bench, runtimeId }) => {
    await bench.explanations.list(runtimeId);
    await bench.explanations.explain(runtimeId, await questionIn(bench, runtimeId));
    await bench.explanations.list(runtimeId);
  },
  saidAgain: ['started', 'artifact.recorded', 'artifact.recorded', 'completed'],
};

testChangedRows('an explanation that is being asked for', stage, async (t, root) => {
  const explainer = scriptedExplainer();
  return { ...(await openExplanationBench(t, root, { explainer })), explainer };
});
