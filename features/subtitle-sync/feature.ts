import { type ConfiguredFeature, describedService, type Feature } from '../feature.ts';
import { alignVerb } from './align-options.ts';
import { checkWords } from './options.ts';
import { ScriptAlignments } from './script-alignments.ts';
import { scriptRoutes } from './script-routes.ts';

/** Compares subtitles with the speech of a film, and gives a script the times of what is said. */
export const subtitleSync: Feature = {
  name: 'subtitle-sync',
  options: () => (): ConfiguredFeature => ({
    open: async (core) => {
      const alignments = new ScriptAlignments(core);
      return { routes: () => scriptRoutes(alignments) };
    },
  }),
  paths: () => scriptRoutes(describedService()),
  verbs: {
    subtitles: {
      check: {
        words: checkWords,
        run: async (call) => (await import('./check-command.ts')).checkSubtitles(call),
      },
      align: alignVerb,
    },
  },
};
