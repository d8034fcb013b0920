import { STATUS_CODES } from 'node:http';
import type { Headers, RequestHead } from './listener.ts';

/** A request head over one flat list of fields: name, value, name, value, with names in lower case, as sent. */
export class FlatHead implements RequestHead {
  readonly method: string;
  readonly target: string | null;
  readonly #fields: readonly string[];

  constructor(method: string, target: string, fields: readonly string[]) {
    this.method = method;
    this.target = target.startsWith('/') ? target : null;
    this.#fields = fields;
  }

  header(name: string): string | undefined {
    const fields = this.#fields;
    for (let at = 0; at < fields.length; at += 2) if (fields[at] === name) return fields[at + 1];
    return undefined;
  }

  count(name: string): number {
    const fields = this.#fields;
    let found = 0;
    for (let at = 0; at < fields.length; at += 2) if (fields[at] === name) found += 1;
    return found;
  }
}

/** True if the connection may close after the answer: anything but keep-alive counts. */
export function mayClose(head: RequestHead): boolean {
  const connection = head.header('connection');
  return connection !== undefined && !/^keep-alive$/i.test(connection);
}

/** A length without sign and leading zeros: the native parser counts digits instead of reading them. */
export const canonicalLength = /^(0|[1-9]\d*)$/;

/**
 * True if the end of the body is certain (RFC 9112, 6.3): one length in digits, one Transfer-Encoding that is `chunked`, or
 * neither. The native parser takes any coding as `chunked`, and the first of two lengths.
 */
export function isFramed(head: RequestHead): boolean {
  const length = head.header('content-length');
  const coding = head.header('transfer-encoding');
  if (coding !== undefined) {
    return length === undefined && coding.toLowerCase() === 'chunked' && head.count('transfer-encoding') === 1;
  }
  return length === undefined || (canonicalLength.test(length) && head.count('content-length') === 1);
}

export function announcesBody(head: RequestHead): boolean {
  return (head.header('content-length') ?? '0') !== '0' || head.count('transfer-encoding') > 0;
}

const UNSENDABLE_VALUE = /[^\t\x20-\x7e]/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const FRAMING = /^(content-length|transfer-encoding|connection)$/i;

const knownNames = new Set<string>();

/** The reason phrases: those of HTTP, and the one that tus adds. */
const reasons: Readonly<Record<number, string | undefined>> = { ...STATUS_CODES, 460: 'Checksum Mismatch' };

const statusLines = new Map(Object.entries(reasons).map(([code, text]) => [Number(code), `${code} ${text}`]));

/** `413` becomes `Payload Too Large`. */
export const reasonPhraseOf = (status: number): string => reasons[status] ?? 'Unknown';

/** `413` becomes `413 Payload Too Large`. */
export function statusLine(status: number): string {
  return statusLines.get(status) ?? `${status} Unknown`;
}

/** True for the statuses whose answers never carry a body nor its length (RFC 9110, 15.3.5 and 15.4.5). */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

/**
 * Throws a TypeError for a header that would break the framing of the answer. The native adapter writes headers as they are, so a
 * line break in a value would begin a second answer.
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
