import { backup, backupWords } from './backup-command.ts';
import { argument } from './call.ts';
import type { ExitCode } from './exit-codes.ts';
import { type GivenFlags, parseFlags } from './flags.ts';
import type { CommandWords } from './help.ts';
import { restore, restoreWords } from './restore-command.ts';
import { processTerminal, type Terminal } from './terminal.ts';

interface StoreCommand extends CommandWords {
  run(given: GivenFlags, folder: string, terminal: Terminal): Promise<ExitCode>;
}

/** The commands that work on a data root itself; each takes one folder. */
export const storeCommands: Readonly<Record<string, StoreCommand>> = {
  backup: { ...backupWords, run: backup },
  restore: { ...restoreWords, run: restore },
};

/** Runs one of them. Throws what it throws, and `WrongCall` without a folder. */
export async function runOnStore(command: StoreCommand, args: readonly string[]): Promise<ExitCode> {
  const given = parseFlags(args, command.flags, 1);
  return command.run(given, argument(given, 0, 'the folder of the backup'), processTerminal(given.has('json')));
}
