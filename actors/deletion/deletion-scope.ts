import { z } from 'zod';
import { ServiceError } from '../../contract/base/errors.ts';
import type { Ledger, Space, Write } from '../../storage/ledger/ledger.ts';
import type { HostBasis } from '../host-basis.ts';
import { ingestKindNames } from '../ingest/ingest-service.ts';
import { reviewKey, reviewRow } from '../reopening/review-rows.ts';
import { studyKey } from '../reopening/study-row.ts';
import type { SourceUses } from '../sources/source-registry.ts';
import { listedOf } from '../study/listed-runtimes.ts';
import { TimeSlices } from '../supervision/system-clock.ts';
import { type RowKey, type RowRange, rowsOfActor } from '../supervision/transition-rows.ts';

/** So many of those that need a source are named. */
const named = 3;

/** The kinds of actors that make something of a runtime that has ended. */
const productionKinds = ['caption-production', 'language-explanation'] as const;

interface NeedsOptions extends Pick<HostBasis, 'ledger' | 'registry' | 'supervisor'> {
  readonly sourceUses: SourceUses;
}

/** The users of a runtime or a source: the refusal of its deletion, or null. */
export class Needs {
  readonly #options: NeedsOptions;

  constructor(options: NeedsOptions) {
    this.#options = options;
  }

  /** Says it in the same turn. */
  ofRuntime(runtimeId: string): ServiceError | null {
    const { supervisor } = this.#options;
    if (supervisor.isLive(runtimeId)) return new ServiceError('runtime_live', 'the study runs or waits for a worker');
    const making = productionKinds
      .flatMap((kind) => supervisor.liveRows(kind))
      .filter(({ input }) => (input as { readonly runtimeId: string }).runtimeId === runtimeId);
    return making.length === 0
      ? null
      : new ServiceError('runtime_in_production', 'captions or explanations of the runtime are being made');
  }

  async ofSource(sessionId: string): Promise<ServiceError | null> {
    const runtimeIds = await listedOf(this.#options.ledger, sessionId);
    if (runtimeIds.length === 0) return this.ofLiveWork(sessionId);
    return inUse(runtimeIds.length === 1 ? '1 runtime needs it' : `${runtimeIds.length} runtimes need it`, runtimeIds);
  }

  /** The same for what is on its way to the ledger; says it in the same turn. */
  ofLiveWork(sessionId: string): ServiceError | null {
    const { supervisor, registry, sourceUses } = this.#options;
    if (sourceUses.isOpen(sessionId)) return inUse('a study of it is being started', []);
    const media = registry.revisionsOf(sessionId).map(({ session }) => session.source.contentId);
    const ingestIds = ingestKindNames
      .flatMap((kind) => supervisor.liveRows(kind))
      .map(({ snapshot }) => snapshot.context)
      .flatMap((ingest) => (media.includes(ingest.media?.contentId ?? '') ? [ingest.ingestId] : []));
    return ingestIds.length === 0 ? null : inUse(`${ingestIds.length} live ingests of its media need it`, ingestIds);
  }
}

function inUse(why: string, ids: readonly string[]): ServiceError {
  const more = ids.length > named ? [`and ${ids.length - named} more`] : [];
  const list = [...ids.slice(0, named), ...more];
  return new ServiceError('source_in_use', list.length === 0 ? why : `${why}: ${list.join(', ')}`);
}

const pageKeys = 256;

/** The kinds of actors that are of a runtime. Those of reviews were written up to version 0.2.0. */
const stageKinds = ['caption-production', 'language-explanation', 'publish-review'] as const;

const ofRuntime = z.object({ input: z.object({ runtimeId: z.string() }) });
const ofRevision = z.object({ revisionId: z.string() });

/** The rows that one thing has in the ledger, by their places. */
export type Rows = readonly RowKey[];

/** The writes that delete rows. */
export const deletes = (rows: Rows): Write[] => rows.map(({ space, key }) => ({ del: space, key }));

/** Finds all rows of a runtime or of a source, be they readable or not: only their places are looked at. */
export class RowsOf {
  readonly #ledger: Ledger;
  readonly #slices = new TimeSlices();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** The rows of a runtime, and of everything that was later made from it, without its journal. */
  async runtime(runtimeId: string): Promise<Rows> {
    const reviews = await this.#reviewsOf(runtimeId);
    const stages = [...(await this.#stagesOf(runtimeId)), ...reviews];
    return this.#present([
      ...(await this.#ofActors([runtimeId, ...stages])),
      ...reviews.map((intakeId): RowKey => ({ space: 'record', key: reviewKey(intakeId) })),
      { space: 'record', key: studyKey(runtimeId) },
      // Up to version 0.2.0 each step of a study left a row of its own.
      ...(await this.#inRanges([{ space: 'record', prefix: `${studyKey(runtimeId)}/` }])),
      ...(await this.#indexed(['runtime', 'session'], [runtimeId])),
      ...(await this.#indexed(stageKinds, stages)),
    ]);
  }

  /** The rows of the ingests that led to one of these revisions, and the ids of those ingests. */
  async ingests(
    revisionIds: readonly string[],
  ): Promise<{ readonly ingestIds: readonly string[]; readonly rows: Rows }> {
    const ingestIds = await this.#ingestsOf(revisionIds);
    const ranges = ingestIds.map((id): RowRange => ({ space: 'record', prefix: `ingest/${id}/` }));
    const rows = await this.#present([
      ...(await this.#ofActors(ingestIds)),
      ...(await this.#inRanges(ranges)),
      ...(await this.#indexed(ingestKindNames, ingestIds)),
    ]);
    return { ingestIds, rows };
  }

  async #ofActors(ids: readonly string[]): Promise<RowKey[]> {
    const all = ids.map(rowsOfActor);
    return [...all.flatMap(({ rows }) => rows), ...(await this.#inRanges(all.flatMap(({ ranges }) => ranges)))];
  }

  async #inRanges(ranges: readonly RowRange[]): Promise<RowKey[]> {
    const rows: RowKey[] = [];
    for (const { space, prefix } of ranges) {
      for await (const key of this.#keys(space, prefix)) rows.push({ space, key });
    }
    return rows;
  }

  /** The keys of the index, in these scopes and those below them, that lead to one of these ids. */
  async #indexed(scopes: readonly string[], ids: readonly string[]): Promise<RowKey[]> {
    const wanted = new Set(ids);
    const rows: RowKey[] = [];
    for (const scope of wanted.size === 0 ? [] : scopes) {
      for await (const key of this.#keys('index', `${scope}/`)) {
        if (wanted.has(key.slice(key.lastIndexOf('/') + 1))) rows.push({ space: 'index', key });
      }
    }
    return rows;
  }

  /** The actors of the later stages of a runtime. If a row cannot be read, its runtime is unknown. */
  async #stagesOf(runtimeId: string): Promise<string[]> {
    const found: string[] = [];
    for (const kind of stageKinds) {
      for await (const [key, row] of this.#rows('snapshot', `${kind}:`)) {
        if (ofRuntime.safeParse(row).data?.input.runtimeId === runtimeId) found.push(key);
      }
    }
    return found;
  }

  /** The reviews of a runtime, by their intakes. No actor has them; they have rows of their own. */
  async #reviewsOf(runtimeId: string): Promise<string[]> {
    const found: string[] = [];
    for await (const [key, row] of this.#rows('record', reviewKey(''))) {
      if (reviewRow.safeParse(row).data?.runtimeId === runtimeId) found.push(key.slice(reviewKey('').length));
    }
    return found;
  }

  async #ingestsOf(revisionIds: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for await (const [key, row] of this.#rows('record', 'ingest/', '/revision')) {
      const { data } = ofRevision.safeParse(row);
      if (data !== undefined && revisionIds.includes(data.revisionId)) {
        found.push(key.slice('ingest/'.length, -'/revision'.length));
      }
    }
    return found;
  }

  /** Those of the rows that are there, damaged ones included. */
  async #present(rows: Rows): Promise<RowKey[]> {
    const found = await Promise.all(rows.map(({ space, key }) => this.#ledger.getMany(space, [key])));
    return rows.filter((_, at) => found[at]?.[0] !== undefined);
  }

  async *#rows(space: Space, prefix: string, suffix = ''): AsyncGenerator<readonly [string, unknown]> {
    for await (const page of this.#pages(space, prefix)) {
      const keys = page.filter((key) => key.endsWith(suffix));
      // One call for a page: a call for each row takes ten times as long.
      const rows = await this.#ledger.getMany(space, keys);
      for (const [at, key] of keys.entries()) yield [key, rows[at]];
    }
  }

  async *#keys(space: Space, prefix: string): AsyncGenerator<string> {
    for await (const page of this.#pages(space, prefix)) yield* page;
  }

  async *#pages(space: Space, prefix: string): AsyncGenerator<readonly string[]> {
    for (let after = prefix; ; ) {
      const keys = await this.#ledger.keysAfter(space, prefix, after, pageKeys);
      await this.#slices.pause();
      yield keys;
      const last = keys.at(-1);
      if (last === undefined || keys.length < pageKeys) return;
      after = last;
    }
  }
}
