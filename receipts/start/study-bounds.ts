import { ServiceError } from '../../contract/base/service-error.ts';
import type { RuntimeRequest } from '../../contract/study/runtime-request.ts';
import type { PlannedSource } from './study-plan.ts';

/**
 * Refuses what a plan and a start must both refuse. Throws `ServiceError`: `stale_source_revision` when the source has
 * another revision by now, `invalid_analysis_request` when the range runs past the measured duration,
 * `study_range_too_large` when it is longer than the host studies at once.
 */
export function checkStudyBounds(
  { session }: PlannedSource,
  { sourceRevisionId, range }: Pick<RuntimeRequest, 'sourceRevisionId' | 'range'>,
  maximumRangeMs: number,
): void {
  const { durationMs } = session.source;
  if (sourceRevisionId !== session.revisionId)
    throw new ServiceError(
      'stale_source_revision',
      'the revision that was named is not the current one of this source',
    );
  if (range.endMs > durationMs)
    throw new ServiceError('invalid_analysis_request', `the range ends after the source, which has ${durationMs} ms`);
  if (range.endMs - range.startMs > maximumRangeMs)
    throw new ServiceError('study_range_too_large', `a study covers at most ${maximumRangeMs} ms`);
}
