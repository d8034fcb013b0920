import { type CommandWords, type GivenFlags, parseFlags, single } from '../options/flags.ts';
import type { ExitCode } from '../options/outputs.ts';
import { dataRootFlag } from './options/data-root.ts';
import { hostFlags, programAsTyped } from './terminal/call.ts';
import { processTerminal, type Terminal } from './terminal/terminal.ts';

interface StoreCommand extends CommandWords {
  /** The number of arguments beside the flags. */
  readonly positionals?: number;
  run(given: GivenFlags, terminal: Terminal): Promise<ExitCode>;
}

/**
 * The commands that work on this machine and a data root, with a running host or without one. Each is loaded when it runs. The
 * ledger and the checks of tools are most of the program, and other commands do not need them.
 */
export const storeCommands: Readonly<Record<string, StoreCommand>> = {
  doctor: {
    usage: 'media-study doctor [flags]',
    purpose:
      'Checks this machine and the data root, and names the remedy for each fault. Exits with 1 if a host cannot work.',
    flags: hostFlags,
    run: async (given, terminal) => (await import('./doctor.ts')).doctor(given, terminal),
  },
  settings: {
    usage: 'media-study settings [show | set NAME=VALUE… | unset NAME…] [flags]',
    purpose:
      'Shows and changes the settings of a data root. Checks a change first: if an engine is missing or a server does not answer, it changes nothing.',
    flags: {
      ...hostFlags,
      settings: single('FILE', 'settings.json in the data root', 'the settings file to show or change'),
    },
    choices: ['show', 'set', 'unset'],
    positionals: 100,
    run: async (given, terminal) => (await import('./settings/settings-command.ts')).settingsCommand(given, terminal),
  },
  backup: {
    usage: 'media-study backup DIR [flags]',
    purpose: 'Copies the data root into a folder, with or without a running host; updates an earlier backup there.',
    flags: hostFlags,
    positionals: 1,
    run: async (given, terminal) => (await import('./backup.ts')).backup(given, terminal),
  },
  restore: {
    usage: 'media-study restore BACKUP --data-root DIR',
    purpose: 'Verifies every file of a backup, and restores the backup into a new or an empty folder.',
    flags: {
      ...hostFlags,
      'data-root': dataRootFlag('the new or empty folder that becomes the data root'),
    },
    positionals: 1,
    run: async (given, terminal) => (await import('./backup.ts')).restore(given, terminal),
  },
};

/** Runs one of them. Throws what it throws. */
export async function runOnStore(command: StoreCommand, args: readonly string[]): Promise<ExitCode> {
  const given = parseFlags(args, command.flags, command.positionals);
  return command.run(given, processTerminal({ json: given.has('json'), program: programAsTyped() }));
}
