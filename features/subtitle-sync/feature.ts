import type { Feature } from '../feature.ts';
import { checkWords } from './options.ts';

/** Compares subtitles with the speech of a film: in sync, by how much off, or unknown. */
export const subtitleSync: Feature = {
  name: 'subtitle-sync',
  verbs: {
    subtitles: {
      check: {
        words: checkWords,
        run: async (call) => (await import('./check-command.ts')).checkSubtitles(call),
      },
    },
  },
};
