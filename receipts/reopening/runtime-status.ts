import type { RuntimeStart } from '../../contract/study/runtime-start.ts';
import {
  hasEnded,
  type Lifecycle,
  type RuntimeReason,
  type RuntimeStatus,
} from '../../contract/study/runtime-status.ts';

/** What is known of a run beyond its run-start record. */
export interface RunState {
  readonly record: RuntimeStart;
  readonly receiptContentId: string;
  readonly lifecycle: Lifecycle;
  /** UTC with milliseconds; moves with the lifecycle. */
  readonly lastTransitionAt: string;
  readonly reason: RuntimeReason | null;
  /** Number of events in the journal. */
  readonly journalHead: number;
}

/** Where a run stands, as a status answer or as the acknowledgement of its start: the same object under two names. */
export const runtimeStatusOf = (schema: RuntimeStatus['schema'], run: RunState): RuntimeStatus => ({
  schema,
  commandId: run.record.commandId,
  runtimeId: run.record.runtimeId,
  journalId: run.record.journalId,
  sourceSessionId: run.record.sourceSession.sessionId,
  sourceRevisionId: run.record.sourceSession.revisionId,
  analysisRequestId: run.record.analysisRequest.requestId,
  lifecycle: run.lifecycle,
  acceptedAt: run.record.startedAt,
  lastTransitionAt: run.lastTransitionAt,
  reason: run.reason,
  forecast: {
    forecastId: run.record.forecast.forecastId,
    contentId: run.record.forecast.content.contentId,
    frozenForecastId: run.record.frozenForecast.freezeId,
    baselineStatus: run.record.forecast.scenarios.baseline.status,
  },
  runStartReceipt: { contentId: run.receiptContentId, record: run.record },
  journalHead: run.journalHead,
  terminal: hasEnded(run.lifecycle),
});
