import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../actors/supervision/system-clock.ts';
import { counted } from '../receipts/core/checked-link.ts';
import { writeBackup } from '../storage/backup/write-backup.ts';
import { checkLedger } from '../storage/ledger/accept-loss.ts';
import { copyLedger } from '../storage/ledger/copy-ledger.ts';
import type { LedgerCopy } from '../storage/ledger/ledger.ts';
import { LedgerError } from '../storage/ledger/ledger-error.ts';
import { openDatabase } from '../storage/ledger/open-database.ts';
import { demandDataRoot } from '../storage/objects/data-root.ts';
import { dataRootAt } from '../storage/objects/data-root-layout.ts';
import { workFolderName } from '../storage/objects/leftovers.ts';
import { existingDataRoot } from './options/existing-data-root.ts';
import type { GivenFlags } from './options/flags.ts';
import { absolutePath } from './options/path-option.ts';
import { argument } from './terminal/call.ts';
import { countedProgress } from './terminal/counted-progress.ts';
import { type ExitCode, exitCodes } from './terminal/exit-codes.ts';
import { findHost, NoHost } from './terminal/running-host.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Writes a backup. Throws `WrongCall`, `StartError`, `BackupError`, `LedgerError`, `ObjectStoreError` and what a client of the host throws. */
export async function backup(given: GivenFlags, terminal: Terminal): Promise<ExitCode> {
  const target = absolutePath(argument(given, 0, 'the folder of the backup'));
  const dataRoot = existingDataRoot(given);
  await demandDataRoot(dataRoot);
  const layout = dataRootAt(dataRoot);
  // A start of a host clears away what is left of it when this command is killed.
  const own = join(layout.work, workFolderName('snapshot', randomUUID()));
  const folders = [own];
  try {
    const { objects, commit, createdAt, leftOut } = await writeBackup({
      layout,
      target,
      clock: systemClock,
      newId: randomUUID,
      copyLedger: async () => {
        const copy = await copyOfLedger(dataRoot, own);
        folders.push(copy.folder);
        return copy;
      },
      progress: countedProgress(terminal, (done, total) => `backup: ${done} of ${total} objects`),
    });
    const bytes = objects.reduce((sum, each) => sum + each.bytes, 0);
    const document = { backup: target, createdAt, commit, objects: objects.length, bytes, leftOut };
    terminal.result(document, [
      `backup ${document.backup}: ${counted(objects.length, 'object')}, ${bytes} bytes, commit ${commit}`,
      `left out ${counted(leftOut?.objects ?? 0, 'object')}, ${leftOut?.bytes ?? 0} bytes, that no record reaches`,
    ]);
    return exitCodes.done;
  } finally {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  }
}

/** A copy by the running host, which holds the ledger; without one, by this process, which holds it for that time. */
async function copyOfLedger(dataRoot: string, folder: string): Promise<LedgerCopy & { readonly folder: string }> {
  try {
    const { client } = await findHost(dataRoot, { environment: {} });
    const { folder: name, ...copied } = await client.snapshotLedger();
    return { ...copied, folder: join(dataRoot, name) };
  } catch (error) {
    if (!(error instanceof NoHost)) throw error;
  }
  const { faults } = await checkLedger(dataRoot);
  if (faults.length > 0) throw new LedgerError('ledger_damaged', `${dataRoot}: ${faults.join('; ')}`);
  const database = await openDatabase(dataRootAt(dataRoot).ledger);
  try {
    return { ...(await copyLedger(database, join(folder, 'ledger'))), folder };
  } finally {
    await database.close();
  }
}
