import { z } from 'zod';
import { isSameName } from '../../contract/base/grammar.ts';
import { hasEnded, type Lifecycle, type RuntimeRow, type Runtimes } from '../../contract/study/status.ts';
import { indexed, indexKey } from '../../storage/ledger/keys.ts';
import type { Ledger, Write } from '../../storage/ledger/ledger.ts';
import type { HostBasis } from '../host-basis.ts';
import { checkedRuntimeRow, lifecycleOf, reasonOf, studyKey, studyRow } from '../reopening/study-row.ts';
import { isRowOf, snapshotValue } from '../supervision/actor-row.ts';
import { absentSource } from '../supervision/deletion-rows.ts';
import { newestFirst, type PageRequest, readStored } from '../supervision/reads.ts';

export interface RuntimeListRequest extends PageRequest {
  readonly sourceSessionId: string | null;
  readonly lifecycle: Lifecycle | null;
  /** The label of the source, as a whole, in any form of Unicode. */
  readonly label: string | null;
}

type ListedRuntimesOptions = Pick<HostBasis, 'ledger' | 'registry' | 'supervisor'>;

const pageKeys = 512;

const everyRuntime = 'runtime';
const runtimesOf = (sourceSessionId: string): string => `session/${sourceSessionId}`;

/** Enters a study into the list; belongs into the commit of its first snapshot. */
export const listingWrites = (runtimeId: string, sourceSessionId: string, acceptedAt: number): Write[] =>
  [everyRuntime, runtimesOf(sourceSessionId)].map((scope) => ({
    put: 'index',
    key: indexKey(scope, acceptedAt, runtimeId),
    value: true,
  }));

/** The ids of all studies of a source, newest first. */
export async function listedOf(ledger: Ledger, sourceSessionId: string): Promise<string[]> {
  const prefix = `${runtimesOf(sourceSessionId)}/`;
  const ids: string[] = [];
  for (let after = prefix; ; ) {
    const keys = await ledger.keysAfter('index', prefix, after, pageKeys);
    ids.push(...keys.map((key) => indexed(key.slice(prefix.length)).id));
    const last = keys.at(-1);
    if (last === undefined || keys.length < pageKeys) return ids;
    after = last;
  }
}

// The part of a study that a list shows; the rest is not checked here.
const listed = z.object({
  record: z.object({
    commandId: z.string(),
    startedAt: z.string(),
    sourceSession: z.object({ sessionId: z.string(), revisionId: z.string() }),
    analysisRequest: studyRow.shape.record.shape.analysisRequest.pick({ range: true }).strip(),
  }),
});

/** The list of all studies, newest first. */
export class ListedRuntimes {
  readonly #options: ListedRuntimesOptions;

  constructor(options: ListedRuntimesOptions) {
    this.#options = options;
  }

  /** One page. Throws `invalid_cursor`, and `unknown_source_session` or `source_deleted` for such a source in the request. */
  async page(request: RuntimeListRequest): Promise<Runtimes> {
    const { ledger, registry } = this.#options;
    const { sourceSessionId, lifecycle, label, after } = request;
    const scope = sourceSessionId === null ? everyRuntime : runtimesOf(sourceSessionId);
    const { rows, damaged, nextCursor } = await newestFirst(ledger, [scope], request, (runtimeId) => {
      const row = this.row(runtimeId);
      const isAsked =
        row !== null &&
        (lifecycle ?? row.lifecycle) === row.lifecycle &&
        (label === null || (row.label !== null && isSameName(label, row.label)));
      return isAsked ? row : null;
    });
    const isNothing = rows.length + damaged.length === 0 && after === null && nextCursor === null;
    if (isNothing && sourceSessionId !== null && registry.current(sourceSessionId) === undefined) {
      const [known] = await ledger.keysAfter('index', `${scope}/`, `${scope}/`, 1);
      if (known === undefined) throw absentSource(ledger, sourceSessionId);
    }
    return { schema: 'studio.local-runtimes.v1', runtimes: rows, damaged, nextCursor };
  }

  /** The row of one study; null if there is none. Throws `stored_content_inconsistent`. */
  row(runtimeId: string): RuntimeRow | null {
    const { ledger, supervisor, registry } = this.#options;
    return readStored(() => {
      const row = supervisor.read(runtimeId);
      if (!isRowOf(row, 'runtime')) return null;
      const actor = checkedRuntimeRow(row);
      const { record } = listed.parse(ledger.get('record', studyKey(runtimeId)));
      const { sessionId, revisionId } = record.sourceSession;
      const source = registry.revision(revisionId);
      const lifecycle = lifecycleOf(snapshotValue(actor));
      return {
        runtimeId,
        commandId: record.commandId,
        sourceSessionId: sessionId,
        sourceRevisionId: revisionId,
        label: source === undefined ? null : registry.labelOf(source),
        range: record.analysisRequest.range,
        lifecycle,
        acceptedAt: record.startedAt,
        lastTransitionAt: new Date(actor.updatedAt).toISOString(),
        reason: reasonOf(actor),
        terminal: hasEnded(lifecycle),
      };
    });
  }
}
