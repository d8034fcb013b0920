import type { ClassicLevel } from 'classic-level';
import { z } from 'zod';
import { auditJournal } from './journal-reader.ts';
import { commitKey, entryOf, everythingRange, formatKey, headKey, indexed, nameOf, rowRange } from './keys.ts';
import { LedgerError, type Space } from './ledger.ts';
import { storeFormats } from './migrate-store.ts';
import { formatOf, openDatabase } from './open-database.ts';
import { decodeOrMark, decodeRow, storedPages } from './row-codec.ts';

/** A check of the records whose keys begin with `prefix`: says in words what is wrong with them. A damaged one is a `DamagedRow`. */
export interface RecordCheck {
  readonly prefix: string;
  faultsOf(records: ReadonlyMap<string, unknown>): string[];
}

/**
 * The faults of the rows and the journals of a ledger that no host uses, in words. They are unreadable rows, misplaced ones, and
 * ones that name something missing. Losses that were given up do not count again: they are withheld. Its files must be whole.
 * Nothing for an older format, which lacks rows that this one has. Throws the errors of `openDatabase`.
 */
export async function damagedRowsOf(directory: string, records: RecordCheck): Promise<string[]> {
  const database = await openDatabase(directory);
  try {
    if (formatOf(database) !== storeFormats.newest) return [];
    return [...(await examineRows(database)), ...records.faultsOf(await recordsOf(database, records.prefix))];
  } finally {
    await database.close();
  }
}

async function examineRows(database: ClassicLevel<Buffer, Buffer>): Promise<string[]> {
  const faults: string[] = [];
  const relations = new RowRelations();
  const runs = new Set<string>();
  for await (const page of storedPages(database, everythingRange)) {
    for (const [key, row] of page) examineRow(key, row, { faults, relations, runs });
  }
  const unproven = new Set((await database.keys(rowRange('unproven', '')).all()).map(nameOf));
  for (const run of runs) {
    if (unproven.has(run)) continue;
    // A run that is being erased has lost its head already.
    if (relations.isDeleted(run) && database.getSync(headKey(run)) === undefined) continue;
    faults.push(...(await journalFaults(database, run)));
  }
  // The missing rows may be those that were given up.
  return unproven.size === 0 ? [...faults, ...relations.faults()] : faults;
}

async function recordsOf(database: ClassicLevel<Buffer, Buffer>, prefix: string): Promise<Map<string, unknown>> {
  const entries = await database.iterator(rowRange('record', prefix)).all();
  return new Map(entries.map(([key, row]) => [nameOf(key), decodeOrMark(key, row)]));
}

interface Found {
  readonly faults: string[];
  readonly relations: RowRelations;
  readonly runs: Set<string>;
}

function examineRow(key: Buffer, row: Buffer, { faults, relations, runs }: Found): void {
  const entry = entryOf(key);
  if (entry === null) {
    if (!key.equals(formatKey) && !key.equals(commitKey)) faults.push(`unknown key ${key.toString('hex')}`);
    return;
  }
  const { kind } = entry;
  if (kind === 'event' || kind === 'head') {
    runs.add(entry.key);
    return;
  }
  try {
    relations.note(kind, entry.key, decodeRow(key, row));
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    faults.push(error.message);
    // It is there, whatever it says.
    relations.note(kind, entry.key, undefined);
  }
}

async function journalFaults(database: ClassicLevel<Buffer, Buffer>, run: string): Promise<string[]> {
  try {
    await auditJournal(database, run);
    return [];
  } catch (error) {
    if (error instanceof LedgerError) return [error.message];
    throw error;
  }
}

const sessionRow = z.looseObject({ currentRevisionId: z.string() });
const sourceRow = z.looseObject({ session: z.looseObject({ sessionId: z.string() }) });
const deletedRow = z.looseObject({ receiptId: z.string() });
const receiptRow = z.looseObject({
  deleted: z.looseObject({
    kind: z.string(),
    runtimeId: z.string().optional(),
    sourceSessionId: z.string().nullable(),
    ingestIds: z.array(z.string()).optional(),
  }),
});

/** The ids that a receipt of a deletion says are gone. */
function deletedBy(value: unknown): string[] {
  const { data } = receiptRow.safeParse(value);
  if (data === undefined) return [];
  const { kind, runtimeId, sourceSessionId, ingestIds = [] } = data.deleted;
  const own = kind === 'runtime' ? runtimeId : sourceSessionId;
  return [...(typeof own === 'string' ? [own] : []), ...ingestIds];
}

const studyPrefix = 'study/';
/** The lists of actors are named after the kinds of which the ids begin with the same word. */
const listedKinds = ['runtime', 'owned-ingest', 'videohost-ingest', 'caption-production', 'language-explanation'];
/** The lists of records, with the words before the ids of their rows. */
const listedRecords = new Map([
  ['publish-review', 'review/'],
  ['deletion', 'deletion/'],
]);

const kindOf = (id: string): string => id.slice(0, id.indexOf(':'));

/** The references of rows to each other. A row whose counterpart is missing shows a loss without a trace of its own. */
class RowRelations {
  readonly #rows = new Set<string>();
  readonly #listed = new Set<string>();
  readonly #needs: { readonly by: string; readonly row: string }[] = [];
  readonly #lists: { readonly by: string; readonly entry: string }[] = [];
  readonly #gaps: string[] = [];
  readonly #gone: string[] = [];
  #transition = { actor: '', seq: 0 };

  /** Notes a row, in the order of the keys; `value` is undefined where it cannot be read. */
  note(space: Space, key: string, value: unknown): void {
    this.#rows.add(`${space} ${key}`);
    if (space === 'snapshot') this.#noteActor(key);
    else if (space === 'record') this.#noteRecord(key, value);
    else if (space === 'index') this.#noteEntry(key);
    else if (space === 'transition') this.#noteTransition(key);
    else if (space === 'live') this.#need(`live ${key}`, `snapshot ${key}`);
    else if (space === 'session') {
      const { data } = sessionRow.safeParse(value);
      if (data !== undefined) this.#need(`session ${key}`, `source ${data.currentRevisionId}`);
    } else if (space === 'source') {
      const { data } = sourceRow.safeParse(value);
      if (data !== undefined) this.#need(`source ${key}`, `session ${data.session.sessionId}`);
    }
  }

  /** True if this id was deleted. */
  isDeleted(id: string): boolean {
    return this.#rows.has(`record deleted/${id}`);
  }

  /** The missing counterparts, in words, once every row was noted. */
  faults(): string[] {
    return [
      ...this.#needs
        .filter(({ row }) => !this.#rows.has(row))
        .map(({ by, row }) => `${by} needs ${row}, which is missing`),
      ...this.#lists
        .filter(({ entry }) => !this.#listed.has(entry))
        .map(({ by, entry }) => `${by} is missing in the list ${entry.slice(0, entry.indexOf(' '))}`),
      ...this.#gaps,
      // A source may come again; a runtime never does.
      ...this.#gone
        .filter((id) => kindOf(id) === 'runtime' && this.#rows.has(`snapshot ${id}`))
        .map((id) => `${id} was deleted, and is still there`),
    ];
  }

  #need(by: string, row: string): void {
    this.#needs.push({ by, row });
  }

  #noteActor(id: string): void {
    const kind = kindOf(id);
    if (!listedKinds.includes(kind)) return;
    this.#lists.push({ by: `snapshot ${id}`, entry: `${kind} ${id}` });
    if (kind === 'runtime') this.#need(`snapshot ${id}`, `record ${studyPrefix}${id}`);
  }

  #noteRecord(key: string, value: unknown): void {
    const by = `record ${key}`;
    for (const [scope, prefix] of listedRecords) {
      if (key.startsWith(prefix)) this.#lists.push({ by, entry: `${scope} ${key.slice(prefix.length)}` });
    }
    if (key.startsWith('deletion/')) {
      for (const id of deletedBy(value)) this.#need(by, `record deleted/${id}`);
    }
    if (key.startsWith('deleted/')) {
      this.#gone.push(key.slice('deleted/'.length));
      const { data } = deletedRow.safeParse(value);
      if (data !== undefined) this.#need(by, `record deletion/${data.receiptId}`);
    }
    const runtimeId = key.startsWith(studyPrefix) ? key.slice(studyPrefix.length) : '/';
    // Up to version 0.2.0 the steps of a study left rows below its own.
    if (runtimeId.includes('/')) return;
    this.#need(by, `snapshot ${runtimeId}`);
    this.#lists.push({ by, entry: `session ${runtimeId}` });
  }

  #noteEntry(key: string): void {
    const [scope = ''] = key.split('/', 1);
    const { id } = indexed(key.slice(key.lastIndexOf('/', key.lastIndexOf('/') - 1) + 1));
    this.#listed.add(`${scope} ${id}`);
    const prefix = listedRecords.get(scope);
    this.#need(`index ${key}`, prefix === undefined ? `snapshot ${id}` : `record ${prefix}${id}`);
  }

  #noteTransition(key: string): void {
    const at = key.lastIndexOf('/');
    const next = { actor: key.slice(0, at), seq: Number(key.slice(at + 1)) };
    const { actor, seq } = this.#transition;
    if (next.actor === actor && next.seq !== seq + 1) {
      this.#gaps.push(`the transitions of ${actor} have a gap between ${seq} and ${next.seq}`);
    }
    this.#transition = next;
  }
}
