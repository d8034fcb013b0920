import type { RequestHead } from './listener.ts';

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

/** Whether the connection may be closed after the answer: anything but keep-alive counts. */
export function mayClose(head: RequestHead): boolean {
  const connection = head.header('connection');
  return connection !== undefined && !/^keep-alive$/i.test(connection);
}

/** A length without sign and leading zeros: the native parser counts digits instead of reading them. */
export const canonicalLength = /^(0|[1-9]\d*)$/;

/**
 * Whether it is sure where the body ends (RFC 9112, 6.3): one length in digits, one Transfer-Encoding that is `chunked`, or
 * neither. The native parser takes whatever coding is named as `chunked`, and the first of two lengths.
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
