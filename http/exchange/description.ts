import type { z } from 'zod';
import type { ErrorCode } from '../../contract/base/errors.ts';

/** The parts of the host's domain; the description of the wire is divided by them. */
export const rooms = [
  'sources',
  'ingest',
  'study',
  'evidence',
  'review',
  'captions',
  'explanations',
  'playback',
  'lifecycles',
  'operation',
  'deletion',
  'exports',
  'description',
] as const;
/** A room of the wire, or the console, which is outside the wire. */
export type Room = (typeof rooms)[number] | 'console';

/** Header fields that only some answers carry. */
export type AnswerField =
  | 'Studio-Journal-Head'
  | 'Studio-Export-Of'
  | 'Access-Control-Expose-Headers'
  | 'Accept-Ranges'
  | 'Content-Range'
  | 'ETag'
  | 'Location'
  | 'Upload-Offset'
  | 'Upload-Length'
  | 'Upload-Metadata'
  | 'Upload-Expires'
  | 'Pragma'
  | 'Vary';

/** A request that is granted with JSON of a schema. */
interface JsonAnswer<Body = unknown> {
  readonly status: 200 | 201 | 202;
  readonly schema: z.ZodType<Body>;
  readonly fields?: readonly AnswerField[];
}

/** A request that is granted with bytes of other media types. */
interface BytesAnswer {
  readonly status: 200 | 206;
  readonly types: readonly string[];
  readonly fields?: readonly AnswerField[];
}

/** A request that is granted with a stream of events, each with data of the schema that belongs to its name. */
interface StreamAnswer {
  readonly status: 200;
  readonly events: Readonly<Record<string, z.ZodType>>;
  readonly fields?: readonly AnswerField[];
}

/** A request that is granted with a head alone. */
interface EmptyAnswer {
  readonly status: 200 | 204 | 304;
  readonly isEmpty: true;
  readonly fields?: readonly AnswerField[];
}

/** The answer to a client that has the current one. */
export const notModifiedAnswer: EmptyAnswer = {
  status: 304,
  isEmpty: true,
  fields: ['ETag', 'Access-Control-Expose-Headers'],
};

/**
 * The description of an endpoint. `docs/openapi.json` is made of it, and tests hold every answer of a host against that document.
 */
export interface Description<Body = unknown> {
  /** Names the operation in generated clients. */
  readonly id: string;
  /** One clause for a table: what is read or done. */
  readonly summary: string;
  /** Further facts that a client needs, in sentences. */
  readonly details?: string;
  /** The only keys that the query takes, each with its default and its meaning. */
  readonly query?: Readonly<Record<string, z.ZodType>>;
  /** Fields of the request's head that the endpoint reads. */
  readonly headers?: Readonly<Record<string, z.ZodType>>;
  readonly answers: readonly (JsonAnswer<Body> | BytesAnswer | StreamAnswer | EmptyAnswer)[];
  /** The codes with which the endpoint refuses; those of the checks before it are in `checks.ts`. */
  readonly refusals: readonly ErrorCode[];
}

/** The description of an endpoint that takes a JSON body. */
export interface WriteDescription<Body, Request> extends Description<Body> {
  readonly request: z.ZodType<Request>;
  /** The code for a body that does not fit the schema. */
  readonly invalid: ErrorCode;
}

/** The answer to a granted request in JSON of a schema. */
export const json = <Body>(
  status: JsonAnswer['status'],
  schema: z.ZodType<Body>,
  fields: readonly AnswerField[] = [],
): JsonAnswer<Body> => ({ status, schema, fields });

/** The answer to a granted request in its head alone. */
export const empty = (status: EmptyAnswer['status'], fields: readonly AnswerField[] = []): EmptyAnswer => ({
  status,
  isEmpty: true,
  fields,
});

/** How a read ends that reopens a runtime and everything it rests on. */
export const refusalsOfReopening = [
  'unknown_runtime',
  'runtime_deleted',
  'stored_content_inconsistent',
] as const satisfies ErrorCode[];

/** How a read of a journal ends that cannot be read or does not follow its chain. */
export const refusalsOfJournals = [
  'malformed_journal',
  'invalid_journal_chain',
  'stored_content_inconsistent',
] as const satisfies ErrorCode[];

/** How a plan or a start of a study that cannot be ends. */
export const refusalsOfRequests = [
  'unknown_source_session',
  'source_deleted',
  'stale_source_revision',
  'invalid_analysis_request',
  'study_range_too_large',
  'source_revalidation_failed',
] as const satisfies ErrorCode[];
