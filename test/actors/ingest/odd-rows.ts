import { join } from 'node:path';
import { rowKey } from '../../../storage/ledger/keys.ts';
import { decodeRow, encodeRow } from '../../../storage/ledger/row-codec.ts';
import { withRawRows } from '../../storage/ledger/scratch.ts';

/** An ingest as its host left it, and the code with which it fails if its row is odd. */
export interface Left {
  readonly status: string;
  readonly value: unknown;
  readonly hasMedia: boolean;
  readonly code: string;
}

/** How the row of an ingest may be one that its chart cannot restore. */
export const oddities: Readonly<Record<string, (value: unknown) => { machineVersion: number; value: unknown }>> = {
  'of an older chart': (value) => ({ machineVersion: 0, value }),
  'of a newer chart': () => ({ machineVersion: 2, value: { else: 'where' } }),
  'in an unknown state': () => ({ machineVersion: 1, value: 'elsewhere' }),
};

/** Makes the stored row of an ingest an odd one. */
export async function leave(
  root: string,
  id: string,
  { status }: Left,
  changed: ReturnType<(typeof oddities)[string]>,
) {
  const { machineVersion, value } = changed;
  await withRawRows(join(root, 'ledger'), async (rows) => {
    const key = rowKey('snapshot', id);
    const row = decodeRow(key, (await rows.get(key)) ?? Buffer.alloc(0)) as { snapshot: object };
    await rows.put(key, encodeRow(key, { ...row, status, machineVersion, snapshot: { ...row.snapshot, value } }));
  });
}
