import { cp, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { lifeFlags, lifeWindowing, recognizerPort } from '../../fixtures/golden-store/life.ts';
import { erasingPrefix } from '../../storage/backup/named-objects.ts';
import { type OpenedStore, openStore } from '../../test/actors/reopening/stored-studies.ts';
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

/** A full life of a host in this process, and a copy of its data root at each commit, as a kill would leave it. */
export async function cutLife(
  t: ExecutionContext,
  scratch: string,
): Promise<{ readonly whole: LeftOfLife; readonly left: readonly LeftOfLife[] }> {
  const root = path.join(scratch, 'life');
  const copies = path.join(scratch, 'life-copies');
  for (const folder of [root, copies]) await mkdir(folder, { mode: 0o700 });
  const around = await LifeSurroundings.open(recognizerPort);
  try {
    const known = nothingKnown();
    const life = new CopiedLife({
      root,
      copies,
      isWanted: (point) => point === 'commit:after',
      known: () => ({ ...known }),
    });
    const host = await around.openHost(t, root, { flags: lifeFlags, points: life.point, windowing: lifeWindowing });
    // Media of its own is in the stores of ingests, and would make this one large.
    await new FullLife(host, { root, page: around.page, known }).live('collection', [
      'range',
      'upload',
      'subtitles',
      'backup',
    ]);
    await host.stop();
    return { whole: leftOf(root, known), left: life.left.map((each) => leftOf(each.root, each.known)) };
  } finally {
    await around.close();
  }
}

const leftOf = (root: string, { runtimeId, spare }: KnownOfLife): LeftOfLife => ({ root, runtimeId, spare });

/** True if a data root has a recorded deletion that has not erased everything. */
export const isErasing = (root: string): Promise<boolean> =>
  isSeen(root, async ({ ledger }) => (await ledger.list('record', erasingPrefix)).length > 0);

const keptWindow = z.object({ window: z.object({}) });

/** True if a data root has a pass that was cut after two of its windows. */
export const hasWindows = (root: string): Promise<boolean> =>
  isSeen(root, async ({ ledger }) => {
    const rows = await ledger.list('operation');
    return rows.filter(({ value }) => keptWindow.safeParse(value).success).length === 2;
  });

/** A data root is copied before it is looked at: a look may change it. */
async function isSeen(root: string, look: (store: OpenedStore) => Promise<boolean>): Promise<boolean> {
  const copy = `${root}-seen`;
  await cp(root, copy, { recursive: true });
  const store = await openStore(copy);
  try {
    return await look(store);
  } finally {
    await store.close();
    await rm(copy, { recursive: true });
  }
}
