import type { DeletionReceipt, FilesAndBytes, GarbageCollection } from '../../contract/deletion.ts';
import type { Metric, MetricSample } from '../../contract/operation.ts';
import { counter } from '../operation/metrics.ts';

/** What was deleted and collected since the host started. Dry runs remove nothing, and are not counted. */
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

  /** Takes what a collection came to. */
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
      counter('media_study_collections_total', 'collections of garbage that were no dry run', [
        { value: this.#collections },
      ]),
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
