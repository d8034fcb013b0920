import { z } from 'zod';
import { ServiceError } from '../../contract/base/errors.ts';
import type { DeletionReceipt } from '../../contract/deletion.ts';
import { reopenDeletionReceipt } from '../../receipts/deletion.ts';
import type { RecordCheck } from '../../storage/ledger/examine-rows.ts';
import { indexKey } from '../../storage/ledger/keys.ts';
import type { Ledger, Write } from '../../storage/ledger/ledger.ts';
import { readStored } from './reads.ts';

/** The scope of the index that lists deletions. */
export const deletionScope = 'deletion';

const pointer = z.strictObject({ receiptId: z.string(), deletedAt: z.string() });

const receiptPrefix = 'deletion/';
const deletedPrefix = 'deleted/';
const receiptKey = (receiptId: string): string => `${receiptPrefix}${receiptId}`;
const deletedKey = (id: string): string => `${deletedPrefix}${id}`;

/** The rest of a deletion: its receipt, its place in the list, and its address under each deleted id. */
export function receiptWrites(receipt: DeletionReceipt, ids: readonly string[]): Write[] {
  const { receiptId, deletedAt } = receipt;
  return [
    { put: 'record', key: receiptKey(receiptId), value: receipt },
    { put: 'index', key: indexKey(deletionScope, Date.parse(deletedAt), receiptId), value: true },
    ...ids.map((id): Write => ({ put: 'record', key: deletedKey(id), value: { receiptId, deletedAt } })),
  ];
}

/** The ids under which a deletion left a note. */
function idsGone({ deleted }: DeletionReceipt): readonly string[] {
  if (deleted.kind === 'runtime') return [deleted.runtimeId];
  return [deleted.sourceSessionId, ...deleted.sourceRevisionIds, ...deleted.ingestIds];
}

/**
 * Derives the receipt of every deletion again, and holds the notes of what is gone against them; says in words what does not
 * hold. That a receipt is gone, the rows that name it say.
 */
export const tombstoneCheck: RecordCheck = {
  prefix: 'delet',
  faultsOf: (records) =>
    [...records].flatMap(([key, value]) => {
      if (key.startsWith(deletedPrefix)) return noteFaults(key.slice(deletedPrefix.length), value, records);
      const isReceipt = key.startsWith(receiptPrefix);
      const isWhole = !isReceipt || derived(key, value) !== null;
      return isWhole ? [] : [`the receipt ${key.slice(receiptPrefix.length)} does not follow from what it says`];
    }),
};

/** A note that something is gone names a deletion of just that, and when it was. A receipt that is not there, or not whole, is named by itself. */
function noteFaults(id: string, note: unknown, records: ReadonlyMap<string, unknown>): string[] {
  const { data: said } = pointer.safeParse(note);
  if (said === undefined) return [`the note that ${id} was deleted has the wrong shape`];
  const key = receiptKey(said.receiptId);
  const receipt = records.has(key) ? derived(key, records.get(key)) : null;
  if (receipt === null) return [];
  const isSaid = idsGone(receipt).includes(id) && receipt.deletedAt === said.deletedAt;
  return isSaid ? [] : [`the note that ${id} was deleted does not follow from its receipt ${said.receiptId}`];
}

function derived(key: string, stored: unknown): DeletionReceipt | null {
  try {
    const receipt = reopenDeletionReceipt(stored);
    return receiptKey(receipt.receiptId) === key ? receipt : null;
  } catch {
    return null;
  }
}

/** The receipt with this id, derived again; null if there is none. Throws `stored_content_inconsistent`. */
export function readReceipt(ledger: Pick<Ledger, 'get'>, receiptId: string): DeletionReceipt | null {
  return readStored(() => {
    const stored = ledger.get('record', receiptKey(receiptId));
    return stored === undefined ? null : reopenDeletionReceipt(stored);
  });
}

/** The notes of all kinds lie in one space, so that the form of an id tells its kind. */
const idForms = { runtime: /^runtime:/, source: /^source-session:/, ingest: /^(owned|videohost)-ingest:/ } as const;
type Kind = keyof typeof idForms;

/** The receipt of the newest deletion of a thing; null where it was never deleted. Throws `stored_content_inconsistent`. */
export function deletionOf(ledger: Pick<Ledger, 'get'>, kind: Kind, id: string): DeletionReceipt | null {
  if (!idForms[kind].test(id)) return null;
  return readStored(() => {
    const stored = ledger.get('record', deletedKey(id));
    return stored === undefined ? null : readReceipt(ledger, pointer.parse(stored).receiptId);
  });
}

/** The time when an id was deleted, as far as that can be read; null if it was not. */
function deletedAt(ledger: Pick<Ledger, 'get'>, kind: Kind, id: string): string | null {
  if (!idForms[kind].test(id)) return null;
  const stored = readStored(() => ledger.get('record', deletedKey(id)));
  if (stored === undefined) return null;
  return pointer.safeParse(stored).data?.deletedAt ?? 'an unknown time';
}

/** The refusal of a runtime that was deleted; null for one that was not. */
export function deletedRuntimeError(ledger: Pick<Ledger, 'get'>, runtimeId: string): ServiceError | null {
  const at = deletedAt(ledger, 'runtime', runtimeId);
  return at === null ? null : new ServiceError('runtime_deleted', `the runtime was deleted at ${at}`);
}

/** Refuses the id of a runtime that was deleted. It never comes back: the journal of another study is another journal. */
export function refuseDeleted(ledger: Pick<Ledger, 'get'>, runtimeId: string): void {
  const refusal = deletedRuntimeError(ledger, runtimeId);
  if (refusal !== null) throw refusal;
}

/** Why a runtime is not there: it was deleted, or there never was one. */
export const absentRuntime = (ledger: Pick<Ledger, 'get'>, runtimeId: string): ServiceError =>
  deletedRuntimeError(ledger, runtimeId) ?? new ServiceError('unknown_runtime', 'no such runtime');

/** Why a source is not there: it was deleted, or there is none that can be studied. */
export function absentSource(ledger: Pick<Ledger, 'get'>, sessionId: string): ServiceError {
  const at = deletedAt(ledger, 'source', sessionId);
  return at === null
    ? new ServiceError('unknown_source_session', 'no such source session')
    : new ServiceError('source_deleted', `the source was deleted at ${at}`);
}

/** Why an ingest is not there: its source was deleted, and it with that, or there never was one. */
export function absentIngest(ledger: Pick<Ledger, 'get'>, ingestId: string): ServiceError {
  const at = deletedAt(ledger, 'ingest', ingestId);
  return at === null
    ? new ServiceError('unknown_ingest', 'no such ingest')
    : new ServiceError('source_deleted', `the source of this ingest was deleted at ${at}, and the ingest with it`);
}
