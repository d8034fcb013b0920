import type { ErrorCode } from '../../contract/base/error-codes.ts';

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
