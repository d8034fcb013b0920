import { ServiceError } from '../../contract/base/service-error.ts';
import { isWellFormed } from '../../contract/base/text.ts';
import { type RuntimeStart, runtimeStart } from '../../contract/study/runtime-start.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import { utf8Json } from '../core/utf8-json.ts';
import { sourceRevisionIdOf, sourceSessionIdOf } from '../sources/source-identity.ts';
import { requestedAnalysisOf } from './analysis-request.ts';
import { calibrationIn } from './forecast.ts';
import { type AcceptedStudy, acceptStudy } from './runtime-start.ts';
import { planStudy } from './study-plan.ts';

/** What in a run-start record does not follow from the rest of it. */
export type StartRecordPlace =
  | 'encoding'
  | 'shape'
  | 'source_session'
  | 'range'
  | 'analysis_request'
  | 'work_plan'
  | 'command'
  | 'runtime'
  | 'source_artifact'
  | 'forecast'
  | 'frozen_forecast';

/** A stored run-start record contradicts itself. On the wire it is `stored_content_inconsistent`. */
export class StartRecordError extends ServiceError {
  readonly place: StartRecordPlace;
  constructor(place: StartRecordPlace, cause?: unknown) {
    super('stored_content_inconsistent', `the run-start record fails at: ${place}`);
    this.name = 'StartRecordError';
    this.place = place;
    this.cause = cause;
  }
}

/** Whether a value is well-formed text throughout; one that is nested too deeply to be looked through is not. */
function isText(value: unknown): boolean {
  try {
    return isWellFormed(value);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function demand(place: StartRecordPlace, found: unknown, derived: unknown): void {
  if (canonicalJson(found) !== canonicalJson(derived)) throw new StartRecordError(place);
}

/**
 * Reads a stored run-start record and derives everything again that can be derived: ids of source, request, plan, command
 * and run, the forecast from the finished operations that it names, and its freeze, at last the very bytes. The content id of `bytes` is the caller's to compare.
 * Throws `StartRecordError` at the first place that does not follow.
 */
export const reopenRuntimeStart = (bytes: Uint8Array): RuntimeStart => reopenAcceptedStudy(bytes).record;

/** As `reopenRuntimeStart`, with everything else that the same acceptance stored. */
export function reopenAcceptedStudy(bytes: Uint8Array): AcceptedStudy {
  const value = utf8Json(bytes, (cause) => new StartRecordError('encoding', cause));
  if (!isText(value)) throw new StartRecordError('encoding');
  const shaped = runtimeStart.safeParse(value);
  if (!shaped.success) throw new StartRecordError('shape', shaped.error);
  const record = shaped.data;
  const { sourceSession: session, analysisRequest } = record;
  demand('source_session', session.sessionId, sourceSessionIdOf(session));
  demand('source_session', session.revisionId, sourceRevisionIdOf(session));
  if (analysisRequest.range.endMs > session.source.durationMs) throw new StartRecordError('range');
  const request = { ...requestedAnalysisOf(analysisRequest), clientRequestId: record.clientRequestId };
  const plan = planStudy({ session }, request, calibrationIn(record.forecast));
  demand('analysis_request', analysisRequest, plan.analysisRequest);
  demand('work_plan', record.workPlan, plan.workPlan);
  demand('command', record.commandId, plan.commandId);
  demand('runtime', [record.runtimeId, record.journalId], [plan.runtimeId, plan.journalId]);
  demand('source_artifact', record.sourceArtifactId, plan.sourceArtifactId);
  demand('forecast', record.forecast, plan.forecast);
  const accepted = acceptStudy(plan, { session }, record.startedAt);
  demand('frozen_forecast', record.frozenForecast, accepted.frozenForecast);
  if (Buffer.compare(accepted.files[0].bytes, bytes) !== 0) throw new StartRecordError('encoding');
  return accepted;
}
