import { ServiceError } from '../../contract/base/errors.ts';
import { indexed, isIndexPlace } from '../../storage/ledger/keys.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import { TimeSlices } from './time-slices.ts';

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
 * throws `stored_content_inconsistent` for what is damaged. Throws `invalid_cursor`.
 */
export async function newestFirst<Row>(
  ledger: Ledger,
  scopes: readonly string[],
  { after, limit }: PageRequest,
  rowOf: (id: string, startedAt: number, scope: string) => Row | null | Promise<Row | null>,
): Promise<NewestFirst<Row>> {
  if (after !== null && !isIndexPlace(after)) throw new ServiceError('invalid_cursor', 'not a cursor of this list');
  const rows: Row[] = [];
  const damaged: string[] = [];
  let place = after ?? '';
  for (let lookedAt = 0; lookedAt < lookedAtForAPage; lookedAt += batch) {
    const entries = await entriesAfter(ledger, scopes, place);
    for (const entry of entries) {
      if (rows.length + damaged.length === limit) return { rows, damaged, nextCursor: place };
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
