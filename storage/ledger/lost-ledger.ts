import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { dataRootAt } from '../objects/data-root-layout.ts';
import { kindOf } from '../objects/entry-kind.ts';
import { LedgerError } from './ledger-error.ts';

/**
 * Keeps a ledger folder that holds no store from becoming a new one where objects lie beside it: every object is stored
 * after the ledger, so the ledger was lost, and with a new one nothing would say what the objects are. Throws
 * `ledger_missing`.
 */
export async function refuseLostLedger(directory: string): Promise<void> {
  const { objects } = dataRootAt(dirname(directory));
  if ((await kindOf(objects)) !== 'folder') return;
  for (const shard of await readdir(objects)) {
    const folder = join(objects, shard);
    if ((await kindOf(folder)) !== 'folder' || (await readdir(folder)).length === 0) continue;
    throw new LedgerError('ledger_missing', `${directory} holds no store although ${objects} holds files`);
  }
}
