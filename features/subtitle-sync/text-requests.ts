import type { z } from 'zod';
import { type ErrorCode, ServiceError } from '../../contract/base/errors.ts';
import { requestFault, requestWords } from '../../contract/base/request-fault.ts';
import { maximumSubtitleBytes } from '../../contract/sources/subtitle-track.ts';
import { refusalsOfReopening } from '../../http/exchange/description.ts';
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

/** What `textOfRequest` and `checkedQuery` are refused with, and a study that knows no speech. */
export const textRefusals = [
  ...refusalsOfReopening,
  'subtitle_sync_unavailable',
  'unsupported_content_encoding',
  'unsupported_content_type',
  'empty_request_body',
  'invalid_subtitle_request',
  'subtitle_file_too_large',
  'subtitle_encoding_mismatch',
] as const satisfies readonly ErrorCode[];

/** What an attested proposal is refused with, where its track is attached. */
export const attachRefusals = [
  'reviewer_identity_mismatch',
  'subtitle_fix_mismatch',
  'unknown_source_session',
  'source_deleted',
  'source_read_in_place',
  'source_revalidation_failed',
  'insufficient_storage',
  'invalid_rights_attestation',
  'subtitle_format_mismatch',
  'invalid_subtitle_file',
  'subtitle_track_limit',
] as const satisfies readonly ErrorCode[];

/** The fields of a query. Throws `invalid_subtitle_request`. */
export function checkedQuery<Schema extends z.ZodType>(
  schema: Schema,
  query: ReadonlyMap<string, string>,
): z.infer<Schema> {
  const given = Object.fromEntries(query);
  const request = schema.safeParse(given, requestWords);
  if (request.success) return request.data;
  throw new ServiceError('invalid_subtitle_request', requestFault(schema, given, request.error.issues[0]));
}
