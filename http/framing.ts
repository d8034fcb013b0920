import { ServiceError } from '../contract/service-error.ts';
import { declaredLength } from './json-body.ts';
import type { Exchange } from './listener.ts';
import { isFramed } from './request-head.ts';

/**
 * Refuses a request whose body has no sure end, or is announced as longer than the adapter can take. Throws
 * `unsupported_transfer_encoding`, `invalid_content_length` and `content_length_too_large`.
 */
export function checkFraming({ head, longestBody }: Pick<Exchange, 'head' | 'longestBody'>): void {
  if (head.header('transfer-encoding') !== undefined && !isFramed(head)) {
    throw new ServiceError('unsupported_transfer_encoding', 'Transfer-Encoding must be chunked and nothing else');
  }
  const length = declaredLength(head);
  if (length !== null && length > longestBody) {
    throw new ServiceError(
      'content_length_too_large',
      `this host takes a Content-Length of at most ${longestBody}: send longer bodies without one, in chunks (Transfer-Encoding: chunked)`,
    );
  }
}
