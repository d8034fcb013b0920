import { basename } from 'node:path';
import type { FilesAndBytes, GarbageCollection, GarbageKind } from '../../contract/deletion.ts';
import type { Stray } from '../../storage/objects/leftovers.ts';
import type { ObjectRef } from '../../storage/objects/object-store.ts';
import { refusedIfPassing } from '../../storage/patience.ts';
import type { HostBasis } from '../host-basis.ts';
import type { UnusedMedia } from '../sources/unused-media.ts';
import type { DeletionFigures } from './deletion-measure.ts';
import type { Erasure, ReachedObjects } from './erasure.ts';

const dayMs = 24 * 60 * 60_000;

/** How long what lies beside the objects is left alone. Damaged bytes wait for a person to look at them. */
const agesMs: Readonly<Record<Stray['kind'], number>> = { quarantine: 30 * dayMs, inbox: dayMs, work: dayMs };

interface GarbageOptions extends Pick<HostBasis, 'objectStore' | 'clock'> {
  readonly reached: ReachedObjects;
  readonly erasure: Erasure;
  readonly unused: UnusedMedia;
  readonly isSource: (contentId: string) => boolean;
  /** True if a file of the inbox or a folder below `work/`, by its name, is in use: no clock makes that garbage. */
  readonly isInUse: (folder: string) => boolean;
  /** The names of the partial files of uploads that may continue, however long ago their last byte came. */
  readonly openParts: () => Promise<ReadonlySet<string>>;
  readonly figures: Pick<DeletionFigures, 'collected'>;
}

type Counts = Record<GarbageKind, FilesAndBytes>;

const nothing = (): Counts => ({
  object: { files: 0, bytes: 0 },
  quarantine: { files: 0, bytes: 0 },
  inbox: { files: 0, bytes: 0 },
  work: { files: 0, bytes: 0 },
});

/** Removes what no record reaches from a working host, or lists what it would remove. */
export class Garbage {
  readonly #options: GarbageOptions;

  constructor(options: GarbageOptions) {
    this.#options = options;
  }

  /**
   * It lists the objects on disk first, and looks up the reached ones after that. An object that comes meanwhile is not in the
   * list. If its record comes after the look-up, the object store knows the object as recent.
   */
  collect(dryRun: boolean): Promise<GarbageCollection> {
    const { erasure, unused, clock, figures } = this.#options;
    const collection = erasure.alone(async () => {
      if (!dryRun) {
        await unused.remove();
        await erasure.dropSpent();
      }
      const [removed, kept] = [nothing(), nothing()];
      for await (const object of this.#unreached()) {
        const isRemoved = dryRun ? !erasure.isKept(object.contentId) : await erasure.discard(object.contentId);
        add(isRemoved ? removed.object : kept.object, { files: 1, bytes: object.bytes });
      }
      await this.#collectStrays(dryRun, removed, kept);
      // Also for rows that an earlier version deleted.
      if (!dryRun) await erasure.purge();
      const collectedAt = new Date(clock.now()).toISOString();
      const document = { schema: 'studio.garbage-collection.v1', dryRun, collectedAt, removed, kept } as const;
      figures.collected(document);
      return document;
    });
    return refusedIfPassing(collection);
  }

  async *#unreached(): AsyncGenerator<ObjectRef> {
    const { objectStore, reached, isSource } = this.#options;
    const onDisk: ObjectRef[] = [];
    for await (const object of objectStore.list()) onDisk.push(object);
    const spent = (await reached.operations()).filter(({ source, isOutdated }) => isOutdated || !isSource(source));
    const needed = await reached.find(new Set(spent.map(({ key }) => key)));
    for (const object of onDisk) if (!needed.has(object.contentId)) yield object;
  }

  async #collectStrays(dryRun: boolean, removed: Counts, kept: Counts): Promise<void> {
    const { objectStore, isInUse, openParts, clock } = this.#options;
    const parts = await openParts();
    for (const stray of await objectStore.strays()) {
      const { kind, name, changedAt } = stray;
      const isUsed = isInUse(basename(name)) || parts.has(basename(name, '.part'));
      const isOld = clock.now() - changedAt >= agesMs[kind] && !isUsed;
      add(isOld ? removed[kind] : kept[kind], stray);
      if (isOld && !dryRun) await objectStore.removeStray(stray);
    }
  }
}

function add(sum: FilesAndBytes, { files, bytes }: FilesAndBytes): void {
  sum.files += files;
  sum.bytes += bytes;
}
