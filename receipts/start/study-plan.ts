import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { AnalysisRequest } from '../../contract/study/analysis-request.ts';
import type { Forecast } from '../../contract/study/forecast.ts';
import type { WorkPlan } from '../../contract/study/work-plan.ts';
import { sourceArtifactIdOf } from '../core/artifact.ts';
import { analysisRequestOf, type RequestedAnalysis } from './analysis-request.ts';
import { type Calibration, calibrationOf } from './calibration.ts';
import { commandIdOf, journalIdOf, runtimeIdOf } from './command.ts';
import { forecastOf } from './forecast.ts';
import { workPlanOf } from './work-plan.ts';

/** The part of a registered source that a plan rests on. */
export type PlannedSource = Pick<RegisteredSource, 'session'>;

export type StudyRequest = RequestedAnalysis & { readonly clientRequestId?: string | undefined };

/** All that follows from a source and a request, before anything is promised. */
export interface StudyPlan {
  readonly clientRequestId: string | null;
  readonly analysisRequest: AnalysisRequest;
  readonly workPlan: WorkPlan;
  readonly commandId: string;
  readonly runtimeId: string;
  readonly journalId: string;
  readonly sourceArtifactId: string;
  readonly forecast: Forecast;
}

/**
 * Plans a study. Pure: a plan and a start of the same request carry the same ids, and the same forecast where they are calibrated
 * by the same finished operations. Only the forecast depends on these. Bounds are checked beforehand.
 */
export function planStudy(
  { session }: PlannedSource,
  request: StudyRequest,
  finished: Calibration | null = null,
): StudyPlan {
  const clientRequestId = request.clientRequestId ?? null;
  const analysisRequest = analysisRequestOf(session, request);
  const workPlan = workPlanOf(analysisRequest);
  const commandId = commandIdOf({
    sourceRevisionId: session.revisionId,
    analysisRequestId: analysisRequest.requestId,
    workPlan,
    clientRequestId,
  });
  const runtimeId = runtimeIdOf(commandId);
  const sourceArtifactId = sourceArtifactIdOf(runtimeId, { session });
  return {
    clientRequestId,
    analysisRequest,
    workPlan,
    commandId,
    runtimeId,
    journalId: journalIdOf(runtimeId),
    sourceArtifactId,
    forecast: forecastOf({
      ...{ sourceArtifactId, session, workPlan },
      range: request.range,
      calibration: finished === null ? null : calibrationOf(request.range, finished),
    }),
  };
}
