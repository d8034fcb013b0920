import { ServiceError } from '../../contract/base/errors.ts';
import { utf8Json } from '../../formats/canonical-json.ts';
import type { Exchange, RequestHead } from '../listener/listener.ts';
import { canonicalLength, isFramed } from '../listener/message-head.ts';

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

/** The type of a body that is bytes and nothing else. */
export const bytesType = 'application/octet-stream';

/** Throws `unsupported_content_encoding` for a body that was compressed: it would be read as something else. */
export function expectPlain(head: RequestHead, what: string): void {
  const encoding = (head.header('content-encoding') ?? '').trim().toLowerCase();
  if (['', 'identity'].includes(encoding) && head.count('content-encoding') <= 1) return;
  throw new ServiceError('unsupported_content_encoding', `${what} must be sent as it is`);
}

/** Checks the head of a request whose body is bytes as they are. */
export function expectBytes(head: RequestHead, what: string): void {
  expectPlain(head, what);
  const type = (head.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== bytesType) throw new ServiceError('unsupported_content_type', `${what} must be ${bytesType}`);
}

/** Reads a body of at most so many bytes whole. Rejects with `tooLarge`, and with `empty_request_body`. */
export function readBytes(exchange: Exchange, most: number, tooLarge: () => ServiceError): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if ((declaredLength(exchange.head) ?? 0) > most) throw tooLarge();
    const chunks: Buffer[] = [];
    let size = 0;
    exchange.readBody({
      chunk: (chunk) => {
        size += chunk.length;
        if (size > most) {
          chunks.length = 0;
          reject(tooLarge());
        } else chunks.push(chunk);
      },
      end: () => {
        if (size > 0) resolve(Buffer.concat(chunks));
        else reject(new ServiceError('empty_request_body', 'the body is empty'));
      },
    });
  });
}

/** The largest JSON body, in bytes. */
export const bodyLimit = 65_536;

/** Checks type, encoding and length of a JSON request before any byte of it is read. */
export function expectJson(head: RequestHead): void {
  const type = (head.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new ServiceError('unsupported_content_type', 'the body must be application/json');
  }
  expectPlain(head, 'the JSON body');
  const length = declaredLength(head);
  if (length !== null && length > bodyLimit) throw tooLarge();
}

/** Reads a JSON body of at most `bodyLimit` bytes. Rejects with the closed codes of bodies. */
export const readJson = async (exchange: Exchange): Promise<unknown> =>
  utf8Json(await readBytes(exchange, bodyLimit, tooLarge), notJson);

const notJson = () => new ServiceError('invalid_json', 'the body is not JSON in UTF-8');

const tooLarge = () => new ServiceError('request_body_too_large', `a JSON body has at most ${bodyLimit} bytes`);
