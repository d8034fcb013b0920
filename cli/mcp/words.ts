import { single } from '../options/flags.ts';
import type { CommandWords } from '../options/help.ts';
import { hostFlags } from '../terminal/call.ts';

const { 'data-root': dataRoot } = hostFlags;

export const mcpWords: CommandWords = {
  usage: 'media-study mcp [flags]',
  purpose: 'Serves an agent over the Model Context Protocol on stdin and stdout. It cannot attest a review.',
  flags: {
    ...(dataRoot === undefined ? {} : { 'data-root': dataRoot }),
    output: single('DIR', 'a private folder for temporary files', 'the folder that exports are written to'),
  },
};
