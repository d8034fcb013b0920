import type { PageRequest } from '../../actors/supervision/newest-first.ts';
import type { ErrorCode } from '../../contract/base/error-codes.ts';
import { longestPage, usualPage } from '../../contract/base/newest-first.ts';
import { ServiceError } from '../../contract/base/service-error.ts';

/** A canonical decimal: no sign, no leading zero, within the safe integers. Throws `code`. */
export function decimal(text: string, code: ErrorCode): number {
  const value = Number(text);
  if (!/^(0|[1-9]\d*)$/.test(text) || !Number.isSafeInteger(value)) {
    throw new ServiceError(code, 'not a canonical decimal number');
  }
  return value;
}

/** The number of entries that a page is asked for. Throws `invalid_cursor`, `invalid_limit`. */
export function limitOf(query: ReadonlyMap<string, string>): number {
  const limit = decimal(query.get('limit') ?? String(usualPage), 'invalid_cursor');
  if (limit === 0) throw new ServiceError('invalid_cursor', 'limit must be at least 1');
  if (limit > longestPage) throw new ServiceError('invalid_limit', `limit must be at most ${longestPage}`);
  return limit;
}

/** The page of a list that a query asks for. */
export const pageOf = (query: ReadonlyMap<string, string>): PageRequest => ({
  after: query.get('after') ?? null,
  limit: limitOf(query),
});
