import type { StateValue } from 'xstate';
import { z } from 'zod';
import { type Failure, ServiceError } from '../../contract/base/errors.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import { indexKey } from '../../storage/ledger/keys.ts';
import type { Ledger, Write } from '../../storage/ledger/ledger.ts';
import type { HostBasis } from '../host-basis.ts';
import { requireSpace } from '../sources/required-space.ts';
import type { ActorDefinition } from '../supervision/actor-definition.ts';
import { isRowOf, type RowOf } from '../supervision/actor-row.ts';
import { absentIngest } from '../supervision/deletion-rows.ts';
import { type NewestFirst, newestFirst, type PageRequest, readStored } from '../supervision/reads.ts';

const revisionRow = z.strictObject({ revisionId: z.string() });

/** The key of the revision that an ingest led to. */
export const revisionKey = (ingestId: string): string => `ingest/${ingestId}/revision`;

/** The revision that an ingest led to; undefined before it is registered. */
function revisionOf(ledger: Ledger, ingestId: string): string | undefined {
  const row = ledger.get('record', revisionKey(ingestId));
  return row === undefined ? undefined : revisionRow.parse(row).revisionId;
}

/** Ingests that may be open at once, of all kinds together; more are refused until some end. */
export const openIngestLimit = 1000;

/** The kinds of actor that are ingests. */
export const ingestKindNames = ['owned-ingest', 'videohost-ingest'] as const;
export type IngestKind = (typeof ingestKindNames)[number];

interface IngestServiceOptions extends Pick<HostBasis, 'ledger' | 'objectStore' | 'registry' | 'supervisor'> {
  readonly definition: ActorDefinition<IngestKind>;
}

/** The opening of an ingest beside its input. */
interface Opening {
  readonly bytes: number;
  readonly openedAt: number;
}

/** The state of an ingest of any kind, as its status answers it. */
interface IngestState {
  readonly status: string;
  /** UTC with milliseconds. */
  readonly updatedAt: string;
  readonly source: SourceSessionRow | null;
  readonly failure: Failure | null;
}

/** The ingests of one kind, as a stream follows them. */
export interface FollowedIngests {
  /** The status document. Throws `unknown_ingest`, `source_deleted`, and the refusal of a kind that is off. */
  status(ingestId: string): object;
  /** Calls back after each commit of an ingest, until the returned function is called. */
  watch(ingestId: string, wake: () => void): () => void;
}

/** The state of an ingest as clients name it: its sub-states are not shown. */
export const ingestState = (value: StateValue): string =>
  typeof value === 'string' ? value : (Object.keys(value)[0] ?? '');

/** The common operations of the services of all kinds of ingest: open within the limits, find, answer, cancel. */
export class IngestService {
  readonly #options: IngestServiceOptions;

  constructor(options: IngestServiceOptions) {
    this.#options = options;
  }

  /** Opens an ingest whose media may take so many bytes; resolves when it is on disk. `openedAt` is epoch ms. */
  async open(ingestId: string, input: object, { bytes, openedAt }: Opening): Promise<void> {
    const { supervisor, definition, objectStore } = this.#options;
    await requireSpace(objectStore, bytes);
    // Counted in the same turn in which the new one joins: those that arrive together see each other.
    const open = ingestKindNames.reduce((count, name) => count + supervisor.countLive(name), 0);
    if (open >= openIngestLimit) {
      throw new ServiceError('ingest_capacity', `at most ${openIngestLimit} ingests may be open at once`);
    }
    const entry: Write = { put: 'index', key: indexKey(definition.name, openedAt, ingestId), value: true };
    await supervisor.spawn(definition, ingestId, input, [entry]);
  }

  /** A page of the ingests of this kind, newest first; `rowOf` makes the entry of each. Throws `invalid_cursor`. */
  page<Row>(request: PageRequest, rowOf: (ingestId: string) => Row): Promise<NewestFirst<Row>> {
    const { ledger, supervisor, definition } = this.#options;
    return newestFirst(ledger, [definition.name], request, (ingestId) =>
      readStored(() => (supervisor.read(ingestId) === undefined ? null : rowOf(ingestId))),
    );
  }

  /** The newest committed row of an ingest of this kind. Throws `unknown_ingest` and `source_deleted`. */
  row(ingestId: string): RowOf<IngestKind> {
    const row = readStored(() => this.#options.supervisor.read(ingestId));
    if (!isRowOf(row, this.#options.definition.name)) {
      throw absentIngest(this.#options.ledger, ingestId);
    }
    return row;
  }

  state(ingestId: string): IngestState {
    const { ledger, registry } = this.#options;
    const { status, updatedAt, snapshot } = this.row(ingestId);
    const revisionId = status === 'registered' ? readStored(() => revisionOf(ledger, ingestId)) : undefined;
    const source = revisionId === undefined ? undefined : registry.revision(revisionId);
    return {
      status,
      updatedAt: new Date(updatedAt).toISOString(),
      source: source === undefined ? null : registry.rowOf(source),
      failure: snapshot.context.failure,
    };
  }

  /** Calls back after each commit of an ingest, until the returned function is called. */
  watch(ingestId: string, listener: () => void): () => void {
    return this.#options.supervisor.watch(ingestId, listener);
  }

  /** Cancels an ingest that has not ended. Throws `unknown_ingest`, `ingest_already_terminal`. */
  async cancel(ingestId: string): Promise<void> {
    this.row(ingestId);
    const canceled = await this.#options.supervisor.send(ingestId, { type: 'ingest.cancel' });
    if (!canceled) throw new ServiceError('ingest_already_terminal', 'the ingest has ended already');
  }
}
