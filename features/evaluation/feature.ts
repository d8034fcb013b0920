import type { Feature } from '../feature.ts';
import { evaluateWords } from './options.ts';

/** Studies labeled media, and compares the scores with an accepted receipt. */
export const evaluation: Feature = {
  name: 'evaluation',
  commands: {
    evaluate: {
      row: 'studies the labeled media of a pack',
      words: evaluateWords,
      run: async (args, features) => (await import('./command.ts')).runEvaluation(args, features),
    },
  },
};
