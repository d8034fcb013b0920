import { z } from 'zod';
import { cutText, labelLine, withoutPaths } from './grammar.ts';

/**
 * Every error code of the wire, with its one HTTP status and the remedy for a client or for the owner of the host. The envelope's
 * message ends with the remedy, and `docs/errors.md` shows it in the column "what to do". A remedy is one clause, no capital, no
 * full stop; null only for codes that are never sent.
 */
const errors = {
  // the request's envelope
  host_not_allowed: [421, 'call the origin that the start line names as listening'],
  origin_not_allowed: [
    403,
    'start the host with --allowed-origin and this origin, or call from the origin of the grant',
  ],
  origin_required: [403, 'send an Origin header; browsers do'],
  unauthorized: [
    401,
    'send Authorization: Bearer with the authorizationToken of the start line; each process has its own',
  ],
  invalid_target: [400, 'correct the URL'],
  invalid_identity: [400, 'percent-encode the id as UTF-8'],
  not_found: [404, 'GET /v1/openapi.json lists every path'],
  method_not_allowed: [405, 'use a method that the Allow header names'],
  unknown_query: [400, 'leave the key or value out'],
  duplicate_query: [400, 'send the key once'],
  unsupported_content_type: [415, 'set the Content-Type that the message names'],
  unsupported_content_encoding: [415, 'send the bytes without Content-Encoding'],
  invalid_content_length: [400, 'send one Content-Length, a decimal number of bytes'],
  unsupported_transfer_encoding: [501, 'send Transfer-Encoding: chunked, or a Content-Length'],
  content_length_too_large: [413, 'send the body in chunks, without a length (curl: -H "Transfer-Encoding: chunked")'],
  request_body_too_large: [413, 'send less'],
  empty_request_body: [400, 'send a body; if it is JSON, at least {}'],
  invalid_json: [400, 'send one JSON text in UTF-8'],
  internal_failure: [500, 'look at stderr of the host'],
  // ingest
  owned_ingest_unavailable: [404, 'use a host that takes in files'],
  videohost_local_ingest_unavailable: [
    404,
    'put yt-dlp 2023.11.14 or newer on PATH or name it by MEDIA_STUDY_YTDLP, and start the host again',
  ],
  invalid_ingest_request: [400, 'correct the field'],
  invalid_rights_attestation: [400, 'attest or confirm the rights, or do not send the media'],
  invalid_upload_length: [400, 'send the declared bytes again; the ingest is still open'],
  ingest_body_too_large: [413, 'start the host with a larger --maximum-owned-media-bytes'],
  ingest_range_too_large: [
    413,
    'ask for a shorter range, or start the host with a larger --maximum-videohost-local-range-ms',
  ],
  unknown_ingest: [404, 'use the ingestId of the answer that opened the ingest'],
  ingest_upload_conflict: [409, 'open another ingest for another file'],
  invalid_upload_offset: [
    400,
    'send Upload-Offset, a decimal number of bytes: the one that HEAD of the upload answers',
  ],
  upload_offset_conflict: [409, 'read the offset with HEAD, and send the bytes from there'],
  upload_superseded: [409, 'leave the upload to the newer request, or read the offset with HEAD and continue there'],
  invalid_upload_checksum: [
    400,
    'send Upload-Checksum: sha256 or sha1, a space, and the digest in Base64, or leave it out',
  ],
  upload_checksum_mismatch: [460, 'send the part again from the same offset'],
  upload_gone: [410, 'read the status of the ingest; open another ingest to send the file again'],
  unsupported_tus_version: [412, 'send Tus-Resumable: 1.0.0'],
  unsupported_tus_extension: [
    400,
    'send the file as one upload, one part after the other (tus-js-client, Uppy: parallelUploads: 1)',
  ],
  ingest_already_terminal: [409, 'read the status of the ingest'],
  ingest_capacity: [429, 'wait until some ingests end, or cancel them'],
  ingest_identity_failed: [500, 'try again'],
  insufficient_storage: [507, 'free space on the volume of the data root; if the ingest has failed, open another'],
  // library
  invalid_source_label: [400, 'send a label of 1 to 160 characters in one line, or null for the one that it came with'],
  invalid_search: [400, 'send q with at least one word'],
  // subtitle files of a source
  invalid_subtitle_request: [400, 'correct the key of the query'],
  subtitle_encoding_mismatch: [
    400,
    'name the encoding of the file, such as encoding=windows-1252, or --encoding windows-1252 of the command',
  ],
  subtitle_format_mismatch: [400, 'send an SRT, WebVTT or ASS file, and leave format out or name the right one'],
  invalid_subtitle_file: [400, 'correct the line, or export the file again'],
  subtitle_file_too_large: [413, 'attach a file of at most 1 MiB'],
  subtitle_track_limit: [409, 'detach a subtitle file that is not needed'],
  unknown_subtitle_track: [404, 'use a trackIndex of the list of attached files'],
  subtitle_sync_unavailable: [409, 'study the film with its sound, and ask again when the study has ended'],
  subtitle_fix_mismatch: [409, 'read the proposal again, and name its digest'],
  invalid_script: [400, 'send the text that is said, as plain text'],
  // studies
  invalid_start_request: [400, 'correct the field'],
  invalid_analysis_request: [400, 'end the range within durationMs of the source'],
  study_range_too_large: [413, 'study parts of it, or start the host with a larger --maximum-study-range-ms'],
  study_queue_full: [
    429,
    'ask again after the seconds of Retry-After, or start the host with a larger --maximum-live-studies',
  ],
  unknown_source_session: [404, 'take a sourceSessionId from the list of sources'],
  stale_source_revision: [409, 'take the sourceRevisionId from the list of sources; finished studies stay readable'],
  source_revalidation_failed: [409, 'restore the sealed file, or ingest the media again'],
  invalid_command_id: [400, 'use the commandId of a plan or a start'],
  unknown_command: [404, 'start the study first, or check the commandId'],
  unknown_runtime: [404, 'use the runtimeId of the answer that started the study'],
  invalid_cancellation_request: [400, 'send the body {}'],
  runtime_already_terminal: [409, 'read the status of the runtime'],
  // journal
  invalid_cursor: [400, 'use nextCursor of the page before, and a limit of at least 1'],
  invalid_limit: [400, 'send a smaller limit'],
  invalid_filter: [400, 'use one of the values that the message names, or leave the filter out'],
  invalid_wait: [400, 'wait for at most 8000 ms'],
  invalid_subscription: [
    400,
    'name runtimes, ingests or actors, each once, and at most 64 in all; actors=all follows every actor',
  ],
  cursor_past_head: [409, 'use nextCursor of the page before, or begin again at 0'],
  malformed_journal: [409, 'see the status for the last good head; study again with another clientRequestId'],
  invalid_journal_chain: [409, 'see the status for the last good head; study again with another clientRequestId'],
  stored_content_inconsistent: [
    409,
    'put the file back if you have a copy, or study again with another clientRequestId',
  ],
  storage_unavailable: [
    503,
    'ask again after Retry-After seconds, or open another ingest if it has failed; look at the disk and at the limit of open files',
  ],
  // publish review
  invalid_review_request: [400, 'correct the field; attestations are fixed texts'],
  reviewer_identity_mismatch: [403, 'use the reviewer of the start line'],
  illegal_review_transition: [409, 'read the intakes and reviews again; a new attempt of the study makes a new intake'],
  // captions
  invalid_caption_request: [400, 'send the approval as the list of reviews has it'],
  caption_authority_required: [409, 'read the reviews again; captions need a valid approval'],
  caption_current_run_causality_required: [
    409,
    'restart it with --caption-executor grouped-subtitles --allow-embedded-subtitle-captions',
  ],
  illegal_caption_transition: [
    409,
    'read the productions of the runtime; a new attempt of the study can be approved again',
  ],
  caption_lines_unavailable: [
    409,
    'start the host with a caption executor that has lines, or study the range again as the reason says; the approval stays valid',
  ],
  permission_required: [
    409,
    'ask a person; then set what the message names by media-study settings set or POST /v1/settings-changes',
  ],
  invalid_caption_plan_request: [400, 'correct the key of the query'],
  caption_plan_mismatch: [
    409,
    'show a person the plan of now before they approve; after an approval set the engine back, or study the film again',
  ],
  caption_translation_failed: [
    502,
    'check the translating server, and send the request again: the approval has three attempts in all',
  ],
  invalid_caption_qc_request: [
    400,
    'send the ids of a row of the list of productions, its receipt as captionReceiptId and captionReceiptContentId',
  ],
  illegal_caption_qc_transition: [409, 'read the quality controls of the runtime'],
  // corrections of captions
  invalid_caption_correction_request: [400, 'correct the field; the attestation is a fixed text'],
  caption_correction_conflict: [409, 'read the corrections again, and change the present lines'],
  illegal_caption_correction: [
    409,
    'read the corrections of the runtime: they have its lines and what keeps it from corrections',
  ],
  // exports
  export_unavailable: [409, 'read the overview of the runtime: it has the reason'],
  frame_rate_required: [409, 'name the frames a second: rate=25'],
  signing_key_unusable: [
    500,
    'put private-signing-key.pem in the data root back from a copy with mode 0600, or move it away: the host makes another one',
  ],
  // language explanations
  invalid_language_explanation_request: [400, 'correct the field; spans count code points'],
  language_explanation_unavailable: [
    409,
    'start the host with --language-explanation-executor openai, its permission switch and a model',
  ],
  language_explanation_caption_authority_required: [409, 'read the captions again; their approval must be valid'],
  invalid_language_selection: [409, 'take line, side and words from the stored captions, by code points'],
  illegal_language_explanation_transition: [409, 'read the list of explanations; ask for something else'],
  language_explanation_executor_failed: [
    502,
    'check the model server, and send the request again: it has three attempts in all',
  ],
  // private playback
  invalid_private_playback_grant_request: [400, 'take the ids from the run-start record in the status'],
  invalid_private_playback_revocation: [400, 'send the schema of a revocation alone'],
  invalid_private_playback_renewal: [400, 'send the schema of a renewal alone'],
  private_playback_source_unavailable: [409, 'study again with another clientRequestId: the start receipt is gone'],
  private_playback_source_mismatch: [409, 'take the ids from the run-start record in the status'],
  private_playback_mime_unsupported: [415, 'convert the media to MP4, WebM, MP3, WAV, FLAC or Ogg and ingest that'],
  private_playback_grant_capacity: [429, 'revoke grants, or wait: each ends after ten minutes unless it is renewed'],
  private_playback_grant_unavailable: [404, 'ask for a new grant'],
  private_playback_grant_expired: [410, 'ask for a new grant'],
  invalid_private_playback_range: [416, 'ask for one range within the size that Content-Range names'],
  // lifecycles
  unknown_chart: [404, 'take a machineId from GET /v1/charts'],
  unknown_chart_release: [404, 'take a release from GET /v1/charts/:chartId/releases'],
  unknown_actor: [404, 'take an actorId from GET /v1/actors'],
  // engines
  invalid_engine_work_request: [400, 'send an act (add, test or use) and the name of an engine'],
  unknown_engine: [
    404,
    'take a name from GET /v1/engines: add one that is available, test or use one that is installed',
  ],
  engine_work_running: [409, 'wait until it has ended, or end it with DELETE /v1/engines/work'],
  // deletion
  runtime_deleted: [410, 'read its receipt with GET /v1/deletions; another study of it needs a new clientRequestId'],
  source_deleted: [410, 'read its receipt with GET /v1/deletions; ingest the media again to study it'],
  runtime_live: [409, 'cancel the study, or wait for its end, and delete it then'],
  runtime_in_production: [409, 'wait until its captions and explanations are made, or revoke the approval'],
  source_in_use: [409, 'delete the runtimes that the message names, and wait for live ingests to end'],
  source_read_in_place: [
    409,
    'ingest its media to attach files to it; start the host without its --source-directory to remove it; the sample always stays',
  ],
  // operation
  invalid_collection_request: [400, 'send {"dryRun": true} or {"dryRun": false}'],
  invalid_snapshot_request: [400, 'send an empty JSON object'],
  invalid_nonce: [400, 'send 64 lower-case hex digits of 32 random bytes, new for each question'],
  invalid_pairing_request: [
    400,
    'send an empty JSON object for a code, or the schema of a pairing request with the code',
  ],
  pairing_refused: [403, 'ask the owner of the host for a new code: media-study pair'],
  // settings
  invalid_settings_change: [400, 'correct what the message names; GET /v1/settings lists every setting'],
  setting_not_changeable: [409, 'change it on the command line, as the message says'],
  settings_unreadable: [409, 'correct the settings file at that place; nothing was changed'],
  engine_unavailable: [409, 'install or start the engine, or choose another; nothing was changed'],
  settings_confirmation_required: [409, 'send the confirmation that the message names, after a person agreed'],
  invalid_restart_request: [400, 'send the schema of a restart request alone'],
  restart_refused: [409, 'see what the message names; GET /v1/settings has the state of a restart'],
  // kept for clients that know them; never sent
  partial_journal_line: [409, null],
  invalid_journal: [409, null],
  journal_too_large: [409, null],
} satisfies Readonly<Record<string, readonly [status: number, remedy: string | null]>>;

export type ErrorCode = keyof typeof errors;

const ofEach = <Value>(pick: (error: (typeof errors)[ErrorCode]) => Value) =>
  Object.fromEntries(Object.entries(errors).map(([code, error]) => [code, pick(error)])) as Readonly<
    Record<ErrorCode, Value>
  >;

export const errorCodes = ofEach(([status]) => status);

export const errorRemedies = ofEach(([, remedy]) => remedy);

/** Codes that stay in the closed set for existing clients and are never sent. */
export const reservedErrorCodes = (Object.keys(errors) as ErrorCode[]).filter((code) => errorRemedies[code] === null);

/** The answer to a request that is refused: a code of the closed set, and what happened and what can be done about it. */
export const errorEnvelope = z.strictObject({
  schema: z.literal('studio.local-runtime-error.v1'),
  error: z.strictObject({ code: z.enum(Object.keys(errorCodes) as ErrorCode[]), message: z.string().min(1).max(256) }),
});

export type ErrorEnvelope = z.infer<typeof errorEnvelope>;

/** A refusal with a code of the closed set; the HTTP layer turns it into the error envelope. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** Header fields that belong to this refusal, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>>;
  constructor(code: ErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'ServiceError';
    this.code = code;
    this.headers = headers;
  }
}

/** Why something ended badly: a code of a closed set and a sentence of at most 256 characters. */
export const failure = z.strictObject({ code: z.string().min(1), message: z.string().min(1).max(256) });

export type Failure = z.infer<typeof failure>;

const maximumLength = 256;

const oneLine = (text: string, maximum: number): string => {
  const line = cutText(withoutPaths(labelLine(text).replace(/\s+/g, ' ')), maximum);
  return line === '' ? 'no further detail' : line;
};

/**
 * Cuts a message to the wire's 256 characters, never to nothing, and takes this machine's paths out of it. It may quote a client, so
 * it is made the one line that a label is.
 */
export const failureMessage = (text: string): string => oneLine(text, maximumLength);

/** A message of at most 256 characters that ends with what can be done; what happened is cut first, as it may quote a client. */
export const withRemedy = (text: string, remedy: string | null): string =>
  remedy === null ? failureMessage(text) : `${oneLine(text, maximumLength - remedy.length - 2)}; ${remedy}`;

/** The message of an error, or anything else that was thrown as text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const retryAfterSeconds = 1;

const messages = {
  read: (reason: string) => `the data root cannot be read just now (${reason})`,
  written: (reason: string) => `the data root cannot be written just now (${reason})`,
  received: (reason: string) => `the media cannot be written (${reason}), and its ingest has failed`,
} as const;

/**
 * The storage refused a read, or a write before anything was promised. The reason lies with the machine and not with the stored
 * data: too many open files, an error of the device. Nothing has changed, and nothing is remembered; the same request may succeed
 * later. If the storage refused media, its ingest has failed: another may succeed.
 */
export class StorageUnavailable extends ServiceError {
  constructor(cause: unknown, refused: keyof typeof messages = 'read') {
    super('storage_unavailable', messages[refused](reasonOf(cause)), retryAfter(retryAfterSeconds));
    this.name = 'StorageUnavailable';
    this.cause = cause;
  }
}

/** The system's own word for what went wrong, such as `EMFILE`; it lies at the end of the causes. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.cause !== undefined) return reasonOf(error.cause);
  return 'code' in error ? String(error.code) : error.name;
}

/** The fields of an answer that tell when to ask again, in whole seconds; pages of other origins may read them too. */
export const retryAfter = (seconds: number): Readonly<Record<string, string>> => ({
  'Retry-After': String(seconds),
  'Access-Control-Expose-Headers': 'Retry-After',
});
