import { STATUS_CODES } from 'node:http';
import type { Headers } from './listener.ts';

const UNSENDABLE_VALUE = /[^\t\x20-\x7e]/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const FRAMING = /^(content-length|transfer-encoding|connection)$/i;

const knownNames = new Set<string>();

/** The reason phrases: those of HTTP, and the one that tus adds. */
const reasons: Readonly<Record<number, string | undefined>> = { ...STATUS_CODES, 460: 'Checksum Mismatch' };

const statusLines = new Map(Object.entries(reasons).map(([code, text]) => [Number(code), `${code} ${text}`]));

/** `413` becomes `Payload Too Large`. */
export const reasonOf = (status: number): string => reasons[status] ?? 'Unknown';

/** `413` becomes `413 Payload Too Large`. */
export function statusLine(status: number): string {
  return statusLines.get(status) ?? `${status} Unknown`;
}

/** True for the statuses whose answers never carry a body nor its length (RFC 9110, 15.3.5 and 15.4.5). */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

/**
 * Throws a TypeError for a header that would break the framing of the answer: the native adapter writes what it is
 * given, so a line break in a value would begin a second answer.
 */
export function checkHeaders(headers: Headers): void {
  for (const name in headers) {
    if (!knownNames.has(name)) learnName(name);
    if (UNSENDABLE_VALUE.test(headers[name] ?? '')) throw new TypeError(`header ${name} has an unsendable value`);
  }
}

function learnName(name: string): void {
  if (!TOKEN.test(name) || FRAMING.test(name)) throw new TypeError(`header ${JSON.stringify(name)} cannot be set`);
  if (knownNames.size < 256) knownNames.add(name);
}
