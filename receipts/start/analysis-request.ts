import type { SourceSession } from '../../contract/sources/source-session.ts';
import type { AnalysisRequest } from '../../contract/study/analysis-request.ts';
import type { RuntimeRequest } from '../../contract/study/runtime-request.ts';
import { hashOf } from '../core/canonical-json.ts';

/** The part of a request that its own id covers; a `clientRequestId` belongs to the command, not to the analysis. */
export type RequestedAnalysis = Omit<RuntimeRequest, 'clientRequestId' | 'materializationId'>;

/** What is to be studied, bound to one revision of its source; `requestId` covers everything but itself and `schema`. */
export function analysisRequestOf(session: SourceSession, request: RequestedAnalysis): AnalysisRequest {
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

/** What a caller must have asked for to get this analysis request. */
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
