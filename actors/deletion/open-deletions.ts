import type { HostBasis } from '../host-basis.ts';
import type { SourceUses } from '../sources/source-uses.ts';
import type { UnusedMedia } from '../sources/unused-media.ts';
import { DeletionFigures } from './deletion-figures.ts';
import { DeletionService } from './deletions.ts';
import { DiskUsage } from './disk-usage.ts';
import { Erasure } from './erasure.ts';
import { Garbage } from './garbage.ts';
import { DeletionMeasure } from './measure.ts';
import { Needs } from './needs.ts';
import { ReachedObjects } from './reached-objects.ts';
import { RowsOf } from './rows-of.ts';

export interface OpenDeletionsOptions
  extends Pick<HostBasis, 'ledger' | 'objectStore' | 'registry' | 'supervisor' | 'mutex' | 'clock' | 'report'> {
  readonly sourceUses: SourceUses;
  readonly unused: UnusedMedia;
  /** Whether a folder below `work/`, by its name, is in use. */
  readonly isInUse: (folder: string) => boolean;
  /** The names of the partial files of uploads that may go on. */
  readonly openParts: () => Promise<ReadonlySet<string>>;
  readonly runtimeDeleted: (runtimeId: string) => void;
  readonly actorsDeleted: (actorIds: readonly string[]) => void;
}

/** Makes the services that delete; `erasure.soon()` goes on with what an earlier host left unfinished. */
export function openDeletions(options: OpenDeletionsOptions) {
  const { ledger, objectStore, registry, unused, clock, report } = options;
  const reached = new ReachedObjects({ ledger, objectStore });
  const isSource = (contentId: string): boolean => registry.isOf(contentId);
  const isHeld = (contentId: string): boolean => unused.isHeld(contentId);
  const erasure = new Erasure({ ledger, objectStore, reached, isSource, isHeld, clock, report });
  const measure = new DeletionMeasure({ ledger, objectStore, registry, rowsOf: new RowsOf(ledger), reached });
  const figures = new DeletionFigures();
  return {
    deletions: new DeletionService({ ...options, needs: new Needs(options), measure, erasure, figures }),
    garbage: new Garbage({ ...options, reached, erasure, isSource, figures }),
    diskUsage: new DiskUsage({ ...options, reached }),
    erasure,
    figures,
  };
}
