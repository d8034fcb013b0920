import { ServiceError } from '../../contract/base/service-error.ts';
import type { RequestHead } from '../listener/listener.ts';

/** A part of a file: half-open, in bytes. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

// RFC 9110, 14.1.2, narrowed to one range, in lower case and without spaces.
const rangePattern = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/;

/**
 * The part of a file of `size` bytes that a request asks for, or null for all of it. A range that is conditional on
 * another representation is not one (RFC 9110, 13.1.5: compared strongly; a date is no entity tag). Throws
 * `invalid_private_playback_range`.
 */
export function requestedRange(head: RequestHead, size: number, etag: string): ByteRange | null {
  const text = head.header('range');
  if (text === undefined) return null;
  const condition = head.header('if-range');
  if (condition !== undefined && (condition !== etag || head.count('if-range') !== 1)) return null;
  const range = head.count('range') === 1 ? parsed(text, size) : null;
  if (range !== null) return range;
  throw new ServiceError('invalid_private_playback_range', 'not one range of bytes within the media', {
    'Content-Range': `bytes */${size}`,
    'Accept-Ranges': 'bytes',
  });
}

function parsed(text: string, size: number): ByteRange | null {
  const found = rangePattern.exec(text);
  if (found === null) return null;
  const [, first = '', last = '', suffix] = found;
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? null : { start: size - length, end: size };
  }
  const start = Number(first);
  const end = last === '' ? size : Math.min(Number(last) + 1, size);
  return start < end ? { start, end } : null;
}
