import { ServiceError } from '../../contract/base/service-error.ts';
import type { Exchange, RequestHead } from '../listener/listener.ts';
import { canonicalLength, isFramed } from '../listener/request-head.ts';

/** The declared length of a body, or null for a chunked one. Throws `invalid_content_length`. */
export function declaredLength(head: RequestHead): number | null {
  const text = head.header('content-length');
  if (text === undefined) return null;
  const length = Number(text);
  if (head.count('content-length') !== 1 || !canonicalLength.test(text) || !Number.isSafeInteger(length)) {
    throw new ServiceError('invalid_content_length', 'Content-Length is not a number of bytes');
  }
  return length;
}

/**
 * Refuses a request whose body has no sure end. Throws `unsupported_transfer_encoding` and `invalid_content_length`.
 */
export function checkFraming(head: RequestHead): void {
  if (head.header('transfer-encoding') !== undefined && !isFramed(head)) {
    throw new ServiceError('unsupported_transfer_encoding', 'Transfer-Encoding must be chunked and nothing else');
  }
  declaredLength(head);
}

/** Throws `content_length_too_large` for a body whose announced length is more than the adapter can take. */
export function checkLength({ head, longestBody }: Pick<Exchange, 'head' | 'longestBody'>): void {
  const length = declaredLength(head);
  if (length !== null && length > longestBody) {
    throw new ServiceError(
      'content_length_too_large',
      `a body with a Content-Length has at most ${longestBody} bytes here`,
    );
  }
}
