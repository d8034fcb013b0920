import test, { type ExecutionContext } from 'ava';
import type { AnyStateMachine } from 'xstate';
import { journalEvent } from '../../../contract/journal.ts';
import type { ChartState, ChartTransition } from '../../../contract/lifecycles/charts.ts';
import { captionProductionMachine } from '../../../machines/caption-production.ts';
import { languageExplanationMachine } from '../../../machines/language-explanation.ts';
import { chartOf, mainWayOf } from '../../../machines/machine-chart.ts';
import { publishReviewMachine } from '../../../machines/publish-review.ts';
import { studyMachine } from '../../../machines/study.ts';
import type { openCaptionBench } from '../../actors/captions/caption-bench.ts';
import { openExplanationBench, questionIn, scriptedExplainer } from '../../actors/explanations/explanation-bench.ts';
import { newDataRoot, store } from '../../actors/reopening/stored-studies.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { twoTracks } from '../../receipts/evidence/stored-tracks.ts';

const allStates = (state: ChartState): ChartState[] => [state, ...state.states.flatMap(allStates)];

/** Equal types in a row are merged to one. */
const collapsed = (types: readonly string[]): string[] => types.filter((type, index) => type !== types[index - 1]);

/** The journal that the chart predicts for an actor on this way, given as the paths of its states. */
function declared(machine: AnyStateMachine, way: readonly string[]): string[] {
  const { root } = chartOf(machine);
  const states = allStates(root);
  const transitions = new Map<string, ChartTransition>(
    states.flatMap((state) => state.transitions.map((transition) => [transition.id, transition])),
  );
  const at = (path: string): ChartState => {
    const found = states.find(({ id }) => id === `${root.id}.${path}`);
    if (found === undefined) throw new Error(`no state ${path}`);
    return found;
  };
  /** A state that works on ends with what its effect brings: transitions that lead nowhere. */
  const within = (state: ChartState): string[] =>
    state.transitions.filter(({ targets }) => targets.length === 0).flatMap(({ journal }) => journal);
  const [first = '', ...rest] = way;
  const steps = mainWayOf(root, [way]);
  return collapsed([
    ...at(first).journal,
    ...within(at(first)),
    ...rest.flatMap((path, index) => {
      const transition = transitions.get(steps[index] ?? '');
      return [...(transition?.journal ?? []), ...at(path).journal, ...within(at(path))];
    }),
  ]);
}

const mainWay = (machine: AnyStateMachine): readonly string[] => machine.config.meta?.mainWays?.[0] ?? [];

async function typesAfter(
  bench: Pick<Awaited<ReturnType<typeof openCaptionBench>>, 'store'>,
  runtimeId: string,
  after: number,
): Promise<string[]> {
  const { events } = await bench.store.ledger.journalPage(runtimeId, after, 200);
  const types = events.map((bytes) => journalEvent.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))).type);
  return collapsed(types);
}

const headOf = (bench: Pick<Awaited<ReturnType<typeof openCaptionBench>>, 'ledger'>, runtimeId: string): number =>
  bench.ledger.journalHead(runtimeId).seq;

const studyOn = async (t: ExecutionContext) => {
  const bench = await openExplanationBench(t, await newDataRoot(t), { explainer: scriptedExplainer() });
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

test('an explanation journals what the main way of its chart declares', async (t) => {
  const { bench, runtimeId } = await studyOn(t);
  await bench.captions.produce(runtimeId, { approval: await bench.approve(runtimeId) });
  const after = headOf(bench, runtimeId);
  await bench.explanations.explain(runtimeId, await questionIn(bench, runtimeId));
  t.deepEqual(
    await typesAfter(bench, runtimeId, after),
    declared(languageExplanationMachine, mainWay(languageExplanationMachine)),
  );
});
