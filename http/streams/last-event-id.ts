import { z } from 'zod';
import { ServiceError } from '../../contract/base/service-error.ts';
import type { RequestHead } from '../listener/listener.ts';

/** What a client of a stream says in its head, for descriptions. */
export const streamHeaders = {
  'Last-Event-ID': z
    .string()
    .describe('the id of the last event that a client of a stream has; browsers send it, and it wins over the query'),
};

/** The id after which a client goes on; null where it names none. Throws `invalid_cursor` where it names several. */
export function lastEventId(head: RequestHead): string | null {
  const id = head.header('last-event-id');
  if (id === undefined) return null;
  if (head.count('last-event-id') !== 1) throw new ServiceError('invalid_cursor', 'Last-Event-ID stands twice');
  return id;
}
