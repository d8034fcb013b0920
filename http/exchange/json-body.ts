import { ServiceError } from '../../contract/base/service-error.ts';
import { utf8Json } from '../../receipts/core/utf8-json.ts';
import type { Exchange, RequestHead } from '../listener/listener.ts';
import { readBytes } from './bytes-body.ts';
import { declaredLength } from './framing.ts';

/** The largest JSON body, in bytes. */
export const bodyLimit = 65_536;

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
export const readJson = async (exchange: Exchange): Promise<unknown> =>
  utf8Json(await readBytes(exchange, bodyLimit, tooLarge), notJson);

const notJson = () => new ServiceError('invalid_json', 'the body is not JSON in UTF-8');

const tooLarge = () => new ServiceError('request_body_too_large', `a JSON body has at most ${bodyLimit} bytes`);
