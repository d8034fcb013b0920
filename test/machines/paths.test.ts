import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import type { AnyEventObject, Snapshot } from 'xstate';
import { actorMachines } from '../../machines/catalogue.ts';
import { publishReviewMachine } from '../../machines/publish-review.ts';
import { decodeRow, encodeRow } from '../../storage/ledger/row-codec.ts';
import { type Run, runsOf } from './run.ts';
import { lifecycles, outcome, studyScenario } from './scenarios.ts';
import { coverageOf, type Path, pathsOf } from './walks.ts';

const eventTypes = (path: Path): string => path.steps.map(({ event }) => event.type).join(' > ');

const rowOfTest = Buffer.from('s');

/** As the ledger keeps a snapshot: packed, checked and unpacked again. */
const stored = (snapshot: Snapshot<unknown>): Snapshot<unknown> =>
  decodeRow(rowOfTest, encodeRow(rowOfTest, snapshot)) as Snapshot<unknown>;

/** Many thousand comparisons: only those that fail are worth ava's description of the difference. */
const same = (t: ExecutionContext, actual: unknown, expected: unknown, path?: string): void => {
  if (isDeepStrictEqual(actual, expected)) t.pass();
  else t.deepEqual(actual, expected, path);
};

const replayed = async (run: Run, events: readonly AnyEventObject[]): Promise<Run> => {
  for (const event of events) await run.happen(event);
  return run;
};

const storedCoverage = async (id: string): Promise<unknown> =>
  JSON.parse(await readFile(new URL(`../../docs/charts/${id}.coverage.json`, import.meta.url), 'utf8'));

for (const { scenario, endingOf } of lifecycles) {
  const paths = pathsOf(scenario);
  const start = runsOf(scenario);
  const eventsOf = (path: Path): AnyEventObject[] => path.steps.map(({ event }) => event);
  const plans: Readonly<Record<string, { readonly input: unknown }>> = { ...scenario.effects, ...scenario.timers };
  const inputsFor = (effectIds: readonly string[]): Record<string, unknown> =>
    Object.fromEntries(effectIds.map((effectId) => [effectId, plans[effectId]?.input]));
  const { id } = scenario.machine;

  test(`every path of ${id} ends with its status, reason and emissions in order`, async (t) => {
    t.log(`${paths.length} paths, ${paths.reduce((count, { steps }) => count + steps.length, 0)} steps`);
    for (const path of paths) {
      const run = start();
      for (const { event, expected } of path.steps) {
        same(t, run.running(), inputsFor(Object.keys(run.running())), eventTypes(path));
        await run.happen(event);
        same(t, run.snapshot().value, expected.value, eventTypes(path));
        same(t, run.snapshot().context, expected.context, eventTypes(path));
      }
      const ending = endingOf(eventsOf(path));
      t.is(run.snapshot().status, 'done', eventTypes(path));
      t.is(run.snapshot().value, ending.value, eventTypes(path));
      same(t, run.snapshot().context, ending.context, eventTypes(path));
      same(t, run.emissions, ending.emissions, eventTypes(path));
      same(t, run.running(), {}, eventTypes(path));
      same(t, run.errors, [], eventTypes(path));
    }
  });

  test(`every state and transition of ${id} is on a path, with the frequency in its coverage`, async (t) => {
    const coverage = await coverageOf(scenario.machine, paths);
    const never = [...coverage.states, ...coverage.transitions].filter(({ walks }) => walks === 0);
    t.deepEqual(never, []);
    t.deepEqual(await storedCoverage(id), coverage, 'run `npm run docs`');
  });

  test(`${id} restored at every step runs the same effects again and ends the same`, async (t) => {
    let restored = 0;
    for (const path of paths) {
      const events = eventsOf(path);
      const whole = endingOf(events);
      const original = start();
      for (let done = 0; done < events.length; done += 1) {
        const copy = start({ from: stored(original.persisted()), now: original.now() });
        same(t, copy.snapshot(), original.snapshot(), eventTypes(path));
        same(t, copy.running(), original.running(), eventTypes(path));
        same(t, copy.emissions, [], eventTypes(path));
        await replayed(copy, events.slice(done));
        t.is(copy.snapshot().value, whole.value, eventTypes(path));
        same(t, copy.snapshot().context, whole.context, eventTypes(path));
        same(t, [...original.emissions, ...copy.emissions], whole.emissions, eventTypes(path));
        same(t, copy.errors, [], eventTypes(path));
        restored += 1;
        await replayed(original, events.slice(done, done + 1));
      }
    }
    t.log(`${restored} restarts`);
  });

  test(`${id} restored in a final state stays there and starts nothing`, async (t) => {
    for (const path of paths) {
      const run = await replayed(start(), eventsOf(path));
      const copy = start({ from: stored(run.persisted()), now: run.now() });
      for (const event of scenario.outside) copy.send(event);
      same(t, copy.snapshot(), run.snapshot(), eventTypes(path));
      t.is(copy.snapshot().status, 'done', eventTypes(path));
      same(t, copy.running(), {}, eventTypes(path));
      same(t, copy.emissions, [], eventTypes(path));
      same(t, copy.errors, [], eventTypes(path));
    }
  });

  test(`${id} ignores unknown events, and all events once it has ended`, async (t) => {
    for (const path of paths) {
      const run = start();
      for (const event of eventsOf(path)) {
        const before = [run.snapshot(), run.emissions.length, run.running()];
        run.send({ type: 'no.such.event' });
        same(t, [run.snapshot(), run.emissions.length, run.running()], before, eventTypes(path));
        await run.happen(event);
      }
      const end = run.snapshot();
      for (const event of scenario.outside) run.send(event);
      same(t, run.snapshot(), end, eventTypes(path));
      same(t, run.errors, [], eventTypes(path));
    }
  });
}

test('of two failures in one turn the first gives the reason; a late result changes nothing', async (t) => {
  const run = runsOf(studyScenario)();
  await run.happen({ type: 'worker.granted' });
  const late = run.happen({ type: 'xstate.done.actor.initialize', output: outcome('initialize') });
  run.send({ type: 'content.damaged', message: 'the source changed' });
  run.send({ type: 'supervision.exhausted', message: 'it crashed again and again' });
  await late;
  const reason = { code: 'stored_content_inconsistent', message: 'the source changed' };
  t.is(run.snapshot().value, 'failed');
  t.deepEqual(run.snapshot().context, { ...(studyScenario.input as object), reason });
  t.deepEqual(run.emissions, [{ type: 'runtime.stopped', lifecycle: 'failed', reason }]);
  t.deepEqual(run.errors, []);
});

test('every transition of a review is walked by itself, as its coverage says', async (t) => {
  const coverage = await coverageOf(publishReviewMachine);
  t.true([...coverage.states, ...coverage.transitions].every(({ walks }) => walks > 0));
  t.deepEqual(await storedCoverage(publishReviewMachine.id), coverage, 'run `npm run docs`');
});

test('the paths of every chart that an actor follows are tested', (t) => {
  t.deepEqual(new Set(lifecycles.map(({ scenario }) => scenario.machine)), new Set<unknown>(actorMachines));
});
