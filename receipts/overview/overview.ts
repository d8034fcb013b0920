import { failureCauseOf } from '../../contract/causes/stored-failures.ts';
import { facetKinds } from '../../contract/explanations/executor.ts';
import type { OverviewAction, RuntimeOverview, SituationCode } from '../../contract/overview.ts';
import { approvalReasons, attestations, rejectionReasons, revocationReasons } from '../../contract/review.ts';
import { isCanceled } from '../../contract/study/cancellation.ts';
import { studyStages } from '../../contract/study/stages.ts';
import type { Lifecycle } from '../../contract/study/status.ts';
import { timeCode } from '../../formats/readable-numbers.ts';
import type { Steps } from '../../formats/steps.ts';
import { candidateOf } from '../captions/quality-control.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { runtimeListOf } from '../published/runtime.ts';
import { stageOf } from '../study/progress.ts';
import { claimSentences, overviewFindingsOf, withheldPartsOf } from './findings.ts';
import {
  captionsPart,
  checkPart,
  decisionPart,
  explanationsPart,
  type HostAbilities,
  type OverviewedRuntime,
  type OverviewParts,
  overviewedRuntime,
  reviewPart,
  type StudyActorState,
} from './parts.ts';

type Situation = RuntimeOverview['situation'];

const before: Readonly<Record<Exclude<Lifecycle, 'terminal'>, SituationCode>> = {
  accepted: 'waiting_for_a_worker',
  initializing: 'opening',
  running: 'studying',
  failed: 'failed',
  interrupted: 'interrupted',
};

function studyText({ lifecycle, actorState, study }: OverviewedRuntime): string {
  if (lifecycle === 'accepted') return 'waiting for a free worker';
  if (lifecycle === 'initializing') return 'opening the source';
  if (lifecycle === 'running' && actorState.waitsFor !== null) return actorState.waitsFor;
  if (lifecycle === 'running') {
    const stage = study === null ? 'detect' : stageOf(study.progress);
    return `studying: ${stage === null ? 'ending' : studyStages[stage].words}`;
  }
  const { code, message } = study?.stop?.reason ??
    actorState.reason ?? { code: lifecycle, message: 'no reason is stored' };
  return isCanceled({ code, message }) ? message : `${lifecycle}: ${code}: ${message}`;
}

function approvedSituation({ captions, check }: OverviewParts): Situation {
  if (captions.state === 'under_way') return { code: 'producing_captions', text: `making captions: ${captions.text}` };
  if (captions.state === 'failed') return { code: 'captions_failed', text: `no captions: ${captions.text}` };
  if (check.state === 'waiting') return { code: 'waiting_for_check', text: 'captions made; not checked yet' };
  if (check.state === 'withheld') return { code: 'captions_withheld', text: `captions ${check.text}` };
  if (check.state === 'done') return { code: 'captions_accepted', text: `captions accepted: ${captions.text}` };
  return { code: 'approved', text: `approved: ${captions.text}` };
}

/** The state of a runtime, as a code and in plain words. */
function situationOf(overviewed: OverviewedRuntime, parts: OverviewParts): Situation {
  const { lifecycle, actorState } = overviewed;
  if (lifecycle !== 'terminal') {
    const isWaiting = lifecycle === 'running' && actorState.waitsFor !== null;
    const code = isWaiting ? 'waiting_for_a_worker' : before[lifecycle];
    return { code, text: studyText(overviewed) };
  }
  const { state, text } = parts.review;
  const { deciding = null, review = null } = overviewed.study?.tail ?? {};
  switch (state) {
    case 'waiting':
      return { code: 'waiting_for_review', text };
    case 'withheld':
      return { code: review === null ? 'withheld_from_review' : 'rejected', text };
    case 'withdrawn':
      return { code: 'approval_withdrawn', text };
    case 'under_way':
      return { code: deciding === null ? 'withdrawing_approval' : 'recording_review', text };
    default:
      return approvedSituation(parts);
  }
}

type Blank = OverviewAction['fill'][number];

const read = (action: OverviewAction['action'], text: string, path: string): OverviewAction => ({
  action,
  text,
  method: 'GET',
  path,
  body: null,
  fill: [],
});

const write = (
  action: OverviewAction['action'],
  text: string,
  path: string,
  body: Record<string, unknown>,
  fill: Blank[] = [],
): OverviewAction => ({ action, text, method: 'POST', path, body, fill });

/** Only a person says these words; no client fills them in by itself. */
const attested = (statement: string): Blank => ({
  at: '/reviewer/attestation',
  with: `the words "${statement}", given by the reviewer in person`,
});

const oneOf = (at: string, codes: readonly string[]): Blank => ({ at, with: `one or more of ${codes.join(', ')}` });

function reviewActions({ study, host }: OverviewedRuntime, path: string): OverviewAction[] {
  const intake = study?.conclusion?.admission.intake ?? null;
  if (intake === null) return [];
  const reviewer = { id: host.reviewerId, attestation: null };
  const approval = { outcome: 'approve_for_caption_production', reasonCodes: [...approvalReasons], note: null };
  const rejection = { outcome: 'reject_with_reasons', reasonCodes: null, note: null };
  const signed = attested(attestations.decision);
  return [
    write('approve', 'approve the study for captions', path, { intake, reviewer, decision: approval }, [signed]),
    write('reject', 'reject the study with reasons', path, { intake, reviewer, decision: rejection }, [
      signed,
      oneOf('/decision/reasonCodes', rejectionReasons),
    ]),
  ];
}

/** The possible steps under a valid approval. */
function approvedActions({ study, host, base }: OverviewedRuntime, { captions, check, explanations }: OverviewParts) {
  const { authority: approval = null, captions: made } = study?.tail ?? {};
  if (approval === null) return [];
  const reviewer = { id: host.reviewerId, attestation: null };
  const revocation = { reasonCodes: null, note: null };
  const actions: OverviewAction[] = [];
  if (captions.state === 'waiting') {
    actions.push(write('produce_captions', 'make the captions', captions.path, { approval }));
  }
  const reference = made?.caption?.reference ?? null;
  if (reference !== null && check.state === 'waiting') {
    const candidate = candidateOf(reference);
    actions.push(write('check_captions', 'check the captions', check.path, { candidate }));
  }
  if (reference !== null && check.state === 'done') {
    const file = `${base}/caption-productions/${reference.jobId}.vtt?side=target`;
    actions.push(read('read_captions', 'read the captions as WebVTT', file));
  }
  if (reference !== null && host.explains) {
    const body = { caption: reference, lineId: null, selection: null, facetKinds: null };
    const fill = [
      { at: '/lineId', with: 'the id of a line of the captions' },
      { at: '/selection', with: 'side, unit (unicode_code_point), start, end and text of the words' },
      oneOf('/facetKinds', facetKinds),
    ];
    actions.push(write('explain', 'have words of a line explained', explanations.path, body, fill));
  }
  actions.push(
    write('revoke', 'withdraw the approval', `${base}/publish-review-revocations`, { approval, reviewer, revocation }, [
      attested(attestations.revocation),
      oneOf('/revocation/reasonCodes', revocationReasons),
    ]),
  );
  return actions;
}

/** The same study once more: the request that was sent, under another name. */
function studyAgain({ runtime }: OverviewedRuntime): OverviewAction {
  const { analysisRequest, recognition } = runtime.accepted.record;
  const { sourceSessionId, sourceRevisionId, range, language, outputDepth, options } = analysisRequest;
  const body = {
    sourceSessionId,
    sourceRevisionId,
    range,
    requestedSourceLanguage: language.languagePair.requestedSource,
    targetLanguage: language.languagePair.targetLanguage,
    selectedLanguagePackId: language.selectedLanguagePackId,
    outputDepth,
    options,
    ...(recognition === undefined ? {} : { recognition }),
    clientRequestId: null,
  };
  const fill = [{ at: '/clientRequestId', with: 'a new name for this attempt' }];
  return write('study_again', 'study the same range once more', '/v1/runtime-starts', body, fill);
}

/** The possible next steps, as requests, the nearest first. */
function actionsOf(overviewed: OverviewedRuntime, parts: OverviewParts): OverviewAction[] {
  const { hasEnded, runtime, base, host } = overviewed;
  if (!hasEnded) {
    const events = `${base}/events?after=${runtime.journalHead}&wait=8000`;
    return [read('follow', 'wait for the next event', events)];
  }
  return [
    ...(parts.review.state === 'waiting' ? reviewActions(overviewed, parts.review.path) : []),
    ...approvedActions(overviewed, parts),
    ...(host.sourceIsCurrent ? [studyAgain(overviewed)] : []),
  ];
}

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

function studyOf({ runtime, study, actorState, hasEnded, base }: OverviewedRuntime): RuntimeOverview['study'] {
  const { analysisRequest, startedAt } = runtime.accepted.record;
  const { range, language, outputDepth } = analysisRequest;
  const reason = study?.stop?.reason ?? (hasEnded ? actorState.reason : null);
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
    reason,
    cause: reason === null ? null : failureCauseOf(reason, 'study'),
    resumes: span?.resumes ?? actorState.resumes,
    deadlineLeftMs: hasEnded ? null : actorState.deadlineLeftMs,
  };
}

function* partsOf(overviewed: OverviewedRuntime): Steps<OverviewParts> {
  const review = reviewPart(overviewed);
  const captions = yield* captionsPart(overviewed, review);
  const { study, base } = overviewed;
  const isMissing = study?.conclusion != null && study.tail.captions.caption === null;
  return {
    decision: decisionPart(overviewed),
    review,
    captions: isMissing ? { ...captions, methodsPath: `${base}/caption-methods` } : captions,
    check: checkPart(overviewed, captions),
    explanations: explanationsPart(overviewed, captions),
  };
}

/**
 * Everything that a client wants to show of a runtime, in words, in numbers with units, and as requests for what may be done
 * next. In steps. `actorState` is what its actor said before the journal was read: where both differ, the journal is newer.
 */
export function* runtimeOverviewBySteps(
  runtime: VerifiedRuntime,
  actorState: StudyActorState,
  host: HostAbilities,
): Steps<RuntimeOverview> {
  const overviewed = overviewedRuntime(runtime, actorState, host);
  const parts = yield* partsOf(overviewed);
  yield;
  const findings = overviewFindingsOf(runtime, overviewed.hasEnded);
  yield;
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
    withheld: withheldPartsOf(overviewed, findings, claims, parts),
    actions: actionsOf(overviewed, parts),
  };
}
