import type { Feature } from '../feature.ts';
import { enginesWords } from './options.ts';

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
  obtainable: async (...lacked) => (await import('./offer.ts')).obtainableEngine(...lacked),
};
