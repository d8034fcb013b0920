import type { PageFeature } from '../../../console/host/page-feature.ts';
import { lifecycleRouteOf } from './route.ts';

/** The views of charts, actors and their steps: a third of the scripts of the page, and few people open one. */
export const lifecyclesPage: PageFeature = {
  name: 'lifecycles',
  view: {
    path: 'lifecycles',
    within: 'operations',
    name: 'Lifecycles',
    text: 'Charts of each kind of work, and the steps that it took.',
    titleOf: (address) => {
      const route = lifecycleRouteOf(address);
      return route?.view === 'chart' ? [route.chartId] : [];
    },
    load: () => import('./lifecycles-room.tsx'),
  },
};
