import { basename, isAbsolute, relative } from 'node:path';
import type { StudyHost } from '../../client/study-host.ts';
import type { Cause } from '../../contract/causes/causes.ts';
import { type CauseText, causeText, plainSpelling, type Spelling } from '../../contract/causes/wording.ts';
import { type CommandWords, endOfFlags, type FlagTable, type GivenFlags, toggle } from '../../options/flags.ts';
import type { ExitCode } from '../../options/outputs.ts';
import { shellPath } from '../../storage/objects/data-root.ts';
import { dataRootFlag } from '../options/data-root.ts';
import type { SharedAnswer } from './question.ts';
import type { Terminal } from './terminal.ts';

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
 * The words that a person types before the name of a command, so that a printed command can be pasted. They are `npm run --silent
 * media-study --` in a checkout, `npx media-study` beside a package that has it, and `media-study` once it is installed.
 */
export function programAsTyped({ argv, environment, folder }: ProcessCall = thisProcess()): string {
  const { npm_lifecycle_event: script, npm_command: npm, npm_config_loglevel: loudness } = environment;
  const program = argv[1] ?? '';
  // `npm start` in a checkout; the script of another package names an installed program, which has no extension.
  if (script === 'media-study' || (script === 'start' && program.endsWith('.js'))) {
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

/** The flag that names the data root of a call, as a shell reads it; no words if the call names none. */
function dataRootWords(argv: readonly string[]): readonly string[] {
  const dataRoot = typedDataRoot(argv);
  return dataRoot === undefined ? [] : [`--data-root ${shellPath(dataRoot)}`];
}

/** A command with its arguments, as this person types it: with the prefix and the data root of the call that prints it. */
export const asTyped = (words: string, call: ProcessCall = thisProcess()): string =>
  [programAsTyped(call), words, ...dataRootWords(call.argv)].join(' ');

/** The spelling of causes at this terminal: commands can be pasted. */
export const terminalSpelling: Spelling = { ...plainSpelling, command: (words) => asTyped(words) };

/** A cause in the words of this terminal. */
export const terminalText = (cause: Cause): CauseText => causeText(cause, 'terminal', terminalSpelling);

/** The words of a call after the program, without its data root: `asTyped` adds that. */
function typedWords(argv: readonly string[]): readonly string[] {
  const words = argv.slice(2);
  const end = words.includes(endOfFlags) ? words.indexOf(endOfFlags) : words.length;
  const isDataRoot = (word: string, at: number): boolean =>
    at < end && (word.startsWith('--data-root=') || word === '--data-root' || words[at - 1] === '--data-root');
  return words.filter((word, at) => !isDataRoot(word, at));
}

/** This call with the words that it lacks, as this person types it: a complete command to paste. */
export function typedAgain(lacking: readonly string[], call: ProcessCall = thisProcess()): string {
  const words = typedWords(call.argv);
  const end = words.indexOf(endOfFlags);
  if (end < 0) return asTyped([...words, ...lacking].map(shellPath).join(' '), call);
  // Behind the end of flags everything is an argument, also a flag that the call lacks and the data root.
  const front = [...words.slice(0, end), ...lacking].map(shellPath);
  return [programAsTyped(call), ...front, ...dataRootWords(call.argv), ...words.slice(end).map(shellPath)].join(' ');
}

/** One call of a subcommand that works through a running host. */
export interface CommandCall {
  readonly given: GivenFlags;
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly host: StudyHost;
  /** The owner of the rights to the files of this call, if one answer holds for all of them. */
  readonly rights?: SharedAnswer<string>;
  /** True once the engine that its films lack was got; false if the person does not want it. One answer holds for all of them. */
  readonly engine?: SharedAnswer<boolean>;
  /** True if the host was started for this command, and ends with it. */
  isOwnHost(): boolean;
}

/** A subcommand of `media-study` that works through a running host. */
export interface HostCommand extends CommandWords {
  /** The number of arguments beside the flags; by default none. */
  readonly positionals?: number;
  /** The argument that names a study: its place, or the last of them. */
  readonly studyAt?: number | 'last';
  /** It has something to do on a data root that no host has used yet. Every command starts a host if none runs. */
  readonly beginsData?: true;
  /** Features add verbs to it: `media-study COMMAND VERB FILM`. */
  readonly takesVerbs?: true;
  /** The fate of the work if Ctrl-C ends the command, as a message. Commands that only read have none. */
  interrupted?(): string;
  /** Checks the call before a host is found or started. Throws `WrongCall`. */
  check?(given: GivenFlags, terminal: Terminal): Promise<void>;
  run(call: CommandCall): Promise<ExitCode>;
}

/** A wrong call: what is missing, in words. */
export class WrongCall extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WrongCall';
  }
}

/** An argument is missing that nothing but the usage of the command explains. */
export class MissingArgument extends WrongCall {
  constructor(name: string) {
    super(`${name} is missing`);
    this.name = 'MissingArgument';
  }
}

/** The argument at a place. Throws `MissingArgument`. */
export function argument(given: GivenFlags, place: number, name: string): string {
  const value = given.positional[place];
  if (value === undefined) throw new MissingArgument(name);
  return value;
}

/** The flags that every command of a running host takes. */
export const hostFlags = {
  'data-root': dataRootFlag('the data root whose host is used'),
  json: toggle('prints results as JSON, one document a line'),
} satisfies FlagTable;

/** Waits for Ctrl-C, for a command whose host has to stay when the command has nothing left to do. */
export async function untilInterrupted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    // Waiting for a signal alone keeps no process alive.
    const alive = setInterval(() => undefined, 3_600_000);
    const end = () => {
      clearInterval(alive);
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
