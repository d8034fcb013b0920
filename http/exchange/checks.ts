import type { ErrorCode } from '../../contract/base/error-codes.ts';
import type { Endpoint, Route } from './route.ts';

/**
 * The codes with which the checks of `serve-exchange.ts` can end a request before its endpoint is asked, in their order, and
 * those that any endpoint may end with.
 */
export function refusalsOfChecks(
  { access = 'token', path, protocol }: Route,
  { body, description }: Endpoint,
): ErrorCode[] {
  return [
    'host_not_allowed',
    'origin_not_allowed',
    ...(access === 'grant' || access === 'anyone' || access === 'origin' ? [] : (['unauthorized'] as const)),
    'invalid_target',
    ...(path.includes('/:') ? (['invalid_identity'] as const) : []),
    ...(access === 'token' || access === 'anyone' ? [] : (['origin_required'] as const)),
    ...(protocol === undefined ? [] : (['unsupported_tus_version'] as const)),
    'unknown_query',
    ...(description.query === undefined ? [] : (['duplicate_query'] as const)),
    'unsupported_transfer_encoding',
    'invalid_content_length',
    ...(body === 'json' ? refusalsOfBodies : (['content_length_too_large'] as const)),
    'storage_unavailable',
    'internal_failure',
  ];
}

const refusalsOfBodies = [
  'unsupported_content_type',
  'request_body_too_large',
  'empty_request_body',
  'invalid_json',
] as const;
