import { ServiceError } from '../../contract/base/service-error.ts';
import type { Exchange, RequestHead } from '../listener/listener.ts';
import { canonicalLength } from '../listener/request-head.ts';

/** The largest JSON body, in bytes. */
export const bodyLimit = 65_536;

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

/** Checks type and length of a JSON request before any byte of it is read. */
export function expectJson(head: RequestHead): void {
  const type = (head.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new ServiceError('unsupported_content_type', 'the body must be application/json');
  }
  const length = declaredLength(head);
  if (length !== null && length > bodyLimit) throw tooLarge();
}

/** Reads a JSON body of at most `bodyLimit` bytes. Rejects with the closed codes of bodies. */
export function readJson(exchange: Exchange): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    exchange.readBody({
      chunk: (bytes) => {
        size += bytes.length;
        if (size > bodyLimit) reject(tooLarge());
        else chunks.push(bytes);
      },
      end: () => {
        try {
          resolve(parseJson(Buffer.concat(chunks)));
        } catch (error) {
          reject(error);
        }
      },
    });
  });
}

function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new ServiceError('empty_request_body', 'the body is empty');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new ServiceError('invalid_json', 'the body is not JSON in UTF-8');
  }
}

const tooLarge = () => new ServiceError('request_body_too_large', `a JSON body has at most ${bodyLimit} bytes`);
