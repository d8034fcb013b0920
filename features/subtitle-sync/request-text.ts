import { ServiceError } from '../../contract/base/errors.ts';
import { maximumSubtitleBytes } from '../../contract/sources/subtitle-track.ts';
import { expectBytes, readBytes } from '../../http/exchange/request-body.ts';
import type { Endpoint } from '../../http/exchange/route.ts';

/** A request to a path of a runtime whose body is read as it comes. */
export type TextCall = Parameters<Extract<Endpoint<'runtimeId'>, { body: 'stream' }>['handle']>[0];

/** A service that compares texts with studies. */
export interface OfRuntimes {
  /** Throws `unknown_runtime`, `runtime_deleted` and `stored_content_inconsistent`. */
  demandRuntime(runtimeId: string): Promise<void>;
}

const tooLarge = () => new ServiceError('subtitle_file_too_large', `at most ${maximumSubtitleBytes} bytes are taken`);

/**
 * The bytes of the text in a request; `what` is its name, such as `a script`. A runtime that is not there is refused before a wrong body.
 * Throws what `demandRuntime` does, `unsupported_content_type`, `unsupported_content_encoding`, `empty_request_body` and
 * `subtitle_file_too_large`.
 */
export async function textOfRequest(
  { params, exchange }: TextCall,
  what: string,
  service: OfRuntimes,
): Promise<Uint8Array> {
  try {
    expectBytes(exchange.head, what);
    return await readBytes(exchange, maximumSubtitleBytes, tooLarge);
  } catch (error) {
    await service.demandRuntime(params.runtimeId);
    throw error;
  }
}
