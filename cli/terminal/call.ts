import type { StudyHost } from '../../client/study-host.ts';
import { defaultDataRootWords } from '../options/default-data-root.ts';
import { type FlagTable, type GivenFlags, single, toggle } from '../options/flags.ts';
import type { CommandWords } from '../options/help.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** One call of a subcommand that works through a running host. */
export interface Call {
  readonly given: GivenFlags;
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly host: StudyHost;
  /** Whether the host was started for this command, and ends with it. */
  isOwnHost(): boolean;
  /** Ends the host that was started for this command and starts another, so that changed settings hold. */
  restartHost(): Promise<StudyHost>;
}

/** A subcommand of `media-study` that works through a running host. */
export interface HostCommand extends CommandWords {
  /** How many arguments that are no flags it takes; none where it is absent. */
  readonly positionals?: number;
  /** Which of these names a study. */
  readonly studyAt?: number;
  /** It has something to do on a data root that no host has used yet. Every command starts a host if none runs. */
  readonly beginsData?: true;
  /** What becomes of the work when Ctrl-C ends the command; nothing is said of commands that only read. */
  interrupted?(): string;
  /** What can be found wrong before a host is looked for, or started. Throws `WrongCall`. */
  check?(given: GivenFlags, terminal: Terminal): Promise<void>;
  run(call: Call): Promise<ExitCode>;
}

/** A wrong call: what is missing, in words. */
export class WrongCall extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WrongCall';
  }
}

/** The argument at a place. Throws `WrongCall`. */
export function argument(given: GivenFlags, place: number, name: string): string {
  const value = given.positional[place];
  if (value === undefined) throw new WrongCall(`${name} is missing`);
  return value;
}

/** The flags that every command of a running host takes. */
export const hostFlags: FlagTable = {
  'data-root': single('DIR', defaultDataRootWords, 'the data root whose host is used'),
  json: toggle('prints results as JSON, one document a line'),
};
