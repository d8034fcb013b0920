import { readFile } from 'node:fs/promises';
import { programFile } from '../../options/program-file.ts';
import { describedService, type Feature } from '../feature.ts';
import { LifecycleService } from './actors.ts';
import { Charts } from './charts.ts';
import { actorRoutes, chartRoutes } from './routes.ts';

const drawings = programFile('docs/charts/');

/** Shows the machines of the host, the actors that run them, and every state that they were in. */
export const lifecyclesFeature: Feature = {
  name: 'lifecycles',
  options: () => () => ({
    open: async (core) => {
      const charts = new Charts((machineId, part) => readFile(new URL(`${machineId}.${part}.json`, drawings)));
      const service = new LifecycleService(core);
      return { routes: () => [...chartRoutes(charts), ...actorRoutes(service)] };
    },
  }),
  paths: () => [...chartRoutes(describedService()), ...actorRoutes(describedService())],
};
