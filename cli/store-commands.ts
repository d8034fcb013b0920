import { backup, backupWords } from './backup-command.ts';
import { doctor, doctorWords } from './doctor-command.ts';
import { type GivenFlags, parseFlags } from './options/flags.ts';
import type { CommandWords } from './options/help.ts';
import { restore, restoreWords } from './restore-command.ts';
import type { ExitCode } from './terminal/exit-codes.ts';
import { processTerminal, type Terminal } from './terminal/terminal.ts';

interface StoreCommand extends CommandWords {
  /** How many arguments that are no flags it takes. */
  readonly positionals?: number;
  run(given: GivenFlags, terminal: Terminal): Promise<ExitCode>;
}

/** The commands that work on this machine and a data root, with a running host or without one. */
export const storeCommands: Readonly<Record<string, StoreCommand>> = {
  doctor: { ...doctorWords, run: doctor },
  backup: { ...backupWords, positionals: 1, run: backup },
  restore: { ...restoreWords, positionals: 1, run: restore },
};

/** Runs one of them. Throws what it throws. */
export async function runOnStore(command: StoreCommand, args: readonly string[]): Promise<ExitCode> {
  const given = parseFlags(args, command.flags, command.positionals);
  return command.run(given, processTerminal(given.has('json')));
}
