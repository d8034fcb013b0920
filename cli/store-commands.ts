import { dataRootFlag } from './options/data-root.ts';
import { type CommandWords, type GivenFlags, parseFlags, single } from './options/flags.ts';
import { hostFlags } from './terminal/call.ts';
import { type ExitCode, processTerminal, type Terminal } from './terminal/terminal.ts';

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
      'Checks this machine and the data root, and names a remedy for each fault. Ends with 1 if a host cannot work.',
    flags: hostFlags,
    run: async (given, terminal) => (await import('./doctor.ts')).doctor(given, terminal),
  },
  settings: {
    usage: 'media-study settings [show | set NAME=VALUE… | unset NAME…] [flags]',
    purpose:
      'Shows and changes the settings of the hosts of a data root. Tries what is set first: an engine that is not there, or a server that does not answer, changes nothing.',
    flags: {
      ...hostFlags,
      settings: single('FILE', 'settings.json in the data root', 'the settings file that is shown or changed'),
    },
    choices: ['show', 'set', 'unset'],
    positionals: 100,
    run: async (given, terminal) => (await import('./settings/settings-command.ts')).settingsCommand(given, terminal),
  },
  backup: {
    usage: 'media-study backup DIR [flags]',
    purpose:
      'Copies the data root into a folder, beside a running host or without one; an earlier backup is brought up to date.',
    flags: hostFlags,
    positionals: 1,
    run: async (given, terminal) => (await import('./backup.ts')).backup(given, terminal),
  },
  restore: {
    usage: 'media-study restore BACKUP --data-root DIR',
    purpose: 'Verifies every file of a backup, and restores it into a new or an empty folder.',
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
  return command.run(given, processTerminal(given.has('json')));
}
