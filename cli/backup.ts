import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../actors/supervision/system-clock.ts';
import { countText } from '../formats/readable-numbers.ts';
import { absolutePath, type GivenFlags } from '../options/flags.ts';
import { type ExitCode, exitCodes } from '../options/outputs.ts';
import { restoreBackup } from '../storage/backup/restore-backup.ts';
import { type CopiedLedger, writeBackup } from '../storage/backup/write-backup.ts';
import { checkLedger } from '../storage/ledger/accept-loss.ts';
import { LedgerError } from '../storage/ledger/ledger.ts';
import { copyLedger } from '../storage/ledger/numbered-store.ts';
import { openDatabase } from '../storage/ledger/open-database.ts';
import { dataRootAt, demandDataRoot } from '../storage/objects/data-root.ts';
import { workFolderName } from '../storage/objects/leftovers.ts';
import { dataRootOf, existingDataRoot } from './options/data-root.ts';
import { argument, asTyped } from './terminal/call.ts';
import { EarlierHost, findHost, NoHost } from './terminal/running-host.ts';
import { bytesText, Interrupted, type Terminal } from './terminal/terminal.ts';

/**
 * Reports how far work on many items of one kind has come. On a terminal it shows each item and overwrites the line; elsewhere it
 * prints a line for each tenth.
 */
export function countedProgress(
  { progress }: Pick<Terminal, 'progress'>,
  words: (done: number, total: number) => string,
  isOverwritten = process.stderr.isTTY === true,
): (done: number, total: number) => void {
  let said = 0;
  return (done, total) => {
    const tenths = Math.floor((10 * done) / total);
    if (isOverwritten || tenths !== said) progress(words(done, total));
    said = tenths;
  };
}

/** Writes a backup. Throws `WrongCall`, `StartError`, `BackupError`, `LedgerError`, `ObjectStoreError` and what a client of the host throws. */
export async function backup(given: GivenFlags, terminal: Terminal): Promise<ExitCode> {
  const target = absolutePath(argument(given, 0, 'the folder of the backup'));
  const dataRoot = existingDataRoot(given);
  await demandDataRoot(dataRoot);
  const layout = dataRootAt(dataRoot);
  const folders: string[] = [];
  try {
    const { objects, commit, createdAt, leftOut } = await writeBackup({
      layout,
      target,
      clock: systemClock,
      newId: randomUUID,
      copyLedger: () => {
        // A start of a host clears away what is left of it when this command is killed.
        const folder = join(layout.work, workFolderName('snapshot', randomUUID()));
        folders.push(folder);
        return copyOfLedger(dataRoot, folder, terminal.remark);
      },
      progress: countedProgress(terminal, (done, total) => `backup: ${done} of ${total} objects`),
      remark: terminal.remark,
    });
    const bytes = objects.reduce((sum, each) => sum + each.bytes, 0);
    const document = { backup: target, createdAt, commit, objects: objects.length, bytes, leftOut };
    terminal.result(document, [
      `backup ${document.backup}: ${countText(objects.length, 'object')}, ${bytesText(bytes)}, commit ${commit}`,
      `left out ${countText(leftOut?.objects ?? 0, 'object')}, ${bytesText(leftOut?.bytes ?? 0)}, to which no record refers`,
    ]);
    return exitCodes.done;
  } finally {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  }
}

/** A copy by the running host, which holds the ledger; without one, by this process, which holds it for that time. */
async function copyOfLedger(dataRoot: string, folder: string, report: (line: string) => void): Promise<CopiedLedger> {
  try {
    const { client } = await findHost(dataRoot, report, { environment: {} });
    const { folder: name, ...copied } = await client.snapshotLedger();
    // The next snapshot replaces one that still lies where the host put it.
    await rename(join(dataRoot, name), folder);
    return { ...copied, folder };
  } catch (error) {
    if (!(error instanceof NoHost) || error instanceof EarlierHost) throw error;
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

/** Restores a backup; a signal ends it, and nothing is left then. Throws `WrongCall`, `Interrupted`, `BackupError` and `ObjectStoreError`. */
export async function restore(given: GivenFlags, terminal: Terminal): Promise<ExitCode> {
  const source = argument(given, 0, 'the folder of the backup');
  const target = dataRootOf(given);
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stop.abort(new Interrupted()));
  const { objects, commit, createdAt, settings } = await restoreBackup({
    backup: absolutePath(source),
    target,
    newId: randomUUID,
    progress: countedProgress(terminal, (done, total) => `restore: ${done} of ${total} files verified`),
    signal: stop.signal,
  });
  terminal.result({ dataRoot: target, createdAt, commit, objects: objects.length }, [
    `restored ${target}: ${countText(objects.length, 'object')}, commit ${commit}, as of ${createdAt}`,
  ]);
  if (settings !== undefined) {
    terminal.remark(
      `its settings are restored, too, and may name folders, ports and servers of another machine: ${asTyped('settings')} shows them`,
    );
  }
  return exitCodes.done;
}
