import type { RuntimeOverview } from '../../contract/overview/runtime-overview.ts';
import { timeCode } from '../core/time-code.ts';
import type { VerifiedRuntime } from '../reopening/reopen-runtime.ts';
import { runtimeListOf } from '../reopening/runtime-list.ts';
import { actionsOf } from './actions.ts';
import { captionsPart, checkPart, explanationsPart } from './caption-parts.ts';
import { claimSentences } from './claim-sentences.ts';
import { findingsOf } from './findings.ts';
import {
  type HostAbilities,
  type OverviewedRuntime,
  type OverviewParts,
  overviewedRuntime,
  type StudyStanding,
} from './overviewed-runtime.ts';
import { decisionPart, reviewPart } from './review-parts.ts';
import { situationOf } from './situation.ts';
import { withheldOf } from './withheld.ts';

function sourceOf({ runtime }: OverviewedRuntime): RuntimeOverview['source'] {
  const { registered, records } = runtime.source;
  const { session, sourceKind, label } = registered;
  const { record, file } = records.sourceReceipt;
  const { basis, asserted_at: assertedAt, scope } = record.rights;
  const { origin } = record;
  return {
    sourceSessionId: session.sessionId,
    sourceRevisionId: session.revisionId,
    sourceKind,
    label,
    durationMs: session.source.durationMs,
    contentId: session.source.contentId,
    path: `/v1/source-sessions/${session.sessionId}/media-probe`,
    ingest: {
      receiptId: record.receipt_id,
      receiptContentId: file.contentId,
      origin: origin.kind === 'local_file' ? origin.filename : origin.canonical_url,
      rights: { basis, assertedAt, scope },
    },
  };
}

function studyOf({ runtime, study, standing, hasEnded, base }: OverviewedRuntime): RuntimeOverview['study'] {
  const { analysisRequest, startedAt } = runtime.accepted.record;
  const { range, language, outputDepth } = analysisRequest;
  const span = study?.conclusion?.span ?? study?.stop?.span ?? null;
  return {
    text: `${timeCode(range.startMs)} to ${timeCode(range.endMs)}`,
    path: base,
    range,
    sourceLanguage: language.languagePair.requestedSource,
    targetLanguage: language.languagePair.targetLanguage,
    outputDepth,
    acceptedAt: startedAt,
    step: study?.progress.done ?? null,
    reason: study?.stop?.reason ?? (hasEnded ? standing.reason : null),
    resumes: span?.resumes ?? standing.resumes,
    deadlineLeftMs: hasEnded ? null : standing.deadlineLeftMs,
  };
}

function partsOf(overviewed: OverviewedRuntime): OverviewParts {
  const review = reviewPart(overviewed);
  const captions = captionsPart(overviewed, review);
  return {
    decision: decisionPart(overviewed),
    review,
    captions,
    check: checkPart(overviewed, captions),
    explanations: explanationsPart(overviewed, captions),
  };
}

/**
 * Everything that a client wants to show of a runtime, in words, in numbers with units, and as requests for what may be done
 * next. `standing` is what its actor said before the journal was read: where both differ, the journal is newer.
 */
export function runtimeOverviewOf(
  runtime: VerifiedRuntime,
  standing: StudyStanding,
  host: HostAbilities,
): RuntimeOverview {
  const overviewed = overviewedRuntime(runtime, standing, host);
  const parts = partsOf(overviewed);
  const findings = findingsOf(runtime, overviewed.hasEnded);
  const claims = overviewed.study === null ? [] : claimSentences(overviewed.study.findings);
  return {
    schema: 'studio.local-runtime-overview.v1',
    ...runtimeListOf(runtime),
    lifecycle: overviewed.lifecycle,
    situation: situationOf(overviewed, parts),
    source: sourceOf(overviewed),
    study: studyOf(overviewed),
    findings,
    claims,
    ...parts,
    withheld: withheldOf(overviewed, findings, claims, parts),
    actions: actionsOf(overviewed, parts),
  };
}
