import type { StateValue } from 'xstate';
import { ZodError, z } from 'zod';
import { registeredSource } from '../../contract/sources/source-session.ts';
import { runtimeId as runtimeIdShape } from '../../contract/study/runtime-start.ts';
import { lifecycle as lifecycleName, runtimeReason } from '../../contract/study/runtime-status.ts';
import { EvidenceChainError } from '../../receipts/core/evidence-chain-error.ts';
import type { StoredRuntime } from '../../receipts/reopening/reopen-runtime.ts';
import type { JournalHead, JournalPage, Ledger, Space } from '../../storage/ledger/ledger.ts';
import { isJournalDamage, LedgerError } from '../../storage/ledger/ledger-error.ts';
import { lifecycleOf, studyChart, studyKey, studyRow } from '../study/study-row.ts';
import { actorRow } from '../supervision/actor-row.ts';
import { upgradedRow } from '../supervision/upgraded-row.ts';

const pageEvents = 500;

/** The row of a runtime's actor, as far as its journal has to agree with it; of whatever version of the chart. */
const runtimeRow = actorRow
  .transform((row) => upgradedRow(studyChart, row))
  .pipe(
    actorRow.extend({
      kind: z.literal('runtime'),
      status: lifecycleName,
      snapshot: z.looseObject({
        value: z.custom<StateValue>(
          (value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
        ),
        context: z.looseObject({ reason: runtimeReason.nullable() }),
      }),
    }),
  );

/** Reads a row of the ledger. Throws `EvidenceChainError` of the row `name` when it is damaged or has another shape. */
export function readRow<Value>(name: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof LedgerError && error.code === 'damaged_row') {
      throw new EvidenceChainError('row', `${name}: damaged`, error);
    }
    if (!(error instanceof ZodError)) throw error;
    throw new EvidenceChainError('row', [name, ...(error.issues[0]?.path ?? [])].join('.'), error);
  }
}

interface RowPlace {
  readonly name: string;
  readonly space: Space;
  readonly key: string;
}

const found = (ledger: Ledger, { name, space, key }: RowPlace): unknown => readRow(name, () => ledger.get(space, key));

function parsed<Schema extends z.ZodType>(ledger: Ledger, place: RowPlace, schema: Schema): z.infer<Schema> {
  const row = found(ledger, place);
  if (row === undefined) throw new EvidenceChainError('row', `${place.name}: missing`);
  return readRow(place.name, () => schema.parse(row));
}

async function wholeJournal(ledger: Ledger, runtimeId: string): Promise<JournalPage> {
  const events: Uint8Array[] = [];
  for (;;) {
    const page = await ledger.journalPage(runtimeId, events.length, pageEvents);
    events.push(...page.events);
    if (events.length >= page.head.seq) return { events, head: page.head };
  }
}

/** Runs a read of a journal. Throws `EvidenceChainError` of the journal when it is not whole. */
export async function readJournalOf<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (!isJournalDamage(error)) throw error;
    throw new EvidenceChainError('journal', error.message, error);
  }
}

/** Whether the ledger holds anything of a runtime, be it what is left of a damaged one. */
async function isKnown(ledger: Ledger, runtimeId: string): Promise<boolean> {
  if (!runtimeIdShape.safeParse(runtimeId).success) return false;
  if (found(ledger, placesOf(runtimeId).start) !== undefined) return true;
  if (found(ledger, placesOf(runtimeId).snapshot) !== undefined) return true;
  return (await readJournalOf(async () => ledger.journalHead(runtimeId))).seq > 0;
}

const placesOf = (runtimeId: string) =>
  ({
    snapshot: { name: 'snapshot', space: 'snapshot', key: runtimeId },
    start: { name: 'start', space: 'record', key: studyKey(runtimeId) },
  }) as const satisfies Record<string, RowPlace>;

/**
 * Everything that the ledger holds of a runtime; null when it holds nothing of it. Throws `EvidenceChainError` for rows
 * that are missing or damaged, and for a journal that is not whole.
 */
export async function readStoredRuntime(
  ledger: Ledger,
  runtimeId: string,
): Promise<{ readonly runtime: StoredRuntime; readonly head: JournalHead } | null> {
  if (!(await isKnown(ledger, runtimeId))) return null;
  const places = placesOf(runtimeId);
  const { snapshot, status } = parsed(ledger, places.snapshot, runtimeRow);
  if (lifecycleOf(snapshot.value) !== status) throw new EvidenceChainError('row', 'snapshot.status');
  const start = parsed(ledger, places.start, studyRow);
  const { revisionId } = start.record.sourceSession;
  const source = parsed(ledger, { name: 'source', space: 'source', key: revisionId }, registeredSource);
  // What is on disk of the row is on disk of the journal: its head must not be an older one.
  await ledger.durable();
  const journal = await readJournalOf(() => wholeJournal(ledger, runtimeId));
  const { reason } = snapshot.context;
  return {
    runtime: { runtimeId, start, source, events: journal.events, lifecycle: status, reason },
    head: journal.head,
  };
}
