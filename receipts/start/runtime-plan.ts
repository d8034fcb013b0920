import type { RuntimePlan } from '../../contract/study/runtime-plan.ts';
import type { StudyPlan } from './study-plan.ts';

/** The wire's view of a plan. */
export const runtimePlanOf = ({ commandId, runtimeId, analysisRequest, forecast }: StudyPlan): RuntimePlan => ({
  schema: 'studio.local-runtime-plan.v1',
  commandId,
  runtimeId,
  sourceSessionId: analysisRequest.sourceSessionId,
  sourceRevisionId: analysisRequest.sourceRevisionId,
  analysisRequestId: analysisRequest.requestId,
  forecast,
  acceptance: { status: 'not_started', frozenForecastId: null },
});
