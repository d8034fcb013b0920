import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { ExecutionContext } from 'ava';
import { lifeFlags, recogniserPort } from '../../fixtures/golden-store/life.ts';
import { erasingPrefix } from '../../storage/backup/named-objects.ts';
import { openStore } from '../../test/actors/reopening/stored-studies.ts';
import { CopiedLife } from '../../test/crash/copied-lives.ts';
import { FullLife, type KnownOfLife, LifeSurroundings, nothingKnown } from '../../test/crash/full-life.ts';

/** A data root of a full life, as it was left at one of its commits or at its end. */
export interface LeftOfLife {
  readonly root: string;
  /** The study with all its later stages; null until it was acknowledged. */
  readonly runtimeId: string | null;
  /** The study that is deleted. */
  readonly spare: string | null;
}

/** A full life of a host in this process, and the copies of its data root: one for each commit, which is what a kill would leave. */
export async function cutLife(
  t: ExecutionContext,
  scratch: string,
): Promise<{ readonly whole: LeftOfLife; readonly left: readonly LeftOfLife[] }> {
  const root = path.join(scratch, 'life');
  const copies = path.join(scratch, 'life-copies');
  for (const folder of [root, copies]) await mkdir(folder, { mode: 0o700 });
  const around = await LifeSurroundings.open(recogniserPort);
  try {
    const known = nothingKnown();
    const life = new CopiedLife({
      ...{ root, copies, isWanted: (point) => point === 'commit:after' },
      known: () => ({ ...known }),
    });
    const host = await around.openHost(t, root, { flags: lifeFlags, points: life.point });
    // Media of its own is in the stores of ingests, and would make this one large.
    await new FullLife(host, { root, page: around.page, known }).live('collection', ['range', 'upload', 'backup']);
    await host.stop();
    return { whole: leftOf(root, known), left: life.left.map((each) => leftOf(each.root, each.known)) };
  } finally {
    await around.close();
  }
}

const leftOf = (root: string, { runtimeId, spare }: KnownOfLife): LeftOfLife => ({ root, runtimeId, spare });

/** Whether a deletion was recorded in a data root, and something is left of it to be erased. It is copied: a look may change it. */
export async function isErasing(root: string): Promise<boolean> {
  const copy = `${root}-seen`;
  await cp(root, copy, { recursive: true });
  const store = await openStore(copy);
  try {
    return (await store.ledger.list('record', erasingPrefix)).length > 0;
  } finally {
    await store.close();
  }
}
