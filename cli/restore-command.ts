import { randomUUID } from 'node:crypto';
import { counted } from '../receipts/core/checked-link.ts';
import { restoreBackup } from '../storage/backup/restore-backup.ts';
import { type GivenFlags, single } from './options/flags.ts';
import type { CommandWords } from './options/help.ts';
import { absolutePath, pathOption } from './options/path-option.ts';
import { defaultDataRoot } from './options/serve-options.ts';
import { argument, hostFlags } from './terminal/call.ts';
import { countedProgress } from './terminal/counted-progress.ts';
import { type ExitCode, exitCodes } from './terminal/exit-codes.ts';
import type { Terminal } from './terminal/terminal.ts';

export const restoreWords: CommandWords = {
  usage: 'media-study restore BACKUP --data-root DIR',
  purpose: 'Makes a data root of a backup, in a new or an empty folder, after every file of it was verified.',
  flags: {
    ...hostFlags,
    'data-root': single(
      'DIR',
      hostFlags['data-root']?.preset ?? null,
      'the new or empty folder that becomes the data root',
    ),
  },
};

/** Restores a backup. Throws `WrongCall`, `BackupError` and `ObjectStoreError`. */
export async function restore(given: GivenFlags, terminal: Terminal): Promise<ExitCode> {
  const source = argument(given, 0, 'the folder of the backup');
  const target = pathOption(given, 'data-root') ?? defaultDataRoot();
  const { objects, commit, createdAt } = await restoreBackup({
    backup: absolutePath(source),
    target,
    newId: randomUUID,
    progress: countedProgress(terminal, (done, total) => `restore: ${done} of ${total} files verified`),
  });
  terminal.result({ dataRoot: target, createdAt, commit, objects: objects.length }, [
    `restored ${target}: ${counted(objects.length, 'object')}, commit ${commit}, as of ${createdAt}`,
  ]);
  return exitCodes.done;
}
