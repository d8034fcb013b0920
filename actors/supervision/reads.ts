import { ZodError } from 'zod';
import { ServiceError } from '../../contract/base/errors.ts';
import { indexed, isIndexPlace } from '../../storage/ledger/keys.ts';
import { type Ledger, LedgerError } from '../../storage/ledger/ledger.ts';
import type { Supervisor } from './supervisor.ts';
import { TimeSlices } from './system-clock.ts';

/**
 * Reads something that was stored before. Damage becomes the 409 that names it: the journal's own codes for a journal,
 * `stored_content_inconsistent` for any row that does not hold what it should.
 */
export function readStored<Value>(read: () => Value): Value {
  try {
    const value = read();
    return value instanceof Promise ? (value.catch(refuseDamage) as Value) : value;
  } catch (error) {
    return refuseDamage(error);
  }
}

function refuseDamage(error: unknown): never {
  if (error instanceof LedgerError) {
    if (error.code === 'invalid_journal_chain') {
      throw new ServiceError(
        'invalid_journal_chain',
        'the journal has a gap, or an entry that does not follow the last',
      );
    }
    if (error.code === 'malformed_journal') {
      throw new ServiceError('malformed_journal', 'an entry of the journal cannot be read');
    }
    if (error.code === 'damaged_row') {
      throw new ServiceError('stored_content_inconsistent', 'a stored row of this resource is damaged');
    }
  }
  if (error instanceof ZodError) {
    throw new ServiceError('stored_content_inconsistent', 'a stored row of this resource has the wrong shape');
  }
  throw error;
}

/**
 * Resolves with the state of an actor once it is outside `underWay`, and on disk. Rejects when its row turns out to be damaged,
 * as `readStored` does.
 */
export function settledActor(supervisor: Supervisor, id: string, underWay: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      try {
        const status = readStored(() => supervisor.read(id))?.status ?? '';
        if (underWay.includes(status)) return;
        resolve(status);
      } catch (error) {
        reject(error);
      }
      unwatch();
    };
    const unwatch = supervisor.watch(id, look);
    look();
  });
}

/**
 * Resolves with the first thing that `read` finds, now or after a commit that `watch` reports; null says that there is nothing
 * yet. Rejects with the reason of `signal` once that aborts, and with whatever `read` throws.
 */
export function untilCommitted<Value>(
  watch: (listener: () => void) => () => void,
  read: () => Promise<Value | null>,
  signal: AbortSignal,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      unwatch();
      signal.removeEventListener('abort', stop);
      end();
    };
    const stop = () => settle(() => reject(signal.reason));
    const look = () => {
      read().then(
        (value) => value !== null && settle(() => resolve(value)),
        (error) => settle(() => reject(error)),
      );
    };
    const unwatch = watch(look);
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    else look();
  });
}

/** A page of a list as a client asks for it: what comes after `after`, from the newest on where that is null. */
export interface PageRequest {
  readonly after: string | null;
  readonly limit: number;
}

/** A page of a list; `nextCursor` is null at its end. */
export interface NewestFirst<Row> {
  readonly rows: Row[];
  readonly damaged: string[];
  readonly nextCursor: string | null;
}

/** So many are looked at for one page, whatever it looks for: a page costs the same however long the list is. */
const lookedAtForAPage = 512;
const batch = 64;

const slices = new TimeSlices();

/**
 * Reads a page of some scopes of the index, as if they were one. `rowOf` gives null for what does not belong into the list, and
 * throws `stored_content_inconsistent` for what is damaged. A page whose time is up ends early, after one entry at least. Throws
 * `invalid_cursor`.
 */
export async function newestFirst<Row>(
  ledger: Ledger,
  scopes: readonly string[],
  { after, limit }: PageRequest,
  rowOf: (id: string, startedAt: number, scope: string) => Row | null | Promise<Row | null>,
  isTimeUp: () => boolean = () => false,
): Promise<NewestFirst<Row>> {
  if (after !== null && !isIndexPlace(after)) throw new ServiceError('invalid_cursor', 'not a cursor of this list');
  const rows: Row[] = [];
  const damaged: string[] = [];
  let place = after ?? '';
  for (let lookedAt = 0; lookedAt < lookedAtForAPage; lookedAt += batch) {
    const entries = await entriesAfter(ledger, scopes, place);
    for (const entry of entries) {
      const isLast = rows.length + damaged.length === limit || (place !== (after ?? '') && isTimeUp());
      if (isLast) return { rows, damaged, nextCursor: place };
      place = entry.place;
      const { id, startedAt } = indexed(place);
      const row = await readable(() => rowOf(id, startedAt, entry.scope));
      if (row === undefined) damaged.push(id);
      else if (row !== null) rows.push(row);
      await slices.pause();
    }
    if (entries.length < batch) return { rows, damaged, nextCursor: null };
  }
  return { rows, damaged, nextCursor: place };
}

interface Entry {
  readonly scope: string;
  readonly place: string;
}

/** The next entries of all scopes together, at most a batch. */
async function entriesAfter(ledger: Ledger, scopes: readonly string[], place: string): Promise<Entry[]> {
  const found = await Promise.all(
    scopes.map(async (scope) => {
      const keys = await ledger.keysAfter('index', `${scope}/`, `${scope}/${place}`, batch);
      return keys.map((key): Entry => ({ scope, place: key.slice(scope.length + 1) }));
    }),
  );
  const entries = found.flat();
  if (scopes.length > 1) entries.sort((one, other) => (one.place < other.place ? -1 : 1));
  return entries.slice(0, batch);
}

/** Undefined for what is damaged. */
async function readable<Row>(read: () => Row | Promise<Row>): Promise<Row | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'stored_content_inconsistent') return undefined;
    throw error;
  }
}
