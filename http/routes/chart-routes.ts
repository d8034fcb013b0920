import type { Charts } from '../../actors/lifecycles/charts.ts';
import { chart } from '../../contract/lifecycles/chart.ts';
import { charts as chartList, drawnChart } from '../../contract/lifecycles/charts.ts';
import { json } from '../exchange/description.ts';
import { type Route, read } from '../exchange/route.ts';

/** The routes of charts: what can happen in a host. */
export const chartRoutes = (charts: Charts): readonly Route[] => [
  {
    path: '/v1/charts',
    room: 'lifecycles',
    GET: read({
      id: 'listCharts',
      summary: 'every state machine of the host, as data',
      details:
        'Each is made from the machine that runs: its states with what lies inside them, transitions with events, guards and actions, and the effects that states invoke.',
      answers: [json(200, chartList)],
      refusals: [],
      handle: () => ({ status: 200, body: charts.all() }),
    }),
  },
  {
    path: '/v1/charts/:chartId',
    room: 'lifecycles',
    params: { chartId: chart.shape.machineId },
    GET: read({
      id: 'readChart',
      summary: 'one state machine, and where the parts of its drawing lie',
      details: 'Boxes and arrows of the drawing name the states and transitions of the chart by their ids.',
      answers: [json(200, drawnChart)],
      refusals: ['unknown_chart'],
      handle: async ({ params }) => ({ status: 200, body: await charts.drawn(params.chartId ?? '') }),
    }),
  },
];
