import { type CommandWords, single } from '../options/flags.ts';
import { serveFlags } from './options/serve-options.ts';
import { verifyFlags } from './options/verify-options.ts';
import { hostFlags } from './terminal/call.ts';

/** The words of each command in `--help` and in `docs/options.md`. */
export const commands = {
  start: {
    usage: 'npm start -- [flags], or media-study serve [flags]',
    purpose: 'Runs the host. When it is ready, it prints one line of JSON on stdout; its log goes to stderr.',
    flags: serveFlags,
  },
  verify: {
    usage:
      'media-study verify RUNTIME [flags], or media-study verify --store [flags], or media-study verify BUNDLE [flags]',
    purpose:
      'Verifies a study or the whole ledger in the data root of a stopped host, or a bundle. A bundle needs no data root.',
    flags: verifyFlags,
  },
} as const satisfies Readonly<Record<string, CommandWords>>;

export const mcpWords: CommandWords = {
  usage: 'media-study mcp [flags]',
  purpose: 'Serves an agent over the Model Context Protocol on stdin and stdout. It cannot attest a review.',
  flags: {
    'data-root': hostFlags['data-root'],
    output: single('DIR', 'a private folder for temporary files', 'the folder that exports are written to'),
  },
};
