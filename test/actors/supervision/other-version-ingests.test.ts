import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { rowKey } from '../../../storage/ledger/keys.ts';
import { decodeRow, encodeRow } from '../../../storage/ledger/row-codec.ts';
import { scratchFolder, withRawRows } from '../../storage/ledger/scratch.ts';
import { openLife } from '../ingest/ingest-life.ts';
import { openVideohostLife } from '../ingest/videohost/videohost-life.ts';

interface Left {
  readonly status: string;
  readonly value: unknown;
  readonly hasMedia: boolean;
  readonly code: string;
}

const owned: readonly Left[] = [
  { status: 'queued', value: { queued: 'awaitingMedia' }, hasMedia: false, code: 'upload_failed' },
  { status: 'queued', value: { queued: 'awaitingWorker' }, hasMedia: true, code: 'upload_failed' },
  { status: 'probing', value: 'probing', hasMedia: true, code: 'probe_failed' },
  { status: 'sealing', value: { sealing: 'writing' }, hasMedia: true, code: 'seal_failed' },
  { status: 'sealing', value: { sealing: 'registering' }, hasMedia: true, code: 'seal_failed' },
];

const videohost: readonly Left[] = [
  { status: 'queued', value: 'queued', hasMedia: false, code: 'resolution_failed' },
  { status: 'resolving', value: 'resolving', hasMedia: false, code: 'resolution_failed' },
  { status: 'downloading', value: 'downloading', hasMedia: false, code: 'download_failed' },
  { status: 'probing', value: 'probing', hasMedia: true, code: 'probe_failed' },
  { status: 'sealing', value: { sealing: 'writing' }, hasMedia: true, code: 'seal_failed' },
  { status: 'sealing', value: { sealing: 'registering' }, hasMedia: true, code: 'seal_failed' },
];

/** How the row of an ingest may be one that its chart cannot restore. */
const ways: Readonly<Record<string, (value: unknown) => { machineVersion: number; value: unknown }>> = {
  'of another version of its chart': (value) => ({ machineVersion: 0, value }),
  'of a newer version of its chart, in a state of that': () => ({ machineVersion: 2, value: { else: 'where' } }),
  'in a state that no version has': () => ({ machineVersion: 1, value: 'elsewhere' }),
};

async function leave(root: string, id: string, { status }: Left, changed: ReturnType<(typeof ways)[string]>) {
  const { machineVersion, value } = changed;
  await withRawRows(join(root, 'ledger'), async (rows) => {
    const key = rowKey('snapshot', id);
    const row = decodeRow(key, (await rows.get(key)) ?? Buffer.alloc(0)) as { snapshot: object };
    await rows.put(key, encodeRow(key, { ...row, status, machineVersion, snapshot: { ...row.snapshot, value } }));
  });
}

/** Opens an ingest in a life that ends at once; what it holds of media is on disk. */
async function openedIngest(t: ExecutionContext, root: string, hasMedia: boolean): Promise<string> {
  const life = await openLife(t, root);
  const ingestId = await life.open();
  if (hasMedia) {
    await life.send(ingestId);
    await life.probed(1);
  }
  await life.close();
  return ingestId;
}

for (const left of owned) {
  for (const [how, way] of Object.entries(ways)) {
    const title = `an ingest in ${JSON.stringify(left.value)}, ${how}, fails by the code of where it stood and leaves no media behind`;
    test(title, async (t) => {
      const root = await scratchFolder(t);
      const ingestId = await openedIngest(t, root, left.hasMedia);
      await leave(root, ingestId, left, way(left.value));
      const life = await openLife(t, root);
      const { failure } = await life.reaches(ingestId, 'failed');
      t.is(failure?.code, left.code);
      await life.holds(0);
      t.is(await life.notes(), 0);
      const other = await life.open();
      t.is((await life.send(other)).status, 'queued');
    });
  }
}

for (const left of videohost) {
  for (const [how, way] of Object.entries(ways)) {
    test(`a range in ${JSON.stringify(left.value)}, ${how}, fails by the code of where it stood`, async (t) => {
      const root = await scratchFolder(t);
      const first = await openVideohostLife(t, root);
      const ingestId = left.hasMedia ? await first.toProbe() : await first.open();
      await first.close();
      await leave(root, ingestId, left, way(left.value));
      const life = await openVideohostLife(t, root);
      const { failure } = await life.reaches(ingestId, 'failed');
      t.is(failure?.code, left.code);
    });
  }
}
