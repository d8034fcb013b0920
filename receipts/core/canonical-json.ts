import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { isWellFormed } from '../../contract/base/text.ts';

/**
 * Canonical JSON `J(v)` by RFC 8785: no white space, keys sorted by UTF-16 code unit, ECMAScript strings and numbers.
 * Throws for a value that JSON cannot hold (undefined at the top, non-finite numbers) and, as section 3.2.2.2 demands, for
 * text with half of a surrogate pair.
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('value has no JSON form');
  if (!isWellFormed(value)) throw new TypeError('text with half of a surrogate pair has no canonical form');
  return text;
}

/** Whether a text that was parsed to this value is its canonical form. */
export const isCanonicalForm = (value: unknown, text: string): boolean =>
  isWellFormed(value) && canonicalJson(value) === text;

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** `H(v)`: lower-case hex SHA-256 of the UTF-8 bytes of `J(v)`, without a final newline. */
export const hashOf = (value: unknown): string => sha256(canonicalJson(value));

/** The stored form of a receipt or JSON artifact: `J(v)` and one final newline, as UTF-8. */
export const storedBytes = (value: unknown): Buffer => Buffer.from(`${canonicalJson(value)}\n`, 'utf8');

/** `F`: the content id of raw bytes, `sha256:` and hex. */
export const contentIdOfBytes = (bytes: Uint8Array): string => `sha256:${sha256(bytes)}`;

/** `C(v)`: the content id of a stored receipt, over `J(v)` and one newline. */
export const contentIdOf = (value: unknown): string => contentIdOfBytes(storedBytes(value));
