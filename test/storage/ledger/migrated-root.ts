import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { madeUpFormats, newestRowOf, rowCount } from '../../../fixtures/storage/migration-for-tests.ts';
import { formatKey } from '../../../storage/ledger/keys.ts';
import { type DataRoot, prepareDataRoot } from '../../../storage/objects/data-root.ts';
import { openScratchLedger, scratchFolder, withRawRows } from './scratch.ts';

const never = () => undefined;

/** A data root of the newest format with rows, closed. */
export async function storedRoot(t: ExecutionContext): Promise<DataRoot> {
  const layout = await prepareDataRoot(join(await scratchFolder(t), 'data'));
  const ledger = await openScratchLedger(t, layout.ledger);
  for (let index = 0; index < rowCount; index += 1) {
    await ledger.commit([{ put: 'record', key: `row/${String(index).padStart(2, '0')}`, value: index }]);
  }
  await ledger.close();
  return layout;
}

/** The format that a closed store is stamped with. */
export const storedFormat = async ({ ledger }: DataRoot) =>
  String(await withRawRows(ledger, (rows) => rows.get(formatKey)));

/** Every row has the form of the last of the made-up formats. */
export async function isMigrated(t: ExecutionContext, { ledger: directory }: DataRoot): Promise<void> {
  const ledger = await openScratchLedger(t, directory, { formats: madeUpFormats(never) });
  const rows = await ledger.list('record', 'row/');
  await ledger.close();
  const values = rows.map(({ value }) => value);
  const expected = Array.from({ length: rowCount }, (_, index) => newestRowOf(index));
  t.deepEqual(values, expected);
}
