import { ServiceError } from '../../contract/base/errors.ts';
import {
  actorKind,
  actorList,
  actorsQuery,
  actorTransitions,
  listedActor,
  readActor,
  transitionsQuery,
} from '../../contract/lifecycles/actors.ts';
import {
  chart,
  chartCoverage,
  charts as chartList,
  chartReleases,
  drawnChart,
} from '../../contract/lifecycles/charts.ts';
import { json } from '../../http/exchange/description.ts';
import { type Route, read, route } from '../../http/exchange/route.ts';
import { decimal, limitOf, pageOf } from '../../http/exchange/target.ts';
import type { LifecycleService } from './actors.ts';
import type { Charts } from './charts.ts';

/** The routes of actors and of the states that they were in. */
export const actorRoutes = (lifecycles: LifecycleService): readonly Route[] => [
  route('/v1/actors', {
    room: 'lifecycles',
    GET: read({
      id: 'listActors',
      summary: 'everything that has a lifecycle, live and ended, newest first',
      details:
        'Ingests, studies, reviews, captions and explanations, each as the last commit left it. A page may hold fewer rows than `limit`, even none, while `nextCursor` is not null. A review of a study that ended before version 0.3.0 is listed once it moves.',
      query: actorsQuery,
      answers: [json(200, actorList)],
      refusals: ['invalid_cursor', 'invalid_limit', 'invalid_filter'],
      handle: async ({ query }) => {
        const kind = actorKind.nullable().safeParse(query.get('kind') ?? null);
        if (!kind.success) {
          throw new ServiceError('invalid_filter', `kind must be one of ${actorKind.options.join(', ')}`);
        }
        const state = query.get('state') ?? null;
        if (state === '')
          throw new ServiceError('invalid_filter', 'state must name a state of a chart, such as running');
        const request = { ...pageOf(query), kind: kind.data, state };
        return { status: 200, body: await lifecycles.actors(request) };
      },
    }),
  }),
  route('/v1/actors/:actorId', {
    room: 'lifecycles',
    params: { actorId: listedActor.shape.actorId },
    GET: read({
      id: 'readActor',
      summary: 'one actor, as the last commit left it',
      details: 'The same fields as in the list of all actors.',
      answers: [json(200, readActor)],
      refusals: ['unknown_actor', 'stored_content_inconsistent'],
      handle: async ({ params }) => ({ status: 200, body: await lifecycles.actor(params.actorId) }),
    }),
  }),
  route('/v1/actors/:actorId/transitions', {
    room: 'lifecycles',
    params: { actorId: listedActor.shape.actorId },
    GET: read({
      id: 'readActorTransitions',
      summary: 'every state that an actor was in, oldest first',
      details:
        'A transition is written in the commit of the state that it leads to. Unrecorded transitions are not made up: `isComplete` and `recordedFrom` show what is missing.',
      query: transitionsQuery,
      answers: [json(200, actorTransitions)],
      refusals: ['invalid_cursor', 'invalid_limit', 'unknown_actor', 'cursor_past_head', 'stored_content_inconsistent'],
      handle: async ({ params, query }) => {
        const after = decimal(query.get('after') ?? '0', 'invalid_cursor');
        return { status: 200, body: await lifecycles.transitions(params.actorId, after, limitOf(query)) };
      },
    }),
  }),
];

/** The routes of charts: what can happen in a host. */
export const chartRoutes = (charts: Charts): readonly Route[] => [
  route('/v1/charts', {
    room: 'lifecycles',
    GET: read({
      id: 'listCharts',
      summary: 'every state machine of the host, as data',
      details:
        'Each is made from the machine that runs. It has its states with their substates, transitions with events, guards and actions, and the effects that states invoke.',
      answers: [json(200, chartList)],
      refusals: [],
      handle: () => ({ status: 200, body: charts.all() }),
    }),
  }),
  route('/v1/charts/:chartId', {
    room: 'lifecycles',
    params: { chartId: chart.shape.machineId },
    GET: read({
      id: 'readChart',
      summary: 'one state machine, and where the parts of its drawing lie',
      details: 'Boxes and arrows of the drawing name the states and transitions of the chart by their ids.',
      answers: [json(200, drawnChart)],
      refusals: ['unknown_chart'],
      handle: async ({ params }) => ({ status: 200, body: await charts.drawn(params.chartId) }),
    }),
  }),
  route('/v1/charts/:chartId/releases', {
    room: 'lifecycles',
    params: { chartId: chart.shape.machineId },
    GET: read({
      id: 'listChartReleases',
      summary: 'the earlier releases that had a state machine, newest first',
      details: '`isSame` says that the machine of this host does not differ from the one of that release.',
      answers: [json(200, chartReleases)],
      refusals: ['unknown_chart'],
      handle: async ({ params }) => ({ status: 200, body: await charts.releases(params.chartId) }),
    }),
  }),
  route('/v1/charts/:chartId/releases/:release', {
    room: 'lifecycles',
    params: { chartId: chart.shape.machineId, release: chartReleases.shape.releases.element.shape.release },
    GET: read({
      id: 'readChartOfRelease',
      summary: 'one state machine as an earlier release had it, with its drawing',
      details: 'The same fields as for the machine of this host, so that both can be compared.',
      answers: [json(200, drawnChart)],
      refusals: ['unknown_chart', 'unknown_chart_release'],
      handle: async ({ params }) => ({ status: 200, body: await charts.released(params.chartId, params.release) }),
    }),
  }),
  route('/v1/charts/:chartId/coverage', {
    room: 'lifecycles',
    params: { chartId: chart.shape.machineId },
    GET: read({
      id: 'readChartCoverage',
      summary: 'through which states and transitions of a machine its tests walk',
      details:
        'Computed when this version was built, from the walks that the tests take on the machine. What the actors of this host took is in their transitions.',
      answers: [json(200, chartCoverage)],
      refusals: ['unknown_chart'],
      handle: async ({ params }) => ({ status: 200, body: await charts.coverage(params.chartId) }),
    }),
  }),
];
