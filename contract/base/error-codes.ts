/** Every error code of the wire and the one HTTP status it travels with. `docs/errors.md` explains each. */
export const errorCodes = {
  // the request's envelope
  host_not_allowed: 421,
  origin_not_allowed: 403,
  origin_required: 403,
  unauthorized: 401,
  invalid_target: 400,
  invalid_identity: 400,
  not_found: 404,
  method_not_allowed: 405,
  unknown_query: 400,
  duplicate_query: 400,
  unsupported_content_type: 415,
  unsupported_content_encoding: 415,
  invalid_content_length: 400,
  unsupported_transfer_encoding: 501,
  content_length_too_large: 413,
  request_body_too_large: 413,
  empty_request_body: 400,
  invalid_json: 400,
  internal_failure: 500,
  // ingest
  owned_ingest_unavailable: 404,
  videohost_local_ingest_unavailable: 404,
  invalid_ingest_request: 400,
  invalid_rights_attestation: 400,
  invalid_upload_length: 400,
  ingest_body_too_large: 413,
  ingest_range_too_large: 413,
  unknown_ingest: 404,
  ingest_upload_conflict: 409,
  ingest_already_terminal: 409,
  ingest_capacity: 429,
  ingest_identity_failed: 500,
  insufficient_storage: 507,
  // studies
  invalid_start_request: 400,
  invalid_analysis_request: 400,
  study_range_too_large: 413,
  study_queue_full: 429,
  unknown_source_session: 404,
  stale_source_revision: 409,
  source_revalidation_failed: 409,
  invalid_command_id: 400,
  unknown_command: 404,
  unknown_runtime: 404,
  invalid_cancellation_request: 400,
  runtime_already_terminal: 409,
  // journal
  invalid_cursor: 400,
  invalid_limit: 400,
  invalid_filter: 400,
  invalid_wait: 400,
  cursor_past_head: 409,
  malformed_journal: 409,
  invalid_journal_chain: 409,
  stored_content_inconsistent: 409,
  storage_unavailable: 503,
  // publish review
  invalid_review_request: 400,
  reviewer_identity_mismatch: 403,
  illegal_review_transition: 409,
  // captions
  invalid_caption_request: 400,
  caption_authority_required: 409,
  caption_current_run_causality_required: 409,
  illegal_caption_transition: 409,
  invalid_caption_qc_request: 400,
  illegal_caption_qc_transition: 409,
  // exports
  export_unavailable: 409,
  // language explanations
  invalid_language_explanation_request: 400,
  language_explanation_unavailable: 409,
  language_explanation_caption_authority_required: 409,
  invalid_language_selection: 409,
  illegal_language_explanation_transition: 409,
  language_explanation_executor_failed: 502,
  // private playback
  invalid_private_playback_grant_request: 400,
  invalid_private_playback_revocation: 400,
  private_playback_source_unavailable: 409,
  private_playback_source_mismatch: 409,
  private_playback_mime_unsupported: 415,
  private_playback_grant_capacity: 429,
  private_playback_grant_unavailable: 404,
  private_playback_grant_expired: 410,
  invalid_private_playback_range: 416,
  // lifecycles
  unknown_chart: 404,
  // operation
  invalid_snapshot_request: 400,
  // kept for clients that know them; never sent
  partial_journal_line: 409,
  invalid_journal: 409,
  journal_too_large: 409,
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** Codes that stay in the closed set for existing clients and are never sent. */
export const reservedErrorCodes = [
  'partial_journal_line',
  'invalid_journal',
  'journal_too_large',
] as const satisfies readonly ErrorCode[];
