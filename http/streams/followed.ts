import { ServiceError } from '../../contract/base/service-error.ts';
import { everyActor, maximumFollowed } from '../../contract/journal/event-stream.ts';
import { decimal } from '../exchange/query-values.ts';

/** Something that is followed from a place on: the number of the last event that the client has. */
export interface Placed {
  readonly id: string;
  /** Null where the client names none. */
  readonly after: number | null;
}

/** What a client has a stream follow. */
export interface Followed {
  readonly runtimes: readonly Placed[];
  readonly ingests: readonly string[];
  /** Single actors, or `everyActor` alone. */
  readonly actors: readonly Placed[];
}

/**
 * What a query names, with the cursors of `last`, the last event's id, in the place of its own: those of the runtimes, then
 * those of the actors. Throws `invalid_subscription`, `invalid_cursor`.
 */
export function followedBy(query: ReadonlyMap<string, string>, last: string | null): Followed {
  const ingests = namesIn(query, 'ingests');
  const [runtimes, actors] = [placedIn(query, 'runtimes'), placedIn(query, 'actors')];
  const placed = [...runtimes, ...actors];
  const count = placed.length + ingests.length;
  if (count === 0) throw refused('the query names nothing to follow: runtimes, ingests or actors are missing');
  if (count > maximumFollowed) throw refused(`the query names more than ${maximumFollowed}`);
  // A study is followed by its journal and by its transitions.
  for (const ids of [[...runtimes.map(({ id }) => id), ...ingests], actors.map(({ id }) => id)]) {
    if (new Set(ids).size < ids.length) throw refused('the query names one twice');
  }
  if (actors.length > 1 && actors.some(({ id }) => id === everyActor)) {
    throw refused(`actors names others beside ${everyActor}`);
  }
  if (last === null) return { runtimes, ingests, actors };
  const cursors = last.split(',').map((cursor) => decimal(cursor, 'invalid_cursor'));
  if (cursors.length !== placed.length) {
    throw new ServiceError(
      'invalid_cursor',
      'Last-Event-ID has not one cursor for each runtime and actor of the query',
    );
  }
  const resumed = placed.map(({ id }, at) => ({ id, after: cursors[at] ?? null }));
  return { runtimes: resumed.slice(0, runtimes.length), ingests, actors: resumed.slice(runtimes.length) };
}

function placedIn(query: ReadonlyMap<string, string>, key: string): Placed[] {
  return namesIn(query, key).map((name) => {
    const [id = '', cursor, ...others] = name.split('@');
    if (id === '' || others.length > 0) throw refused(`${name} is not an id with its cursor`);
    return { id, after: cursor === undefined ? null : decimal(cursor, 'invalid_cursor') };
  });
}

function namesIn(query: ReadonlyMap<string, string>, key: string): string[] {
  const names = query.get(key)?.split(',') ?? [];
  if (names.includes('')) throw refused(`${key} has an empty name`);
  return names;
}

const refused = (message: string) => new ServiceError('invalid_subscription', message);
