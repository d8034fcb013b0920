/**
 * Every code with which a command of this folder refuses to begin, and its exit code: 2 where the call itself is wrong,
 * else 1. `docs/errors.md` explains each.
 */
export const startCodes = {
  invalid_flags: 2,
  invalid_port: 2,
  invalid_origin: 2,
  invalid_ingest_limit: 2,
  invalid_reviewer: 2,
  executor_not_allowed: 2,
  invalid_explanation_provider: 2,
  invalid_recognition_provider: 2,
  invalid_translation_provider: 2,
  invalid_work_queue: 2,
  invalid_settings: 2,
  non_loopback_bind_rejected: 2,
  wildcard_origin_rejected: 2,
  invalid_host_token: 1,
  object_source_unavailable: 1,
  http_adapter_unavailable: 1,
  listen_failed: 1,
  charts_stale: 1,
} as const;

export type StartCode = keyof typeof startCodes;
