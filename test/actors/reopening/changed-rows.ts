import test, { type ExecutionContext } from 'ava';
import { verifyRuntime } from '../../../actors/reopening/verify-runtime.ts';
import { nameOf, rowKey } from '../../../storage/ledger/keys.ts';
import { decodeRow, encodeRow } from '../../../storage/ledger/row-codec.ts';
import { dataRootAt } from '../../../storage/objects/data-root.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { twoTracks } from '../../receipts/evidence/stored-tracks.ts';
import { withRawRows } from '../../storage/ledger/scratch.ts';
import { type CaptionBench, held } from '../captions/caption-bench.ts';
import { newDataRoot, openStore, store } from './stored-studies.ts';

const study = storedStudy({ version: 1, windows: 4, tracks: twoTracks });

type Row = Record<string, unknown>;

/** A host with the actors of a later stage, and the events of a runtime after this one, in words. */
export interface StageBench extends CaptionBench {
  readonly said: (runtimeId: string, after: number) => Promise<string[]>;
}

export interface Scene<Bench extends StageBench> {
  readonly bench: Bench;
  readonly runtimeId: string;
}

/** Starts something that stores; resolves when its n-th storing waits, for the host to die there. */
export async function cutAtStoring(
  { bench }: Scene<StageBench>,
  storing: number,
  begin: () => Promise<unknown>,
): Promise<void> {
  const gate = held();
  let stored = 0;
  bench.hook.storing = () => {
    stored += 1;
    return stored === storing ? gate.wait() : undefined;
  };
  begin().catch(() => undefined);
  await gate.reached;
}

/** A state of a later stage in which a host dies. */
export interface CutStage<Bench extends StageBench> {
  /** Leads a host to that state. */
  readonly leave: (scene: Scene<Bench>) => Promise<unknown>;
  readonly row: 'caption-production' | 'language-explanation';
  /** Events that the next host adds to the journal when it starts. */
  readonly said: readonly (string | RegExp)[];
  /** The next requests of a client, as if nothing had happened, and their events in the journal. */
  readonly again: (scene: Scene<Bench>) => Promise<unknown>;
  readonly saidAgain: readonly string[];
}

const changes: Readonly<Record<string, (row: Row) => Row>> = {
  'of an older chart': (row) => ({ ...row, machineVersion: 0 }),
  'of a newer chart': (row) => ({
    ...row,
    machineVersion: 2,
    status: 'elsewhere',
    snapshot: { ...Object(row.snapshot), value: 'elsewhere' },
  }),
  'in an unknown state': (row) => ({
    ...row,
    status: 'elsewhere',
    snapshot: { ...Object(row.snapshot), value: { else: 'where' } },
  }),
};

/** Every list of a runtime can be read, also by a process that knows nothing of it. */
async function readsAll(t: ExecutionContext, { bench, runtimeId }: Scene<StageBench>): Promise<void> {
  await t.notThrowsAsync(bench.reviews.intakes(runtimeId));
  await t.notThrowsAsync(bench.reviews.reviews(runtimeId));
  await t.notThrowsAsync(bench.reads.productions(runtimeId));
  await t.notThrowsAsync(bench.reads.qualityControls(runtimeId));
}

async function isIntact(t: ExecutionContext, root: string, runtimeId: string): Promise<void> {
  const opened = await openStore(root);
  await t.notThrowsAsync(verifyRuntime(opened, runtimeId, () => undefined));
  await opened.close();
}

/** Declares a test for each change of the row that a host left: its runtime reads and goes on. `opened` has the bench of a host. */
export function testChangedRows<Bench extends StageBench>(
  what: string,
  { leave, row, said, again, saidAgain }: CutStage<Bench>,
  opened: (t: ExecutionContext, root: string) => Promise<Bench>,
): void {
  const started = async (t: ExecutionContext, root: string): Promise<Bench> => {
    const bench = await opened(t, root);
    await bench.recover();
    return bench;
  };
  for (const [how, change] of Object.entries(changes)) {
    test(`${what}, ${how}: its runtime reads and goes on`, async (t) => {
      const root = await newDataRoot(t);
      const first = await started(t, root);
      const runtimeId = await store(first.store, study);
      await leave({ bench: first, runtimeId });
      const { seq: before } = first.ledger.journalHead(runtimeId);
      await first.close();
      await withRawRows(dataRootAt(root).ledger, async (rows) => {
        for await (const [key, stored] of rows.iterator()) {
          const name = nameOf(key);
          if (!name.startsWith(`${row}:`) || !key.equals(rowKey('snapshot', name))) continue;
          await rows.put(key, encodeRow(key, change(decodeRow(key, stored) as Row)));
        }
      });

      const scene = { bench: await started(t, root), runtimeId };
      const { bench } = scene;
      const words = await bench.said(runtimeId, before);
      t.is(words.length, said.length, words.join(', '));
      for (const [at, word] of said.entries()) t.regex(words[at] ?? '', new RegExp(word));
      await readsAll(t, scene);
      const { seq: after } = bench.ledger.journalHead(runtimeId);
      await again(scene);
      t.deepEqual(await bench.said(runtimeId, after), saidAgain);
      await readsAll(t, scene);
      await bench.close();
      await isIntact(t, root, runtimeId);
    });
  }
}
