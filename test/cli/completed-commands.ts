import type { CompletedCommands } from '../../cli/completions.ts';
import { repeatable, single, toggle } from '../../options/flags.ts';

/** Commands whose words a shell has to quote. */
export const completedCommands: CompletedCommands = {
  export: {
    usage: 'media-study export',
    purpose: "Writes a study, the host's own.",
    flags: {
      output: single('FILE', null, 'the file [that] is written: here'),
      rate: single('RATE', '25', 'frames'),
      media: toggle('with media'),
    },
    choices: ['bundle', 'cuts.edl'],
  },
  watch: { usage: 'media-study watch', purpose: 'Watches.', flags: { only: repeatable('KIND', null, 'a kind') } },
};
