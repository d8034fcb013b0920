import { randomUUID } from 'node:crypto';
import { counted } from '../receipts/core/checked-link.ts';
import { restoreBackup, unfinishedRestores } from '../storage/backup/restore-backup.ts';
import { defaultDataRoot } from './options/default-data-root.ts';
import type { GivenFlags } from './options/flags.ts';
import { absolutePath, pathOption } from './options/path-option.ts';
import { argument } from './terminal/call.ts';
import { countedProgress } from './terminal/counted-progress.ts';
import { type ExitCode, exitCodes } from './terminal/exit-codes.ts';
import { Interrupted } from './terminal/question.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Restores a backup; a signal ends it, and nothing is left then. Throws `WrongCall`, `Interrupted`, `BackupError` and `ObjectStoreError`. */
export async function restore(given: GivenFlags, terminal: Terminal): Promise<ExitCode> {
  const source = argument(given, 0, 'the folder of the backup');
  const target = pathOption(given, 'data-root') ?? defaultDataRoot();
  for (const folder of await unfinishedRestores(target)) {
    terminal.remark(`${folder} is left of a restore that was killed; delete it unless another restore runs right now`);
  }
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stop.abort(new Interrupted()));
  const { objects, commit, createdAt } = await restoreBackup({
    backup: absolutePath(source),
    target,
    newId: randomUUID,
    progress: countedProgress(terminal, (done, total) => `restore: ${done} of ${total} files verified`),
    signal: stop.signal,
  });
  terminal.result({ dataRoot: target, createdAt, commit, objects: objects.length }, [
    `restored ${target}: ${counted(objects.length, 'object')}, commit ${commit}, as of ${createdAt}`,
  ]);
  return exitCodes.done;
}
