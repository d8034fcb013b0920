import { z } from 'zod';
import { addNamed, keepingValues } from '../../storage/backup/named-objects.ts';
import { rowKey } from '../../storage/ledger/keys.ts';
import type { Ledger, StoredValue } from '../../storage/ledger/ledger.ts';
import { decodeOrMark } from '../../storage/ledger/row-codec.ts';
import type { SourceRegistry } from '../sources/source-registry.ts';
import { TimeSlices } from '../supervision/time-slices.ts';

const ofRuntime = z.object({ input: z.object({ runtimeId: z.string() }) });
const studyPrefix = 'study/';

/** What one runtime has in the ledger. */
export interface RuntimeShare {
  readonly named: Set<string>;
  readonly journal: { events: number; bytes: number };
}

/** Who names which objects, by one walk over the ledger. */
export interface NamedBy {
  readonly runtimes: ReadonlyMap<string, RuntimeShare>;
  /** By the key of each result of an operation. */
  readonly operations: ReadonlyMap<string, ReadonlySet<string>>;
}

const slices = new TimeSlices();

export async function namedBy(ledger: Ledger): Promise<NamedBy> {
  const runtimes = new Map<string, RuntimeShare>();
  const operations = new Map<string, ReadonlySet<string>>();
  const shareOf = (runtimeId: string): RuntimeShare => {
    const share = runtimes.get(runtimeId) ?? { named: new Set(), journal: { events: 0, bytes: 0 } };
    runtimes.set(runtimeId, share);
    return share;
  };
  for await (const stored of keepingValues(ledger.stored())) {
    await slices.pause();
    const runtimeId = runtimeOf(stored);
    if (runtimeId !== null) {
      const { named, journal } = shareOf(runtimeId);
      addNamed(named, stored.value);
      if (stored.kind !== 'event') continue;
      journal.events += 1;
      journal.bytes += stored.value.length;
    } else if (stored.kind === 'operation') {
      const named = new Set<string>();
      addNamed(named, stored.value);
      operations.set(stored.key, named);
    }
  }
  return { runtimes, operations };
}

/** The runtime that a row or an event is of; null for one of none. */
function runtimeOf({ kind, key, value }: StoredValue): string | null {
  if (kind === 'event') return key;
  if (kind === 'record') return key.startsWith(studyPrefix) ? key.slice(studyPrefix.length) : null;
  if (kind !== 'snapshot') return null;
  return ofRuntime.safeParse(decodeOrMark(rowKey('snapshot', key), value)).data?.input.runtimeId ?? null;
}

/** The files of a source in the object store: media, and records. */
export function filesOf(registry: SourceRegistry, sessionId: string): { media: Set<string>; records: Set<string> } {
  const [media, records] = [new Set<string>(), new Set<string>()];
  for (const { files } of registry.revisionsOf(sessionId)) {
    for (const [at, { contentId, path }] of files.entries())
      if (path === null) (at === 0 ? media : records).add(contentId);
  }
  return { media, records };
}
