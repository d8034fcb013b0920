import type {
  DeletedRuntime,
  DeletedSource,
  DeletionReceipt,
  FilesAndBytes,
  GarbageCollection,
} from '../../contract/deletion.ts';
import type { Metric, MetricSample } from '../../contract/operation.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { runtimeId as runtimeIdShape } from '../../contract/study/start.ts';
import { lifecycle } from '../../contract/study/status.ts';
import type { Ledger, StoredJournalHead } from '../../storage/ledger/ledger.ts';
import { DamagedRow } from '../../storage/ledger/row-codec.ts';
import { objectBytesAt } from '../../storage/objects/object-files.ts';
import type { HostBasis } from '../host-basis.ts';
import { counter } from '../operation/metrics.ts';
import { reviewKey } from '../reopening/review-rows.ts';
import { studyKey, studyRow } from '../reopening/study-row.ts';
import { actorRow } from '../supervision/actor-row.ts';
import type { Rows, RowsOf } from './deletion-scope.ts';
import type { ReachedObjects } from './erasure.ts';

interface MeasureOptions extends Pick<HostBasis, 'ledger' | 'objectStore' | 'registry'> {
  readonly rowsOf: RowsOf;
  readonly reached: ReachedObjects;
}

/** A thing that is about to be deleted: what its receipt says, its rows, and the objects that it names. */
interface Measured<Deleted extends DeletionReceipt['deleted']> {
  readonly deleted: Deleted;
  readonly rows: Rows;
  /** The actors among what is deleted, and the reviews, which are shown as actors. */
  readonly actorIds: readonly string[];
  readonly objects: string[];
  readonly erased: DeletionReceipt['erased'];
}

/** Measures what a deletion removes, of damaged things as far as they can be read. */
export class DeletionMeasure {
  readonly #options: MeasureOptions;

  constructor(options: MeasureOptions) {
    this.#options = options;
  }

  /** Null where the ledger has nothing of such a runtime. */
  async runtime(runtimeId: string): Promise<Measured<DeletedRuntime> | null> {
    if (!runtimeIdShape.safeParse(runtimeId).success) return null;
    const { ledger, rowsOf, reached, registry } = this.#options;
    const rows = await rowsOf.runtime(runtimeId);
    const journal = { events: 0, eventBytes: 0 };
    const named = await reached.from(oneAfterAnother(this.#rowBytes(rows), this.#eventBytes(runtimeId, journal)));
    if (rows.length === 0 && journal.events === 0) return null;
    const [study, snapshot] = await Promise.all([
      ledger.getMany('record', [studyKey(runtimeId)]),
      ledger.getMany('snapshot', [runtimeId]),
    ]);
    const start = studyRow.safeParse(study[0]).data?.record;
    const deleted: DeletedRuntime = {
      kind: 'runtime',
      runtimeId,
      commandId: start?.commandId ?? null,
      sourceSessionId: start?.sourceSession.sessionId ?? null,
      sourceRevisionId: start?.sourceSession.revisionId ?? null,
      lifecycle: lifecycle.safeParse(actorRow.safeParse(snapshot[0]).data?.status).data ?? null,
      journalHead: headOf(ledger, runtimeId),
    };
    const source = registry.revision(deleted.sourceRevisionId ?? '');
    const objects = [...named].filter((object) => !source?.files.some(({ contentId }) => contentId === object));
    return {
      deleted,
      rows,
      actorIds: actorsIn(rows),
      objects,
      erased: { ...journal, rows: rows.length, ...(await this.#sizeOf(objects)) },
    };
  }

  async source(sessionId: string): Promise<Measured<DeletedSource>> {
    const { registry, rowsOf, reached } = this.#options;
    const revisions = registry.revisionsOf(sessionId);
    const sourceRevisionIds = revisions.map(({ session }) => session.revisionId);
    const { ingestIds, rows } = await rowsOf.ingests(sourceRevisionIds);
    const others = [revisions, ...(await this.#operationsOf(revisions))].map(jsonOf);
    const named = await reached.from(oneAfterAnother(this.#rowBytes(rows), others));
    const objects = [...named];
    const counts = { rows: rows.length + revisions.length + 1, events: 0, eventBytes: 0 };
    return {
      deleted: { kind: 'source', sourceSessionId: sessionId, sourceRevisionIds, ingestIds: [...ingestIds] },
      rows,
      actorIds: actorsIn(rows),
      objects,
      erased: { ...counts, ...(await this.#sizeOf(objects)) },
    };
  }

  /** The results of operations over the media of a source: they are removed with the last source of that media. */
  async #operationsOf(revisions: readonly RegisteredSource[]): Promise<unknown[]> {
    const { ledger, reached } = this.#options;
    const media = new Set(revisions.map(({ session }) => session.source.contentId));
    const operations = (await reached.operations()).filter(({ source }) => media.has(source));
    return ledger.getMany(
      'operation',
      operations.map(({ key }) => key),
    );
  }

  async *#rowBytes(rows: Rows): AsyncGenerator<Uint8Array> {
    for (const { space, key } of rows) {
      const [value] = await this.#options.ledger.getMany(space, [key]);
      if (!(value instanceof DamagedRow)) yield jsonOf(value);
    }
  }

  /** All events of a journal, readable or not; counts them. */
  async *#eventBytes(runtimeId: string, journal: { events: number; eventBytes: number }): AsyncGenerator<Uint8Array> {
    for await (const { value } of this.#options.ledger.stored(runtimeId)) {
      journal.events += 1;
      journal.eventBytes += value.length;
      yield value;
    }
  }

  async #sizeOf(objects: readonly string[]): Promise<{ readonly objects: number; readonly objectBytes: number }> {
    const lengths = await Promise.all(objects.map((object) => objectBytesAt(this.#options.objectStore.locate(object))));
    const found = lengths.filter((length) => length !== null);
    return { objects: found.length, objectBytes: found.reduce((sum, length) => sum + length, 0) };
  }
}

const reviews = reviewKey('');

const actorsIn = (rows: Rows): string[] =>
  rows.flatMap(({ space, key }) => {
    if (space === 'snapshot') return [key];
    return space === 'record' && key.startsWith(reviews) ? [key.slice(reviews.length)] : [];
  });

async function* oneAfterAnother<Value>(
  ...all: readonly (AsyncIterable<Value> | Iterable<Value>)[]
): AsyncGenerator<Value> {
  for (const values of all) yield* values;
}

const jsonOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value) ?? '', 'utf8');

/** The head of the journal; null if it cannot be read. */
function headOf(ledger: Ledger, runtimeId: string): DeletedRuntime['journalHead'] {
  let head: StoredJournalHead;
  try {
    head = ledger.journalHead(runtimeId);
  } catch {
    return null;
  }
  return { seq: head.seq, sha256: head.digest };
}

/** Counts of deletions and collections since the host started. Dry runs remove nothing, and are not counted. */
export class DeletionFigures {
  readonly #deletions = new Map<string, number>();
  readonly #bytes = new Map<string, number>();
  readonly #collected = new Map<string, FilesAndBytes>();
  #collections = 0;

  /** Takes the receipt of a deletion. The bytes are those of its events and of the objects that its records named. */
  deleted({ deleted: { kind }, erased }: DeletionReceipt): void {
    add(this.#deletions, kind, 1);
    add(this.#bytes, kind, erased.eventBytes + erased.objectBytes);
  }

  /** Takes the result of a collection. */
  collected({ dryRun, removed }: GarbageCollection): void {
    if (dryRun) return;
    this.#collections += 1;
    for (const [kind, { files, bytes }] of Object.entries(removed)) {
      const before = this.#collected.get(kind) ?? { files: 0, bytes: 0 };
      this.#collected.set(kind, { files: before.files + files, bytes: before.bytes + bytes });
    }
  }

  metrics(): readonly Metric[] {
    const collected = [...this.#collected];
    return [
      counter('media_study_deletions_total', 'deletions, by what was deleted', samplesOf(this.#deletions)),
      counter(
        'media_study_deleted_bytes_total',
        'bytes of the events and objects that deleted things named; what others name as well stays on disk',
        samplesOf(this.#bytes),
      ),
      counter('media_study_collections_total', 'completed garbage collections', [{ value: this.#collections }]),
      counter(
        'media_study_collected_files_total',
        'files that collections removed, by where they lay',
        collected.map(([kind, { files }]) => ({ labels: { kind }, value: files })),
      ),
      counter(
        'media_study_collected_bytes_total',
        'bytes that collections removed, by where they lay',
        collected.map(([kind, { bytes }]) => ({ labels: { kind }, value: bytes })),
      ),
    ];
  }
}

function add(sums: Map<string, number>, kind: string, value: number): void {
  sums.set(kind, (sums.get(kind) ?? 0) + value);
}

const samplesOf = (sums: ReadonlyMap<string, number>): MetricSample[] =>
  [...sums].map(([kind, value]) => ({ labels: { kind }, value }));
