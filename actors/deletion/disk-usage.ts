import { z } from 'zod';
import type { DiskUse, FilesAndBytes, RuntimeDiskUse, SourceDiskUse } from '../../contract/deletion.ts';
import { addNamed, keepingValues } from '../../storage/backup/named-objects.ts';
import { rowKey } from '../../storage/ledger/keys.ts';
import type { Ledger, StoredValue } from '../../storage/ledger/ledger.ts';
import { decodeOrMark } from '../../storage/ledger/row-codec.ts';
import { refusedIfPassing } from '../../storage/patience.ts';
import type { HostBasis } from '../host-basis.ts';
import type { SourceRegistry } from '../sources/source-registry.ts';
import { listedOf } from '../study/listed-runtimes.ts';
import { TimeSlices } from '../supervision/system-clock.ts';
import type { ReachedObjects } from './erasure.ts';

interface DiskUsageOptions extends Pick<HostBasis, 'ledger' | 'objectStore' | 'registry' | 'clock'> {
  readonly reached: ReachedObjects;
}

/** Objects on disk, by their lengths. */
type Lengths = ReadonlyMap<string, number>;

/** The use of the data root by its runtimes and sources. */
export class DiskUsage {
  readonly #options: DiskUsageOptions;

  constructor(options: DiskUsageOptions) {
    this.#options = options;
  }

  /** The sums of all, and at most `limit` sources and runtimes, the largest first. Rejects with `StorageUnavailable`. */
  measure(limit: number): Promise<DiskUse> {
    return refusedIfPassing(this.#measured(limit));
  }

  async #measured(limit: number): Promise<DiskUse> {
    const { ledger, objectStore, registry, reached, clock } = this.#options;
    const lengths = new Map<string, number>();
    for await (const { contentId, bytes } of objectStore.list()) lengths.set(contentId, bytes);
    const named = await namedBy(ledger);
    const needed = await reached.find(new Set());
    const sessions: { readonly id: string; readonly media: Set<string>; readonly records: Set<string> }[] = [];
    for (const id of registry.sessionIds()) {
      await slices.pause();
      sessions.push({ id, ...filesOf(registry, id) });
    }
    const filesOfSessions = sessions.map(({ media, records }) => new Set([...media, ...records]));
    const sharedBySources = await ownersOf(filesOfSessions);
    const owners = await ownersOf([...[...named.runtimes.values()].map((share) => share.named), ...filesOfSessions]);
    const evidence = await ownersOf(named.operations.values());
    const runtimes: RuntimeDiskUse[] = [];
    for (const [runtimeId, share] of named.runtimes) {
      await slices.pause();
      const records = [...share.named].filter((id) => !evidence.has(id) && !sharedBySources.has(id));
      runtimes.push({
        runtimeId,
        journal: share.journal,
        own: sizeOf(
          lengths,
          records.filter((id) => owners.get(id) === 1),
        ),
        shared: sizeOf(
          lengths,
          records.filter((id) => owners.get(id) !== 1),
        ),
        evidence: sizeOf(
          lengths,
          [...share.named].filter((id) => evidence.has(id)),
        ),
      });
    }
    const foundIn = await this.#evidenceOf(named);
    const sources: SourceDiskUse[] = [];
    for (const { id, media, records } of sessions) {
      await slices.pause();
      const isOwn = (contentId: string) => sharedBySources.get(contentId) === 1;
      const found = registry
        .revisionsOf(id)
        .flatMap(({ session }) => [...(foundIn.get(session.source.contentId) ?? [])]);
      const newest = registry.revisionsOf(id).at(-1);
      sources.push({
        sourceSessionId: id,
        label: newest === undefined ? '' : registry.labelOf(newest),
        media: sizeOf(lengths, [...media].filter(isOwn)),
        own: sizeOf(lengths, [...records].filter(isOwn)),
        shared: sizeOf(
          lengths,
          [...media, ...records].filter((contentId) => !isOwn(contentId)),
        ),
        evidence: sizeOf(lengths, new Set(found)),
        runtimes: (await listedOf(ledger, id)).length,
      });
    }
    const total = await this.#total(lengths, needed);
    return {
      schema: 'studio.disk-use.v1',
      measuredAt: new Date(clock.now()).toISOString(),
      total,
      sources: largest(sources, limit, (each) => bytesOf(each.media, each.own, each.shared, each.evidence)),
      runtimes: largest(runtimes, limit, (each) => each.journal.bytes + bytesOf(each.own, each.shared, each.evidence)),
      more: {
        sources: Math.max(0, sources.length - limit),
        runtimes: Math.max(0, runtimes.length - limit),
      },
    };
  }

  /** The evidence that operations found, by the content id of their media. */
  async #evidenceOf({ operations }: NamedBy): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const found = new Map<string, Set<string>>();
    for (const { key, source } of await this.#options.reached.operations()) {
      const of = found.get(source) ?? new Set<string>();
      for (const contentId of operations.get(key) ?? []) of.add(contentId);
      found.set(source, of);
    }
    return found;
  }

  async #total(lengths: Lengths, needed: ReadonlySet<string>): Promise<DiskUse['total']> {
    const { objectStore } = this.#options;
    const objects = sizeOf(lengths, lengths.keys());
    const unreached = sizeOf(
      lengths,
      [...lengths.keys()].filter((id) => !needed.has(id)),
    );
    const ledger = await objectStore.ledgerSize();
    const beside = { quarantine: none(), inbox: none(), work: none() };
    for (const { kind, files, bytes } of await objectStore.strays()) {
      beside[kind] = { files: beside[kind].files + files, bytes: beside[kind].bytes + bytes };
    }
    const bytes = bytesOf(objects, ledger, beside.quarantine, beside.inbox, beside.work);
    return { bytes, freeBytes: await objectStore.freeBytes(), objects, unreached, ledger, ...beside };
  }
}

const none = (): FilesAndBytes => ({ files: 0, bytes: 0 });

const bytesOf = (...sizes: readonly FilesAndBytes[]): number => sizes.reduce((sum, { bytes }) => sum + bytes, 0);

/** How many name each object. */
async function ownersOf(all: Iterable<ReadonlySet<string>>): Promise<ReadonlyMap<string, number>> {
  const owners = new Map<string, number>();
  for (const named of all) {
    await slices.pause();
    for (const id of named) owners.set(id, (owners.get(id) ?? 0) + 1);
  }
  return owners;
}

/** The objects among these that are on disk. */
function sizeOf(lengths: Lengths, ids: Iterable<string>): FilesAndBytes {
  const sum = none();
  for (const id of ids) {
    const bytes = lengths.get(id);
    if (bytes === undefined) continue;
    sum.files += 1;
    sum.bytes += bytes;
  }
  return sum;
}

const largest = <Each>(all: readonly Each[], limit: number, sizeOfEach: (each: Each) => number): Each[] =>
  [...all].sort((a, b) => sizeOfEach(b) - sizeOfEach(a)).slice(0, limit);

const ofRuntime = z.object({ input: z.object({ runtimeId: z.string() }) });
const studyPrefix = 'study/';

/** The rows and objects of one runtime in the ledger. */
interface RuntimeShare {
  readonly named: Set<string>;
  readonly journal: { events: number; bytes: number };
}

/** The objects with the records that name them, by one walk over the ledger. */
interface NamedBy {
  readonly runtimes: ReadonlyMap<string, RuntimeShare>;
  /** By the key of each result of an operation. */
  readonly operations: ReadonlyMap<string, ReadonlySet<string>>;
}

const slices = new TimeSlices();

async function namedBy(ledger: Ledger): Promise<NamedBy> {
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
function filesOf(registry: SourceRegistry, sessionId: string): { media: Set<string>; records: Set<string> } {
  const [media, records] = [new Set<string>(), new Set<string>()];
  for (const { files } of registry.revisionsOf(sessionId)) {
    for (const [at, { contentId, path }] of files.entries())
      if (path === null) (at === 0 ? media : records).add(contentId);
  }
  return { media, records };
}
