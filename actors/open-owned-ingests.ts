import type { AnyMachineSnapshot } from 'xstate';
import type { Clock } from '../contract/clock.ts';
import type { OwnedIngestContext } from '../machines/owned-ingest.ts';
import { OwnedIngestEffects, type OwnedIngestEffectsOptions } from './owned-ingest-effects.ts';
import { ownedIngestKind } from './owned-ingest-kind.ts';
import { revisionOf } from './owned-ingest-row.ts';
import { OwnedIngests } from './owned-ingests.ts';
import type { Supervisor } from './supervisor.ts';
import { UnusedMedia } from './unused-media.ts';
import type { WorkerLine } from './worker-line.ts';

export interface OpenOwnedIngestsOptions extends OwnedIngestEffectsOptions {
  readonly supervisor: Supervisor;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly line: WorkerLine;
  readonly maximumBytes: number;
  readonly report: (line: string) => void;
}

export interface OpenedOwnedIngests {
  readonly service: OwnedIngests;
  /** Removes media that ended ingests left behind and nobody needs; to be called once recovery is through. */
  readonly tidy: () => Promise<void>;
}

/** Puts the parts of owned ingests together and registers their kind with the supervisor. */
export async function openOwnedIngests(options: OpenOwnedIngestsOptions): Promise<OpenedOwnedIngests> {
  const { ledger, vault, registry, supervisor, report } = options;
  const isHeld = (contentId: string): boolean =>
    service.isStoring ||
    supervisor.liveRows(kindName).some((row) => {
      const { context } = row.snapshot as AnyMachineSnapshot & { context: OwnedIngestContext };
      return context.media?.contentId === contentId;
    });
  const unused = new UnusedMedia(ledger, vault, isHeld);
  await unused.load();
  const tidy = () => unused.remove((contentId) => registry.holds(contentId));
  const tidySoon = () => {
    tidy().catch((error) => report(`media of an ended ingest stays until the next start: ${error}`));
  };
  const kind = ownedIngestKind({
    ...options,
    effects: new OwnedIngestEffects(options),
    unused,
    ended: tidySoon,
  });
  supervisor.register(kind);
  const service: OwnedIngests = new OwnedIngests({
    ...options,
    kind,
    revisionOf: (ingestId) => revisionOf(ledger, ingestId),
    unneeded: ({ contentId, bytes }) => ledger.commit([unused.note(contentId, bytes)]),
    released: tidySoon,
  });
  return { service, tidy };
}

const kindName = 'owned-ingest';
