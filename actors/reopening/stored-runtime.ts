import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { StateValue } from 'xstate';
import { ZodError, z } from 'zod';
import type { JournalEvent } from '../../contract/journal.ts';
import { registeredSource } from '../../contract/sources/source-session.ts';
import { runtimeId as runtimeIdShape } from '../../contract/study/start.ts';
import { lifecycle as lifecycleName, runtimeReason } from '../../contract/study/status.ts';
import { canonicalJson } from '../../formats/canonical-json.ts';
import { countText } from '../../formats/readable-numbers.ts';
import { EvidenceChainError, type ReportLink } from '../../receipts/evidence-chain.ts';
import type { FoldPorts, StoredRuntime, VerifiedRuntime, VerifiedTail } from '../../receipts/fold.ts';
import { type EncodedAs, type JournalPosition, readEvent } from '../../receipts/journal.ts';
import { type StoredContent, shapeFault } from '../../receipts/stored-records.ts';
import {
  isJournalDamage,
  type Ledger,
  LedgerError,
  type Space,
  type StoredJournalHead,
} from '../../storage/ledger/ledger.ts';
import { actorRow, upgradedRow } from '../supervision/actor-row.ts';
import { lifecycleOf, studyChart, studyKey, studyRow } from './study-row.ts';

/** An actor of a later stage of a runtime, by the name and the id of its row. */
export interface LaterActor {
  readonly name: 'caption' | 'explanation';
  readonly id: string;
}

/**
 * Where everything that is stored of runtimes is read from while no host writes it: a data root, or a bundle. Each read
 * throws `EvidenceChainError` for what is missing or damaged.
 */
export interface RuntimeStore {
  /** The stored files, hashed by who reads them. */
  readonly content: StoredContent;
  /** Reads the whole journal and checks sequence, chain, times and head. */
  verifyJournal(runtimeId: string): Promise<StoredJournalHead>;
  /** The content of the rows; null if nothing is stored of the runtime. */
  readStored(runtimeId: string): Promise<StoredRuntime | null>;
  readEvents(runtimeId: string): Promise<readonly JournalEvent[]>;
  /** The state in the row of an actor. */
  statusOf(actor: LaterActor): string;
}

// In characters of their texts; a study of the sample has 87 KiB of events.
const rememberedText = 1024 * 1024;

/**
 * The events that this process encoded last, by their texts. Each stage of a study reads the events of the stage before from the
 * ledger. The same text is the same event, so it is not parsed again.
 */
export class EncodedEvents {
  readonly #events = new LRUCache<string, JournalEvent>({
    maxSize: rememberedText,
    sizeCalculation: (_event, text) => text.length,
  });

  /** The canonical JSON of an event of the ledger. The maker of its draft checked it by the schema of its type. */
  readonly encode = (event: unknown): string => {
    const text = canonicalJson(event);
    this.#events.set(text, event as JournalEvent);
    return text;
  };

  /** The event that this process encoded as this text. */
  readonly of = (text: string): JournalEvent | undefined => this.#events.get(text);

  /** Must be called after a deletion: the events of a deleted journal go as well. */
  clear(): void {
    this.#events.clear();
  }
}

// A page is checked against the chain in one go, which takes about a millisecond.
const pageEvents = 32;

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

/** The shapes of the rows that every reopening begins with. */
export const rowShapes = [runtimeRow, studyRow, registeredSource] as const;

/** Reads a row of the ledger. Throws `EvidenceChainError` of the row `name` when it is damaged or has another shape. */
export function readRow<Value>(name: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof LedgerError && error.code === 'damaged_row') {
      throw new EvidenceChainError('row', `${name}: damaged`, error);
    }
    if (!(error instanceof ZodError)) throw error;
    throw new EvidenceChainError('row', `${name}.${shapeFault(error)}`, error);
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

/** Runs a read of a journal. Throws `EvidenceChainError` of the journal when it is not whole. */
export async function readJournalOf<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (!isJournalDamage(error)) throw error;
    throw new EvidenceChainError('journal', error.message, error);
  }
}

/** Events of a journal as they were read, and where it ended then. */
interface JournalPart {
  readonly events: readonly JournalEvent[];
  /** Length of what was read. */
  readonly bytes: number;
  readonly head: StoredJournalHead;
}

/**
 * Reads the events of a journal after a position, page by page, up to its head on disk: those of whole commits. Throws
 * `EvidenceChainError` of the journal.
 */
export async function readEventsAfter(
  ledger: Ledger,
  runtimeId: string,
  position: JournalPosition,
  pause: FoldPorts['pause'],
  encoded?: EncodedAs,
): Promise<JournalPart> {
  const events: JournalEvent[] = [];
  let last = position;
  let bytes = 0;
  for (;;) {
    const page = await readJournalOf(() => ledger.journalPage(runtimeId, last.seq, pageEvents));
    for (const stored of page.events) {
      const event = readEvent(runtimeId, last, stored, encoded);
      events.push(event);
      bytes += stored.length;
      last = event;
      await pause();
    }
    if (last.seq >= page.head.seq) return { events, bytes, head: page.head };
  }
}

/** True if the ledger holds anything of a runtime, even the rest of a damaged one. */
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

/** As `parsed`, for a row that never changes: `known` is what it held before, which is given back while it holds the same. */
function parsedOnce<Schema extends z.ZodType>(
  ledger: Ledger,
  place: RowPlace,
  schema: Schema,
  known: z.infer<Schema> | undefined,
): z.infer<Schema> {
  if (known !== undefined && isDeepStrictEqual(found(ledger, place), known)) return known;
  return parsed(ledger, place, schema);
}

/**
 * The rows of a runtime in the ledger; null if it has none. When this resolves, the journal of these rows is on disk. `pause`
 * lets other work run between the rows, and `known` is the earlier result. Throws `EvidenceChainError` for rows that are missing
 * or damaged, and for an incomplete journal.
 */
export async function readStoredRuntime(
  ledger: Ledger,
  runtimeId: string,
  pause: FoldPorts['pause'] = () => undefined,
  known: StoredRuntime | null = null,
): Promise<StoredRuntime | null> {
  if (known === null && !(await isKnown(ledger, runtimeId))) return null;
  const places = placesOf(runtimeId);
  const { snapshot, status } = parsed(ledger, places.snapshot, runtimeRow);
  if (lifecycleOf(snapshot.value) !== status) throw new EvidenceChainError('row', 'snapshot.status');
  await pause();
  const start = parsedOnce(ledger, places.start, studyRow, known?.start);
  await pause();
  const { revisionId } = start.record.sourceSession;
  const place = { name: 'source', space: 'source', key: revisionId } as const;
  const source = parsedOnce(ledger, place, registeredSource, known?.source);
  await ledger.durable();
  return { runtimeId, start, source, lifecycle: status, reason: snapshot.context.reason };
}

/** An actor that the journal mentions, with the possible states of its row. Work under way has not been written down yet. */
interface ExpectedActor extends LaterActor {
  readonly statuses: readonly string[];
}

function expectedActors({ captions, explanations }: VerifiedTail): ExpectedActor[] {
  const expected: ExpectedActor[] = [];
  if (captions.caption !== null) {
    const { reference, qualityControl } = captions.caption;
    const statuses = qualityControl === null ? ['checking', 'unchecked'] : ['checked'];
    expected.push({ name: 'caption', id: reference.jobId, statuses });
  }
  for (const { jobId, state } of explanations.attempts) {
    expected.push({ name: 'explanation', id: jobId, statuses: [state] });
  }
  return expected;
}

/** The actors of a runtime's later stages whose rows its journal speaks of. */
export const laterActorsOf = ({ execution }: VerifiedRuntime): readonly ExpectedActor[] =>
  execution === null ? [] : expectedActors(execution.study.tail);

function statusOf(store: Pick<RuntimeStore, 'statusOf'>, { name, id, statuses }: ExpectedActor): string {
  const status = store.statusOf({ name, id });
  if (!statuses.includes(status)) throw new EvidenceChainError('row', `${name}.status`);
  return status;
}

/**
 * Compares the rows of the actors of a runtime's later stages, which decide what may still be done, with the journal. Throws
 * `EvidenceChainError` of the row.
 */
export function checkActorRows(
  store: Pick<RuntimeStore, 'statusOf'>,
  runtime: VerifiedRuntime,
  report: ReportLink,
): void {
  const expected = laterActorsOf(runtime);
  const statuses = expected.map((actor) => statusOf(store, actor));
  for (const [at, { name }] of expected.entries()) {
    if (name === 'explanation') continue;
    report({ link: 'row', subject: name, contentId: null, detail: statuses[at] ?? '' });
  }
  const explanations = expected.filter(({ name }) => name === 'explanation').length;
  if (explanations === 0) return;
  report({ link: 'row', subject: 'explanations', contentId: null, detail: countText(explanations, 'row') });
}
