import type { StoredObject } from '../../contract/base/stored-object.ts';
import type { Forecast } from '../../contract/study/forecast.ts';
import type { ForecastFreeze } from '../../contract/study/forecast-freeze.ts';
import { type RuntimeStart, runtimeStart } from '../../contract/study/runtime-start.ts';
import { contentIdOfBytes, hashOf, storedBytes } from '../core/canonical-json.ts';
import { indentedFile } from '../core/indented-file.ts';
import { forecastFreezeOf } from './forecast-freeze.ts';
import type { PlannedSource, StudyPlan } from './study-plan.ts';

/** A promise to run a study, ready to be stored and committed before it is answered. */
export interface AcceptedStudy {
  readonly record: RuntimeStart;
  /** Hash of the record's indented file; the first of `files`. */
  readonly receiptContentId: string;
  readonly frozenForecast: ForecastFreeze;
  /** What was asked and forecast, as one digest; the time of acceptance is no part of it. */
  readonly requestContentId: string;
  /** The record, the forecast and its freeze; the latter two without their ids, as their content ids describe them. */
  readonly files: readonly [StoredObject, StoredObject, StoredObject];
}

const stored = (bytes: Uint8Array): StoredObject => ({ contentId: contentIdOfBytes(bytes), bytes });

const forecastBytes = ({ forecastId, content, ...body }: Forecast): Uint8Array => storedBytes(body);

const freezeBytes = ({ freezeId, content, ...body }: ForecastFreeze): Uint8Array => storedBytes(body);

const recordOf = (
  plan: StudyPlan,
  { session }: PlannedSource,
  frozenForecast: ForecastFreeze,
  startedAt: string,
): RuntimeStart => ({
  schema: 'studio.runtime-start.v1',
  producer: { id: 'studio.local-runtime-start', version: '1' },
  commandId: plan.commandId,
  runtimeId: plan.runtimeId,
  journalId: plan.journalId,
  ...(plan.clientRequestId === null ? {} : { clientRequestId: plan.clientRequestId }),
  sourceSession: session,
  sourceArtifactId: plan.sourceArtifactId,
  analysisRequest: plan.analysisRequest,
  workPlan: plan.workPlan,
  forecast: plan.forecast,
  frozenForecast,
  startedAt,
});

/**
 * Accepts a plan at `startedAt` (UTC with milliseconds). Pure: the same plan and time give the same bytes.
 * Throws `ZodError` when the source or the time is not what a record may hold.
 */
export function acceptStudy(plan: StudyPlan, source: PlannedSource, startedAt: string): AcceptedStudy {
  const frozenForecast = forecastFreezeOf({ forecast: plan.forecast, runId: plan.runtimeId, runStartAt: startedAt });
  // The schema lays the keys out: the file's bytes must not depend on how the caller built the source.
  const record = runtimeStart.parse(recordOf(plan, source, frozenForecast, startedAt));
  const file = stored(indentedFile(record));
  const request = {
    sourceRevisionId: source.session.revisionId,
    analysisRequest: plan.analysisRequest,
    workPlan: plan.workPlan,
    forecastContentId: plan.forecast.content.contentId,
    materializationId: null,
  };
  return {
    record,
    receiptContentId: file.contentId,
    frozenForecast,
    requestContentId: `sha256:${hashOf(request)}`,
    files: [file, stored(forecastBytes(plan.forecast)), stored(freezeBytes(frozenForecast))],
  };
}
