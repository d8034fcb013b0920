import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { runtimeEvents } from '../../../contract/journal.ts';
import {
  type ActorList,
  type ActorTransitions,
  actorList,
  actorTransitions,
  readActor,
  streamedTransition,
} from '../../../contract/lifecycles/actors.ts';
import {
  type ChartState,
  type ChartTransition,
  chartCoverage,
  chartReleases,
  charts,
  drawnChart,
} from '../../../contract/lifecycles/charts.ts';
import { type Release, release as releaseShape } from '../../../fixtures/golden-store/release.ts';
import { machines } from '../../../machines/catalogue.ts';
import { chartChanges } from '../../../visualizer/chart-changes.ts';
import { fieldOf } from '../../fields.ts';
import { TestHost } from '../../host/test-host.ts';
import { ingestRequest, ingests, openIngest } from '../../http/host/ingest-steps.ts';
import { StreamReader } from '../../http/streams/stream-reader.ts';

// The machines of a host as charts, and what its actors went through.

const actors = '/v1/actors';

const listed = async (t: ExecutionContext, host: TestHost, query = ''): Promise<ActorList> =>
  host.granted(t, await host.get(`${actors}${query}`), 200, actorList);

const transitionsOf = async (
  t: ExecutionContext,
  host: TestHost,
  actorId: string,
  query = '',
): Promise<ActorTransitions> =>
  host.granted(t, await host.get(`${actors}/${actorId}/transitions${query}`), 200, actorTransitions);

const actorOf = async (t: ExecutionContext, host: TestHost, actorId: string) =>
  host.granted(t, await host.get(`${actors}/${actorId}`), 200, readActor);

const ways = ({ transitions }: ActorTransitions): string[] =>
  transitions.map(({ states, event, cause }) => `${event ?? cause} > ${states.join()}`);

test('an ingest is an actor from its opening to its end, and keeps every state that it was in', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const ingestId = await openIngest(t, host, ingestRequest(5));
  const [open] = (await listed(t, host, '?limit=1')).actors;
  t.like(open, {
    actorId: ingestId,
    kind: 'owned-ingest',
    chartId: 'owned-ingest',
    runtimeId: null,
    value: { queued: 'awaitingMedia' },
    states: ['owned-ingest.queued.awaitingMedia'],
    phase: 'waiting',
    restarts: 0,
    resumes: 0,
  });
  await host.post(`${ingests}/${ingestId}/cancellations`, {});
  const way = await transitionsOf(t, host, ingestId);
  t.deepEqual(ways(way), ['xstate.init > owned-ingest.queued.awaitingMedia', 'ingest.cancel > owned-ingest.failed']);
  t.like(way, { kind: 'owned-ingest', isComplete: true, nextCursor: 2, reachedHead: true });
  t.is(way.recordedFrom, way.transitions[0]?.at ?? null);
  const next = await transitionsOf(t, host, ingestId, '?after=1&limit=1');
  t.deepEqual(next.transitions, way.transitions.slice(1));
  const first = await transitionsOf(t, host, ingestId, '?limit=1');
  t.like(first, { nextCursor: 1, reachedHead: false });
  const ended = (await listed(t, host, '?kind=owned-ingest&state=failed')).actors[0];
  t.like(ended, { actorId: ingestId, phase: 'ended', updatedAt: way.transitions[1]?.at });
});

test('a study is listed with its way through the chart, newest first and page by page', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const [study] = (await listed(t, host, '?kind=runtime')).actors;
  if (study === undefined) return t.fail('nothing was studied');
  t.like(study, { runtimeId: study.actorId, states: ['runtime.terminal'], phase: 'ended' });
  const way = ways(await transitionsOf(t, host, study.actorId));
  t.deepEqual(way.slice(0, 3), [
    'xstate.init > runtime.accepted',
    'worker.granted > runtime.initializing',
    'xstate.done.actor.initialize > runtime.running.detect',
  ]);
  t.is(way.at(-1), 'xstate.done.actor.admit > runtime.terminal');
  const all = (await listed(t, host)).actors;
  t.deepEqual(
    all.map(({ startedAt }) => startedAt ?? ''),
    all
      .map(({ startedAt }) => startedAt ?? '')
      .sort()
      .reverse(),
  );
  const paged: unknown[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const page: ActorList = await listed(t, host, `?limit=1${after && `&after=${encodeURIComponent(after)}`}`);
    paged.push(...page.actors);
    after = page.nextCursor;
  }
  t.deepEqual(paged, all);
  t.deepEqual((await listed(t, host, '?state=running')).actors, []);
});

test('a stream has the transitions that the list has', async (t) => {
  const host = await TestHost.open(t, { life: 'captioned' });
  const { actors } = await listed(t, host);
  t.true(actors.length > 3);
  for (const { actorId } of actors) {
    const { transitions } = await transitionsOf(t, host, actorId);
    const stream = await StreamReader.of(host, `/v1/events?actors=${actorId}`);
    await stream.until('all of them', () => stream.data('transition').length === transitions.length);
    const streamed = stream.data('transition').map((data) => streamedTransition.parse(data));
    t.deepEqual(
      streamed.map(({ actorId: _, kind, chartId, runtimeId, from, schema, ...transition }) => transition),
      transitions,
    );
    stream.close();
  }
});

test('each actor is read by its id as the list has it', async (t) => {
  const host = await TestHost.open(t, { life: 'captioned' });
  for (const row of (await listed(t, host)).actors) {
    t.deepEqual(await actorOf(t, host, row.actorId), { schema: 'studio.actor.v1', ...row });
  }
});

test('every recorded step names the arrows that it took, and these lead from state to state', async (t) => {
  const host = await TestHost.open(t, { life: 'captioned' });
  for (const { actorId, chartId } of (await listed(t, host)).actors) {
    const { chart } = host.granted(t, await host.get(`${chartList}/${chartId}`), 200, drawnChart);
    const arrows = new Map(transitionsIn(chart.root).map((each) => [each.id, each]));
    const { transitions } = await transitionsOf(t, host, actorId);
    for (const { taken, event, states, seq } of transitions) {
      t.is(taken?.length === 0, event === 'xstate.init', `${actorId} ${seq} ${event}`);
      const last = taken?.map((id) => arrows.get(id)).at(-1);
      if (last === undefined) continue;
      t.true(last.targets.length === 0 || last.targets.some((target) => states.some((id) => id.startsWith(target))));
    }
  }
});

test('the steps of a study, its review and its captions name every entry of its journal once', async (t) => {
  const host = await TestHost.open(t, { life: 'captioned' });
  const [made] = (await listed(t, host, '?kind=caption-production')).actors;
  const runtimeId = made?.runtimeId ?? '';
  const journal = host.granted(t, await host.get(`/v1/runtimes/${runtimeId}/events?limit=200`), 200, runtimeEvents, [
    'access-control-expose-headers',
    'studio-journal-head',
  ]);
  const own = (await listed(t, host)).actors.filter((each) => each.runtimeId === runtimeId);
  const ways = await Promise.all(own.map(({ actorId }) => transitionsOf(t, host, actorId)));
  const ranges = new Map(
    ways
      .flatMap(({ transitions }) => transitions)
      .flatMap(({ commit, journal }) => (journal ? [[`${commit} ${journal.fromSeq}`, journal] as const] : [])),
  );
  const sorted = [...ranges.values()].toSorted((one, other) => one.fromSeq - other.fromSeq);
  t.deepEqual(
    sorted.flatMap(({ fromSeq, toSeq }) => Array.from({ length: toSeq - fromSeq + 1 }, (_, at) => fromSeq + at)),
    journal.events.map(({ seq }) => seq),
  );
});

test('a missing actor, and an invalid cursor or filter, are refused', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  host.refused(t, await host.get(`${actors}/runtime:none/transitions`), 'unknown_actor');
  host.refused(t, await host.get(`${actors}/runtime:none`), 'unknown_actor');
  const [{ actorId } = { actorId: '' }] = (await listed(t, host, '?limit=1')).actors;
  host.refused(t, await host.get(`${actors}/${actorId}/transitions?after=99`), 'cursor_past_head');
  host.refused(t, await host.get(`${actors}/${actorId}/transitions?after=x`), 'invalid_cursor');
  host.refused(t, await host.get(`${actors}?kind=none`), 'invalid_filter');
  // The description has the state as a text with at least one character.
  host.refused(t, await host.get(`${actors}?state=`), 'invalid_filter');
  host.refused(t, await host.get(`${actors}?after=none`), 'invalid_cursor');
  host.refused(t, await host.get(`${actors}?limit=201`), 'invalid_limit');
  host.refused(t, await host.get(actors, { token: null }), 'unauthorized', ['www-authenticate']);
});

test('actors and their transitions are the same after the host was killed', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const [study] = (await listed(t, host, '?kind=runtime')).actors;
  const before = [await listed(t, host), await transitionsOf(t, host, study?.actorId ?? '')];
  await host.die();
  t.deepEqual([await listed(t, host), await transitionsOf(t, host, study?.actorId ?? '')], before);
});

test('reviews and captions are actors of their study', async (t) => {
  const host = await TestHost.open(t, { life: 'captioned' });
  const [made] = (await listed(t, host, '?kind=caption-production&state=checked')).actors;
  if (made === undefined) return t.fail('no captions were made');
  t.deepEqual(ways(await transitionsOf(t, host, made.actorId)), [
    'xstate.init > caption-production.producing',
    'xstate.done.actor.produceCaptions > caption-production.checking',
    'xstate.done.actor.checkCaptions > caption-production.checked',
  ]);
  const reviews = (await listed(t, host, '?kind=publish-review')).actors;
  const review = reviews.find(({ runtimeId }) => runtimeId === made.runtimeId);
  if (review === undefined) return t.fail('the study was not reviewed');
  const { transitions, isComplete } = await transitionsOf(t, host, review.actorId);
  t.true(isComplete);
  t.deepEqual(
    transitions.slice(0, 3).map(({ event, value }) => `${event} ${JSON.stringify(value)}`),
    ['xstate.init "queued"', 'decision.started "deciding"', 'decision.approved "approved"'],
  );
  t.is(transitions[1]?.commit, transitions[2]?.commit);
  t.deepEqual(review.states, transitions.at(-1)?.states);
});

const chartList = '/v1/charts';
const stored = async (name: string) =>
  JSON.parse(await readFile(new URL(`../../../docs/charts/${name}`, import.meta.url), 'utf8'));
const transitionsIn = (state: ChartState): ChartTransition[] => [
  ...state.transitions,
  ...state.states.flatMap(transitionsIn),
];
const idsIn = (state: ChartState): string[] => [state.id, ...state.states.flatMap(idsIn)];

/** The machines of a host as data. */

/** The releases that the project keeps stores of, the oldest first. */
async function describedReleases(): Promise<[string, Release][]> {
  const folder = fileURLToPath(new URL('../../../fixtures/golden-store/releases', import.meta.url));
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(
    names
      .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
      .map(async (name): Promise<[string, Release]> => {
        const described: unknown = JSON.parse(await readFile(join(folder, name, 'release.json'), 'utf8'));
        return [name, releaseShape.parse(described)];
      }),
  );
}

test('a chart of an earlier release has the states that the stores of that release are in', async (t) => {
  const host = await TestHost.open(t);
  for (const [release, { charts: described }] of await describedReleases()) {
    for (const [id, { version, states }] of Object.entries(described)) {
      const answer = await host.get(`${chartList}/${id}/releases/${release}`);
      const { chart, drawing } = host.granted(t, answer, 200, drawnChart);
      t.is(chart.machineVersion, String(version));
      t.true(
        Object.keys(states).every((path) => idsIn(chart.root).includes(`${id}.${path}`)),
        `${id} of ${release}`,
      );
      t.deepEqual(drawing.boxes.map((box) => box.id).sort(), idsIn(chart.root).sort());
    }
  }
  host.refused(t, await host.get(`${chartList}/runtime/releases/9.9.9`), 'unknown_chart_release');
});

test('the releases that had a chart are listed, newest first, with those in which it was the same', async (t) => {
  const host = await TestHost.open(t);
  const listed = async (id: string) =>
    host.granted(t, await host.get(`${chartList}/${id}/releases`), 200, chartReleases).releases;
  const versions = (await listed('runtime')).map(({ release, machineVersion }) => `${release} ${machineVersion}`);
  const kept = (await describedReleases()).map(([release, { charts: each }]) => `${release} ${each.runtime?.version}`);
  t.deepEqual(versions, kept.reverse());
  for (const { id } of machines) {
    const present = host.granted(t, await host.get(`${chartList}/${id}`), 200, drawnChart).chart;
    for (const { release, isSame } of await listed(id)) {
      const answer = await host.get(`${chartList}/${id}/releases/${release}`);
      const { changes, isOtherWay } = chartChanges(host.granted(t, answer, 200, drawnChart).chart, present);
      t.is(isSame, changes.length === 0 && !isOtherWay, `${id} of ${release}`);
    }
  }
});

test('the coverage of a chart counts walks through each of its states and transitions', async (t) => {
  const host = await TestHost.open(t);
  for (const { id } of machines) {
    const { chart } = host.granted(t, await host.get(`${chartList}/${id}`), 200, drawnChart);
    const covered = host.granted(t, await host.get(`${chartList}/${id}/coverage`), 200, chartCoverage);
    t.is(covered.machineVersion, chart.machineVersion);
    t.deepEqual(fieldOf(covered.states, 'id'), idsIn(chart.root));
    t.deepEqual(fieldOf(covered.transitions, 'id'), fieldOf(transitionsIn(chart.root), 'id'));
  }
});

test('every machine is a chart, the one that the docs show', async (t) => {
  const host = await TestHost.open(t);
  const listed = host.granted(t, await host.get(chartList), 200, charts).charts;
  t.deepEqual(
    listed.map(({ machineId }) => machineId),
    machines.map(({ id }) => id),
  );
  for (const chart of listed) t.deepEqual(chart, await stored(`${chart.machineId}.json`));
});

test('a chart comes with its drawing, which has a box for each of its states', async (t) => {
  const host = await TestHost.open(t);
  for (const { id } of machines) {
    const { chart, drawing } = host.granted(t, await host.get(`${chartList}/${id}`), 200, drawnChart);
    t.deepEqual(drawing, await stored(`${id}.drawing.json`));
    t.is(drawing.machineVersion, chart.machineVersion);
    t.deepEqual(drawing.boxes.map((box) => box.id).sort(), idsIn(chart.root).sort());
  }
  for (const path of ['none', 'none/releases', 'none/releases/0.3.0', 'none/coverage'])
    host.refused(t, await host.get(`${chartList}/${path}`), 'unknown_chart');
  host.refused(t, await host.get(chartList, { token: null }), 'unauthorized', ['www-authenticate']);
});
