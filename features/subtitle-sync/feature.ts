import { type ConfiguredFeature, describedService, type Feature } from '../feature.ts';
import { alignVerb } from './align-options.ts';
import { checkWords, fixWords } from './options.ts';
import { subtitleFixRoutes } from './routes.ts';
import { ScriptAlignments } from './script-alignments.ts';
import { scriptRoutes } from './script-routes.ts';
import { SubtitleFixes } from './subtitle-fixes.ts';

/**
 * Compares subtitles with the speech of a film, and moves those that are off: in sync, by how much off, or unknown. It also gives a
 * script the times at which its lines are said.
 */
export const subtitleSync: Feature = {
  name: 'subtitle-sync',
  options: () => (): ConfiguredFeature => ({
    open: async (core) => {
      const fixes = new SubtitleFixes(core);
      const alignments = new ScriptAlignments(core);
      return { routes: () => [...subtitleFixRoutes(fixes), ...scriptRoutes(alignments)] };
    },
  }),
  paths: () => [...subtitleFixRoutes(describedService()), ...scriptRoutes(describedService())],
  verbs: {
    subtitles: {
      check: {
        words: checkWords,
        run: async (call) => (await import('./check-command.ts')).checkSubtitles(call),
      },
      fix: {
        words: fixWords,
        run: async (call) => (await import('./fix-command.ts')).fixSubtitles(call),
      },
      align: alignVerb,
    },
  },
};
