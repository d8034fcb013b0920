import type { ErrorCode } from './error-codes.ts';

/**
 * What a client, or the owner of the host, can do about each error. The envelope's message ends with it, and
 * `docs/errors.md` shows it in the column "what to do". One clause, no capital, no full stop; null only for codes that are
 * never sent.
 */
export const errorRemedies: Readonly<Record<ErrorCode, string | null>> = {
  host_not_allowed: 'call the origin that the start line names as listening',
  origin_not_allowed: 'start the host with --allowed-origin and this origin, or call from the origin of the grant',
  origin_required: 'send an Origin header; browsers do',
  unauthorized: 'send Authorization: Bearer with the authorizationToken of the start line; each process has its own',
  invalid_target: 'correct the URL',
  invalid_identity: 'percent-encode the id as UTF-8',
  not_found: 'see docs/endpoints.md',
  method_not_allowed: 'use a method that the Allow header names',
  unknown_query: 'leave the key or value out',
  duplicate_query: 'send the key once',
  unsupported_content_type: 'set the Content-Type that the message names',
  unsupported_content_encoding: 'send the bytes without Content-Encoding',
  invalid_content_length: 'send one Content-Length, a decimal number of bytes',
  unsupported_transfer_encoding: 'send Transfer-Encoding: chunked, or a Content-Length',
  content_length_too_large: 'send the body in chunks, without a length (curl: -H "Transfer-Encoding: chunked")',
  request_body_too_large: 'send less',
  empty_request_body: 'send a body; where it is JSON, at least {}',
  invalid_json: 'send one JSON text in UTF-8',
  internal_failure: 'look at stderr of the host',

  owned_ingest_unavailable: 'use a host that takes in files',
  videohost_local_ingest_unavailable:
    'put yt-dlp 2023.11.14 or newer on PATH or name it by MEDIA_STUDY_YTDLP, and start the host again',
  invalid_ingest_request: 'correct the field',
  invalid_rights_attestation: 'attest or confirm the rights, or leave the media alone',
  invalid_upload_length: 'send the declared bytes again; the ingest is still open',
  ingest_body_too_large: 'start the host with a larger --maximum-owned-media-bytes',
  ingest_range_too_large: 'ask for a shorter range, or start the host with a larger --maximum-videohost-local-range-ms',
  unknown_ingest: 'use the ingestId of the answer that opened the ingest',
  ingest_upload_conflict: 'open another ingest for another file',
  invalid_upload_offset: 'send Upload-Offset, a decimal number of bytes: the one that HEAD of the upload answers',
  upload_offset_conflict: 'ask for the offset by HEAD, and send the bytes from there on',
  upload_superseded: 'leave the upload to the newer request, or ask for the offset by HEAD and go on',
  invalid_upload_checksum: 'send Upload-Checksum: sha256 or sha1, a space, and the digest in Base64, or leave it out',
  upload_checksum_mismatch: 'send the part again from the same offset',
  upload_gone: 'read the status of the ingest; open another ingest to send the file again',
  unsupported_tus_version: 'send Tus-Resumable: 1.0.0',
  ingest_already_terminal: 'read the status of the ingest',
  ingest_capacity: 'wait until some ingests end, or cancel them',
  ingest_identity_failed: 'try again',
  insufficient_storage: 'free space on the volume of the data root; if the ingest has failed, open another',

  invalid_subtitle_request: 'correct the key of the query',
  subtitle_encoding_mismatch:
    'name the encoding of the file, such as encoding=windows-1252, or --encoding windows-1252 of the command',
  subtitle_format_mismatch: 'send an SRT, WebVTT or ASS file, and leave format out or name the right one',
  invalid_subtitle_file: 'correct the line, or export the file anew',
  subtitle_file_too_large: 'attach a file of at most 1 MiB',
  subtitle_track_limit: 'detach a subtitle file that is not needed',
  unknown_subtitle_track: 'use a trackIndex of the list of attached files',

  invalid_start_request: 'correct the field',
  invalid_analysis_request: 'end the range within durationMs of the source',
  study_range_too_large: 'study parts of it, or start the host with a larger --maximum-study-range-ms',
  study_queue_full:
    'ask again after the seconds of Retry-After, or start the host with a larger --maximum-live-studies',
  unknown_source_session: 'take a sourceSessionId from the list of sources',
  stale_source_revision: 'take the sourceRevisionId from the list of sources; finished studies stay readable',
  source_revalidation_failed: 'restore the sealed file, or ingest the media again',
  invalid_command_id: 'use the commandId of a plan or a start',
  unknown_command: 'start the study first, or check the commandId',
  unknown_runtime: 'use the runtimeId of the answer that started the study',
  invalid_cancellation_request: 'send the body {}',
  runtime_already_terminal: 'read the status of the runtime',

  invalid_cursor: 'use nextCursor of the page before, and a limit of at least 1',
  invalid_limit: 'ask for at most 200 at once',
  invalid_filter: 'use one of the values that the message names, or leave the filter out',
  invalid_wait: 'wait for at most 8000 ms',
  invalid_subscription: 'name at least one runtime or ingest, each once, and at most 64 in all',
  cursor_past_head: 'use nextCursor of the page before, or begin again at 0',
  malformed_journal: 'see the status for the last good head; study again with another clientRequestId',
  invalid_journal_chain: 'see the status for the last good head; study again with another clientRequestId',
  stored_content_inconsistent: 'put the file back if you have a copy, or study again with another clientRequestId',
  storage_unavailable:
    'ask again after Retry-After seconds, or open another ingest if it has failed; look at the disk and at the limit of open files',

  invalid_review_request: 'correct the field; attestations are fixed texts',
  reviewer_identity_mismatch: 'use the reviewer of the start line',
  illegal_review_transition: 'read the intakes and reviews again; a new attempt of the study makes a new intake',

  invalid_caption_request: 'send the approval as the list of reviews has it',
  caption_authority_required: 'read the reviews again; captions need an approval that stands',
  caption_current_run_causality_required:
    'start the host with --caption-executor embedded-subtitles --allow-embedded-subtitle-captions',
  illegal_caption_transition: 'read the productions of the runtime; a new attempt of the study can be approved again',
  caption_translation_failed:
    'look at the server that translates, then ask again: the approval stays free, three attempts in all',
  caption_lines_unavailable:
    'the approval stays free: start the host with a caption executor that has lines, or study the range again as the reason says',
  invalid_caption_qc_request: 'send the candidate as the list of productions has it',
  illegal_caption_qc_transition: 'read the quality controls of the runtime',
  export_unavailable: 'read the overview of the runtime: it has the reason',
  signing_key_unusable:
    'put signing-key.pem in the data root back from a copy with mode 0600, or move it away: the host makes another one',

  invalid_language_explanation_request: 'correct the field; spans count code points',
  language_explanation_unavailable:
    'start the host with --language-explanation-executor openai, its permission switch and a model',
  language_explanation_caption_authority_required: 'read the captions again; their approval must stand',
  invalid_language_selection: 'take line, side and words from the stored captions, by code points',
  illegal_language_explanation_transition: 'read the list of explanations; ask for something else',
  language_explanation_executor_failed: 'look at the model server; ask again, three times in all',

  invalid_private_playback_grant_request: 'take the ids from the run-start record in the status',
  invalid_private_playback_revocation: 'send the schema of a revocation alone',
  invalid_private_playback_renewal: 'send the schema of a renewal alone',
  private_playback_source_unavailable: 'study again with another clientRequestId: the start receipt is gone',
  private_playback_source_mismatch: 'take the ids from the run-start record in the status',
  private_playback_mime_unsupported: 'convert the media to MP4, WebM, MP3, WAV, FLAC or Ogg and ingest that',
  private_playback_grant_capacity: 'revoke grants, or wait: each ends after ten minutes',
  private_playback_grant_unavailable: 'ask for a new grant',
  private_playback_grant_expired: 'ask for a new grant',
  invalid_private_playback_range: 'ask for one range within the size that Content-Range names',
  unknown_chart: 'take a machineId from GET /v1/charts',
  unknown_actor: 'take an actorId from GET /v1/actors',
  runtime_deleted: 'read its receipt with GET /v1/deletions; another study of it needs a new clientRequestId',
  source_deleted: 'read its receipt with GET /v1/deletions; ingest the media again to study it',
  runtime_live: 'cancel the study, or wait for its end, and delete it then',
  runtime_in_production: 'wait until its captions and explanations are made, or revoke the approval',
  source_in_use: 'delete the runtimes that the message names, and wait for live ingests to end',
  source_read_in_place:
    'start the host without this source directory to delete the source; ingest its media to attach files to it',

  invalid_collection_request: 'send {"dryRun": true} or {"dryRun": false}',
  invalid_snapshot_request: 'send an empty JSON object',
  invalid_pairing_request: 'send an empty JSON object for a code, or the schema of a pairing request with the code',
  pairing_refused: 'ask the owner of the host for a new code: media-study pair',

  partial_journal_line: null,
  invalid_journal: null,
  journal_too_large: null,
};
