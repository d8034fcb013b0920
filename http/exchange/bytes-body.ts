import { ServiceError } from '../../contract/base/service-error.ts';
import type { Exchange, RequestHead } from '../listener/listener.ts';
import { declaredLength } from './framing.ts';

/** The type of a body that is bytes and nothing else. */
export const bytesType = 'application/octet-stream';

/** Checks the head of a request whose body is bytes as they are. */
export function expectBytes(head: RequestHead, what: string): void {
  if ((head.header('content-encoding') ?? 'identity').toLowerCase() !== 'identity') {
    throw new ServiceError('unsupported_content_encoding', `${what} must be sent as it is`);
  }
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
