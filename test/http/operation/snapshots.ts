import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { ledgerSnapshot } from '../../../contract/operation/ledger-snapshot.ts';
import type { HostContract } from '../host/contract.ts';

const path = '/v1/ledger-snapshots';

/** Copies of the ledger that a host makes while it works. */
export function snapshots(contract: HostContract): void {
  test.serial(
    contract.title('a snapshot of the ledger lies in the data root, and there is one at a time'),
    async (t) => {
      const taken = await Promise.all([1, 2, 3].map(() => contract.post(path, {})));
      const folders = taken.map((answer) => contract.granted(t, answer, 201, ledgerSnapshot).folder);
      t.is(new Set(folders).size, 3);
      const names = (await readdir(join(contract.dataRoot, 'work'))).filter((name) => name.startsWith('snapshot-'));
      t.deepEqual(
        names.map((name) => `work/${name}`),
        folders.slice(-1),
      );
      t.deepEqual((await readdir(join(contract.dataRoot, folders[2] ?? ''))).sort(), ['ledger', 'ledger.mark']);
    },
  );

  test.serial(contract.title('a snapshot is asked for with the token and an empty object'), async (t) => {
    contract.refused(t, await contract.post(path, { directory: '/tmp' }), 'invalid_snapshot_request');
    const unknown = await contract.ask('POST', path, { json: {}, token: null });
    contract.refused(t, unknown, 'unauthorized', ['www-authenticate']);
  });
}
