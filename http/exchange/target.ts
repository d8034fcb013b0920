import type { PageRequest } from '../../actors/supervision/reads.ts';
import { type ErrorCode, ServiceError } from '../../contract/base/errors.ts';
import { longestPage, usualPage } from '../../contract/base/newest-first.ts';

/** A request target taken apart: path segments still encoded, query keys and values decoded. */
export interface Target {
  readonly segments: readonly string[];
  readonly query: readonly (readonly [key: string, value: string])[];
}

const pathPattern = /^\/(?!\/)[!-"$-;=?-[\]-~]*$/;

/** Parses an origin-form target. Throws `invalid_target` for anything that has no path or no decodable query. */
export function parseTarget(raw: string | null): Target {
  const mark = raw?.indexOf('?') ?? -1;
  const path = raw === null ? '' : mark === -1 ? raw : raw.slice(0, mark);
  if (raw === null || !pathPattern.test(path)) {
    throw new ServiceError('invalid_target', 'the request target is not a path of this host');
  }
  return { segments: path.slice(1).split('/'), query: mark === -1 ? [] : parseQuery(raw.slice(mark + 1)) };
}

function parseQuery(text: string): (readonly [string, string])[] {
  if (text === '') return [];
  return text.split('&').map((pair) => {
    const equals = pair.indexOf('=');
    const key = equals === -1 ? pair : pair.slice(0, equals);
    const value = equals === -1 ? '' : pair.slice(equals + 1);
    return [decoded(key), decoded(value)] as const;
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ServiceError('invalid_target', 'the query cannot be decoded');
  }
}

/** A canonical decimal: no sign, no leading zero, within the safe integers. Throws `code`. */
export function decimal(text: string, code: ErrorCode): number {
  const value = Number(text);
  if (!/^(0|[1-9]\d*)$/.test(text) || !Number.isSafeInteger(value)) {
    throw new ServiceError(code, 'not a canonical decimal number');
  }
  return value;
}

/** The number of entries of a page that names none, and the most that it may have. */
interface PageSize {
  readonly usual: number;
  readonly longest: number;
}

const listPage: PageSize = { usual: usualPage, longest: longestPage };

/** The number of entries that a page may have. Throws `invalid_cursor`, `invalid_limit`. */
export function limitOf(query: ReadonlyMap<string, string>, { usual, longest }: PageSize = listPage): number {
  const limit = decimal(query.get('limit') ?? String(usual), 'invalid_cursor');
  if (limit === 0) throw new ServiceError('invalid_cursor', 'limit must be at least 1');
  if (limit > longest) throw new ServiceError('invalid_limit', `limit must be at most ${longest}`);
  return limit;
}

/** The page of a list that a query asks for. Throws `invalid_cursor`, `invalid_limit`. */
export const pageOf = (query: ReadonlyMap<string, string>, size: PageSize = listPage): PageRequest => ({
  after: query.get('after') ?? null,
  limit: limitOf(query, size),
});
