import type { AnalysisRequest } from '../../contract/study/analysis-request.ts';
import type { WorkPlan } from '../../contract/study/work-plan.ts';
import { hashOf } from '../core/canonical-json.ts';

/** The one operation that a start commits to: a bounded pass over the requested range. */
export function workPlanOf({ requestId, range }: Pick<AnalysisRequest, 'requestId' | 'range'>): WorkPlan {
  const operationId = `operation:bounded-media-seek:${hashOf({ requestId, range })}`;
  return {
    schema: 'studio.forecast.work-plan.v1',
    planId: `plan:bounded-media-seek:${hashOf({ operationId })}`,
    operations: [{ operationId, kind: 'media.seek', range }],
  };
}
