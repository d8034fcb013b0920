import { basename, isAbsolute, relative } from 'node:path';
import { shellPath } from '../../storage/objects/shell-path.ts';
import { endOfFlags } from '../options/flags.ts';

/** How this process was called. */
export interface ProcessCall {
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
}

const thisProcess = (): ProcessCall => ({ argv: process.argv, environment: process.env, folder: process.cwd() });

/** The file of the built program; an installed one is a link without the extension. */
const programFile = 'media-study.js';

/**
 * What a person types before the name of a command, so that a printed command can be pasted: `npm run --silent media-study --` in a
 * checkout, `npx media-study` beside a package that has it, `media-study` once it is installed.
 */
export function programAsTyped({ argv, environment, folder }: ProcessCall = thisProcess()): string {
  const { npm_lifecycle_event: script, npm_command: npm, npm_config_loglevel: loudness } = environment;
  const program = argv[1] ?? '';
  if (script === 'media-study') {
    return `npm run ${loudness === 'silent' ? '--silent ' : ''}media-study --`;
  }
  if (npm === 'exec' && program.includes('/node_modules/.bin/')) return 'npx media-study';
  if (basename(program) !== programFile) return 'media-study';
  const path = isAbsolute(program) ? relative(folder, program) : program;
  return `node ${shellPath(path.startsWith('..') ? program : path)}`;
}

/** The data root that a call names, as it was typed; undefined if it names none. */
function typedDataRoot(argv: readonly string[]): string | undefined {
  const args = argv.includes(endOfFlags) ? argv.slice(0, argv.indexOf(endOfFlags)) : argv;
  const joined = args.find((arg) => arg.startsWith('--data-root='));
  if (joined !== undefined) return joined.slice(joined.indexOf('=') + 1);
  const at = args.indexOf('--data-root');
  return at < 0 ? undefined : args[at + 1];
}

/** A command with its arguments, as this person types it: with the prefix and the data root of the call that prints it. */
export function asTyped(words: string, call: ProcessCall = thisProcess()): string {
  const dataRoot = typedDataRoot(call.argv);
  return `${programAsTyped(call)} ${words}${dataRoot === undefined ? '' : ` --data-root ${shellPath(dataRoot)}`}`;
}
