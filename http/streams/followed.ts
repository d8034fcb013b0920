import { ServiceError } from '../../contract/base/service-error.ts';
import { maximumFollowed } from '../../contract/journal/event-stream.ts';
import { decimal } from '../exchange/query-values.ts';

/** What a client has a stream follow. */
export interface Followed {
  readonly runtimes: readonly { readonly runtimeId: string; readonly after: number }[];
  readonly ingests: readonly string[];
}

/**
 * What a query names, with the cursors of `last`, the last event's id, in the place of its own. Throws
 * `invalid_subscription`, `invalid_cursor`.
 */
export function followedBy(query: ReadonlyMap<string, string>, last: string | null): Followed {
  const ingests = namesIn(query, 'ingests');
  const named = namesIn(query, 'runtimes').map((name) => {
    const [runtimeId = '', cursor = '0', ...others] = name.split('@');
    if (runtimeId === '' || others.length > 0) throw refused(`${name} is not a runtime with its cursor`);
    return { runtimeId, after: decimal(cursor, 'invalid_cursor') };
  });
  const ids = [...named.map(({ runtimeId }) => runtimeId), ...ingests];
  if (ids.length === 0) throw refused('the query names nothing to follow');
  if (ids.length > maximumFollowed) throw refused(`the query names more than ${maximumFollowed}`);
  if (new Set(ids).size < ids.length) throw refused('the query names one twice');
  if (last === null) return { runtimes: named, ingests };
  const cursors = last.split(',').map((cursor) => decimal(cursor, 'invalid_cursor'));
  if (cursors.length !== named.length) {
    throw new ServiceError('invalid_cursor', 'Last-Event-ID has not one cursor for each runtime of the query');
  }
  return { runtimes: named.map(({ runtimeId }, at) => ({ runtimeId, after: cursors[at] ?? 0 })), ingests };
}

function namesIn(query: ReadonlyMap<string, string>, key: string): string[] {
  const names = query.get(key)?.split(',') ?? [];
  if (names.includes('')) throw refused(`${key} has an empty name`);
  return names;
}

const refused = (message: string) => new ServiceError('invalid_subscription', message);
