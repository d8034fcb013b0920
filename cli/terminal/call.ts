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
  /** Ends the host that this command started and starts another, so that changed settings hold; null for a host of a person. */
  readonly restartHost: (() => Promise<StudyHost>) | null;
}

/** A subcommand of `media-study` that works through a running host. */
export interface HostCommand extends CommandWords {
  /** How many arguments that are no flags it takes; none where it is absent. */
  readonly positionals?: number;
  /** It starts a host for itself when none runs. */
  readonly startsHost?: true;
  /** What becomes of the work when Ctrl-C ends the command; nothing is said of commands that only read. */
  readonly interrupted?: string;
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
