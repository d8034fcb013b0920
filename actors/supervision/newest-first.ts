import { ServiceError } from '../../contract/base/service-error.ts';
import { indexed, isIndexPlace } from '../../storage/ledger/index-keys.ts';
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
 * Reads a page of one scope of the index. `rowOf` gives null for what does not belong into the list, and throws
 * `stored_content_inconsistent` for what is damaged. Throws `invalid_cursor`.
 */
export async function newestFirst<Row>(
  ledger: Ledger,
  scope: string,
  { after, limit }: PageRequest,
  rowOf: (id: string, startedAt: number) => Row | null,
): Promise<NewestFirst<Row>> {
  if (after !== null && !isIndexPlace(after)) throw new ServiceError('invalid_cursor', 'not a cursor of this list');
  const rows: Row[] = [];
  const damaged: string[] = [];
  let place = after ?? '';
  for (let lookedAt = 0; lookedAt < lookedAtForAPage; lookedAt += batch) {
    const keys = await ledger.keysAfter('index', `${scope}/`, `${scope}/${place}`, batch);
    for (const key of keys) {
      if (rows.length + damaged.length === limit) return { rows, damaged, nextCursor: place };
      place = key.slice(scope.length + 1);
      const { id, startedAt } = indexed(place);
      const row = readable(() => rowOf(id, startedAt));
      if (row === undefined) damaged.push(id);
      else if (row !== null) rows.push(row);
      await slices.pause();
    }
    if (keys.length < batch) return { rows, damaged, nextCursor: null };
  }
  return { rows, damaged, nextCursor: place };
}

/** Undefined for what is damaged. */
function readable<Row>(read: () => Row): Row | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'stored_content_inconsistent') return undefined;
    throw error;
  }
}
