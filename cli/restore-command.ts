import { randomUUID } from 'node:crypto';
import { counted } from '../receipts/core/checked-link.ts';
import { restoreBackup } from '../storage/backup/restore-backup.ts';
import { defaultDataRoot } from './options/default-data-root.ts';
import type { GivenFlags } from './options/flags.ts';
import { absolutePath, pathOption } from './options/path-option.ts';
import { argument } from './terminal/call.ts';
import { countedProgress } from './terminal/counted-progress.ts';
import { type ExitCode, exitCodes } from './terminal/exit-codes.ts';
import type { Terminal } from './terminal/terminal.ts';

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
