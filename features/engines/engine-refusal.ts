/** Why an engine is not installed, tried or used. `docs/guides/engines.md` has what to do about each. */
export const engineRefusals = [
  'unknown_engine',
  'name_taken',
  'not_confirmed',
  'file_missing',
  'program_missing',
  'download_failed',
  'digest_mismatch',
  'archive_refused',
  'engine_failed',
  'nothing_heard',
  'wrong_words',
  'nothing_translated',
  'server_refused',
  'server_unreachable',
  'key_file_refused',
  'key_refused',
  'model_unknown',
  'settings_refused',
] as const;

export type EngineRefusalCode = (typeof engineRefusals)[number];

/** A refusal of `media-study engines`. Its message begins with the code. */
export class EngineRefusal extends Error {
  constructor(
    readonly code: EngineRefusalCode,
    detail: string,
    cause?: unknown,
  ) {
    super(`${code}: ${detail}`, { cause });
    this.name = 'EngineRefusal';
  }
}
