import { describedService, type Feature } from '../feature.ts';
import { EngineWorks } from './engine-work.ts';
import { enginesWords } from './options.ts';
import { engineRoutes } from './routes.ts';

/** Installs engines of this machine, tries them, and has the settings name them. */
export const engineInstallations: Feature = {
  name: 'engines',
  commands: {
    engines: {
      row: 'installs, tries and chooses engines that recognize speech or translate',
      words: enginesWords,
      run: async (args, features, partsOf) => (await import('./command.ts')).runEngines(args, features, partsOf),
    },
  },
  options: () => () => ({
    open: async (core) => {
      const works = new EngineWorks(core);
      return {
        routes: () => engineRoutes(works),
        close: async () => {
          await works.stop();
        },
      };
    },
  }),
  paths: () => engineRoutes(describedService()),
  obtainable: async (...lacked) => (await import('./offer.ts')).obtainableEngine(...lacked),
};
