import { ServiceError } from '../../contract/base/errors.ts';
import type { RecognitionWish } from '../../contract/captions/caption-method.ts';
import type { RegisteredSource, SourceSession } from '../../contract/sources/source-session.ts';
import type { Forecast } from '../../contract/study/forecast.ts';
import type { AnalysisRequest, RuntimeRequest, WorkPlan } from '../../contract/study/plan.ts';
import type { RuntimePlan } from '../../contract/study/start.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import { type Calibration, calibrationOf } from '../../rules/forecast.ts';
import { sourceArtifactIdOf } from '../identities.ts';
import { forecastOf } from './forecast.ts';

interface CommandInput {
  readonly sourceRevisionId: string;
  readonly analysisRequestId: string;
  readonly workPlan: WorkPlan;
  readonly chosen: ChosenStart;
}

/** The additions of a caller to a start beside its analysis; each is absent unless the request had it. */
interface ChosenStart {
  /** Makes an attempt of its own over equal inputs. */
  readonly clientRequestId?: string;
  /** The wish for the speech of the range; null for no recognition. */
  readonly recognition?: RecognitionWish | null;
}

const chosenIn = ({ clientRequestId, recognition }: StudyRequest): ChosenStart => ({
  ...(clientRequestId === undefined ? {} : { clientRequestId }),
  ...(recognition === undefined ? {} : { recognition }),
});

/** The key under which a start happens once: it follows from the request, with what the caller added to it. */
const commandIdOf = ({ chosen, ...input }: CommandInput): string => `runtime-start:${hashOf({ ...input, ...chosen })}`;

/** A run's id: the digest of its command laid out as a version 4 UUID. */
export function runtimeIdOf(commandId: string): string {
  const digest = hashOf({ allocator: 'studio.local-runtime-host.v1', commandId });
  const part = (from: number, to: number) => digest.slice(from, to);
  return `runtime:${part(0, 8)}-${part(8, 12)}-4${part(13, 16)}-8${part(17, 20)}-${part(20, 32)}`;
}

const journalIdOf = (runtimeId: string): string => `journal:${runtimeId}`;

/** The part of a request that its own id covers; what a caller adds to it belongs to the command, not to the analysis. */
type RequestedAnalysis = Omit<RuntimeRequest, keyof ChosenStart | 'materializationId'>;

/** The study request, bound to one revision of its source; `requestId` covers everything but itself and `schema`. */
function analysisRequestOf(session: SourceSession, request: RequestedAnalysis): AnalysisRequest {
  const body = {
    sourceSessionId: session.sessionId,
    sourceRevisionId: session.revisionId,
    sourceContentId: session.source.contentId,
    range: request.range,
    language: {
      languagePair: { requestedSource: request.requestedSourceLanguage, targetLanguage: request.targetLanguage },
      selectedLanguagePackId: request.selectedLanguagePackId,
      detectedLanguageEvidenceContentIds: session.detectedLanguageEvidenceContentIds,
    },
    outputDepth: request.outputDepth,
    options: request.options,
  };
  return { schema: 'studio.analysis-request.v1', requestId: `analysis-request:${hashOf(body)}`, ...body };
}

/** The request of a caller behind this analysis request. */
export const requestedAnalysisOf = (request: AnalysisRequest): RequestedAnalysis => ({
  sourceSessionId: request.sourceSessionId,
  sourceRevisionId: request.sourceRevisionId,
  range: request.range,
  requestedSourceLanguage: request.language.languagePair.requestedSource,
  targetLanguage: request.language.languagePair.targetLanguage,
  selectedLanguagePackId: request.language.selectedLanguagePackId,
  outputDepth: request.outputDepth,
  options: request.options,
});

/** The one operation that a start commits to: a bounded pass over the requested range. */
function workPlanOf({ requestId, range }: Pick<AnalysisRequest, 'requestId' | 'range'>): WorkPlan {
  const operationId = `operation:bounded-media-seek:${hashOf({ requestId, range })}`;
  return {
    schema: 'studio.forecast.work-plan.v1',
    planId: `plan:bounded-media-seek:${hashOf({ operationId })}`,
    operations: [{ operationId, kind: 'media.seek', range }],
  };
}

/** The part of a registered source that a plan rests on. */
export type PlannedSource = Pick<RegisteredSource, 'session'>;

type StudyRequest = RequestedAnalysis & { readonly [Key in keyof ChosenStart]?: ChosenStart[Key] | undefined };

/** All that follows from a source and a request, before anything is promised. */
export interface StudyPlan {
  readonly chosen: ChosenStart;
  readonly analysisRequest: AnalysisRequest;
  readonly workPlan: WorkPlan;
  readonly commandId: string;
  readonly runtimeId: string;
  readonly journalId: string;
  readonly sourceArtifactId: string;
  readonly forecast: Forecast;
}

/**
 * Plans a study. Pure: a plan and a start of the same request carry the same ids, and the same forecast if the same finished
 * operations calibrate them. Only the forecast depends on these. Bounds are checked beforehand.
 */
export function planStudy(
  { session }: PlannedSource,
  request: StudyRequest,
  finished: Calibration | null = null,
): StudyPlan {
  const chosen = chosenIn(request);
  const analysisRequest = analysisRequestOf(session, request);
  const workPlan = workPlanOf(analysisRequest);
  const commandId = commandIdOf({
    sourceRevisionId: session.revisionId,
    analysisRequestId: analysisRequest.requestId,
    workPlan,
    chosen,
  });
  const runtimeId = runtimeIdOf(commandId);
  const sourceArtifactId = sourceArtifactIdOf(runtimeId, { session });
  return {
    chosen,
    analysisRequest,
    workPlan,
    commandId,
    runtimeId,
    journalId: journalIdOf(runtimeId),
    sourceArtifactId,
    forecast: forecastOf({
      sourceArtifactId,
      session,
      workPlan,
      range: request.range,
      calibration: finished === null ? null : calibrationOf(request.range, finished),
    }),
  };
}

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

/**
 * Refuses what a plan and a start must both refuse. Throws `ServiceError`. `stale_source_revision`: the source has another
 * revision by now. `invalid_analysis_request`: the range runs past the measured duration. `study_range_too_large`: it is longer
 * than the host studies at once.
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
