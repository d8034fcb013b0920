import type { CaptionSide } from '../../contract/captions/caption-line.ts';
import { maximumCaptionAttempts } from '../../contract/captions/caption-production.ts';
import type { QualityControlReceipt } from '../../contract/captions/quality-control.ts';
import type { PartCause } from '../../contract/causes/causes.ts';
import { translationFailureOf } from '../../contract/causes/stored-failures.ts';
import { wireText } from '../../contract/causes/wording.ts';
import type { OverviewPart, RuntimeOverview } from '../../contract/overview.ts';
import type { ApprovalReference } from '../../contract/review.ts';
import { hasEnded, type Lifecycle, type RuntimeReason } from '../../contract/study/status.ts';
import { countText } from '../../formats/readable-numbers.ts';
import type { Steps } from '../../formats/steps.ts';
import { ruleSets } from '../../rules/rule-sets.ts';
import { type CaptionedStudy, captionObstacleOf } from '../captions/captioned-study.ts';
import { isCorrected } from '../captions/corrected-lines.ts';
import { hasSubtitleLines } from '../captions/executors.ts';
import { type CaptionAbility, captionProspectBySteps, captionsOff } from '../captions/prospect.ts';
import type { VerifiedRuntime, VerifiedStudy, VerifiedTail } from '../fold.ts';
import { approvable, approvedStudyOf } from '../published/captions.ts';
import { detectedEvidenceOf } from '../stages/admit.ts';
import type { VerifiedCaption, VerifiedCaptions } from '../stages/captions.ts';
import { reasonCauses, reasonsText } from './found.ts';

/** The state of the actor of a runtime before its journal was read. */
export interface StudyActorState {
  readonly lifecycle: Lifecycle;
  readonly reason: RuntimeReason | null;
  /** How often a host took it up again so far. */
  readonly resumes: number;
  /** The rest of its time; null if nothing was measured. */
  readonly deadlineLeftMs: number | null;
  /** The reason why the step under way waits, in words for people; null if it does not wait. */
  readonly waitsFor: string | null;
}

/** The possible next steps of the host that answers. */
export interface HostAbilities {
  readonly reviewerId: string;
  readonly captions: CaptionAbility;
  readonly explains: boolean;
  /** True if a study of this source revision could be started now. */
  readonly sourceIsCurrent: boolean;
}

/** A runtime as its overview looks at it. */
export interface OverviewedRuntime {
  readonly runtime: VerifiedRuntime;
  /** Null before the first event. */
  readonly study: VerifiedStudy | null;
  readonly actorState: StudyActorState;
  readonly lifecycle: Lifecycle;
  readonly hasEnded: boolean;
  readonly host: HostAbilities;
  /** The path of the runtime. */
  readonly base: string;
}

/** The parts of an overview that follow each other. */
export interface OverviewParts {
  readonly decision: OverviewPart;
  readonly review: ReviewPart;
  readonly captions: RuntimeOverview['captions'];
  readonly check: OverviewPart;
  readonly explanations: OverviewPart;
}

/** The journal is newer about the end of a run than the earlier statement of its actor. */
function lifecycleOf({ lifecycle }: StudyActorState, study: VerifiedStudy | null): Lifecycle {
  if (study?.conclusion) return 'terminal';
  return study?.stop?.lifecycle ?? lifecycle;
}

export function overviewedRuntime(
  runtime: VerifiedRuntime,
  actorState: StudyActorState,
  host: HostAbilities,
): OverviewedRuntime {
  const study = runtime.execution?.study ?? null;
  const lifecycle = lifecycleOf(actorState, study);
  const { runtimeId } = runtime.accepted.record;
  return {
    runtime,
    study,
    actorState,
    lifecycle,
    hasEnded: hasEnded(lifecycle),
    host,
    base: `/v1/runtimes/${runtimeId}`,
  };
}

type ReviewPart = RuntimeOverview['review'];

/** A part that nothing is stored of. */
const bare = (
  path: string,
  state: OverviewPart['state'],
  text: string,
  causes: readonly PartCause[] = [],
): OverviewPart => ({
  state,
  text,
  causes: [...causes],
  reasonCodes: [],
  receiptIds: [],
  path,
});

/** A part that comes after the end of a study, and never after its failure. */
function pending({ hasEnded }: OverviewedRuntime, path: string, what: string): OverviewPart {
  const cause: PartCause = { code: hasEnded ? 'study_ended' : 'study_running', params: {} };
  return bare(path, hasEnded ? 'never' : 'not_yet', `${what}: ${wireText(cause)}`, [cause]);
}

/** A part in the words of the one cause that it is not there for. */
const without = (path: string, state: OverviewPart['state'], cause: PartCause): OverviewPart =>
  bare(path, state, wireText(cause), [cause]);

/** The part for the decision whether the claims may go to a reviewer. */
export function decisionPart(overviewed: OverviewedRuntime): OverviewPart {
  const { study, base } = overviewed;
  const path = `${base}/decision-receipts`;
  const decision = study?.findings.decision?.body ?? null;
  if (decision !== null) {
    const { outcome, reasonCodes } = decision.decision;
    const isWithheld = outcome === 'withheld';
    return {
      state: isWithheld ? 'withheld' : 'done',
      text: isWithheld ? `withheld: ${reasonsText(reasonCodes)}` : 'all claims are supported',
      causes: isWithheld ? reasonCauses(reasonCodes) : [],
      reasonCodes,
      receiptIds: [decision.receiptId],
      path,
    };
  }
  if (study?.conclusion) return without(path, 'never', { code: 'nothing_claimed', params: {} });
  return pending(overviewed, path, 'no decision');
}

function reviewedPart(path: string, { review, revoking, plan }: VerifiedTail): ReviewPart | null {
  if (review === null) return null;
  const { receiptId, decision, reviewer } = review.receipt.body;
  const part = { causes: [], reasonCodes: [...decision.reasonCodes], receiptIds: [receiptId], path };
  if (decision.outcome === 'reject_with_reasons') {
    const text = `rejected by ${reviewer.label}: ${reasonsText(decision.reasonCodes)}`;
    return { ...part, state: 'withheld', text, causes: reasonCauses(decision.reasonCodes) };
  }
  if (review.revocation !== null) {
    const { receiptId: revocationId, revocation } = review.revocation.body;
    return {
      ...part,
      state: 'withdrawn',
      text: `the approval was withdrawn: ${reasonsText(revocation.reasonCodes)}`,
      causes: reasonCauses(revocation.reasonCodes),
      reasonCodes: [...revocation.reasonCodes],
      receiptIds: [receiptId, revocationId],
    };
  }
  if (revoking !== null) return { ...part, state: 'under_way', text: 'the approval is being withdrawn' };
  const approved = plan === null ? null : { digest: plan.digest, compared: plan.plan.compared };
  const causes: PartCause[] = plan === null ? [{ code: 'approved_without_plan', params: {} }] : [];
  return { ...part, causes, state: 'done', text: `approved for captions by ${reviewer.label}`, plan: approved };
}

/** The verdict of a person on the study. */
export function reviewPart(overviewed: OverviewedRuntime): ReviewPart {
  const { study, base } = overviewed;
  const path = `${base}/publish-review-decisions`;
  const conclusion = study?.conclusion ?? null;
  if (study === null || conclusion === null) return pending(overviewed, path, 'no review');
  const { receiptId, result } = conclusion.intake.body;
  if (result.outcome === 'rejected') {
    const text = `not put before a reviewer: ${reasonsText(result.reasonCodes)}`;
    const causes = reasonCauses(result.reasonCodes);
    return { state: 'withheld', text, causes, reasonCodes: [...result.reasonCodes], receiptIds: [receiptId], path };
  }
  const reviewed = reviewedPart(path, study.tail);
  if (reviewed !== null) return reviewed;
  const queued = { causes: [], reasonCodes: [], receiptIds: [receiptId], path };
  return study.tail.deciding === null
    ? { ...queued, state: 'waiting', text: 'waiting for your review' }
    : { ...queued, state: 'under_way', text: 'the review is being written down' };
}

type CaptionCounts = Pick<
  VerifiedCaption['artifact']['body']['result'],
  'lineCount' | 'sourceAvailableCount' | 'targetAvailableCount'
>;

function linesText({ lineCount, sourceAvailableCount: source, targetAvailableCount: target }: CaptionCounts): string {
  const lines = countText(lineCount, 'line');
  if (source === lineCount && target === lineCount) return `${lines} with both texts`;
  return `${lines}, ${source} with a source text, ${target} with a target text`;
}

/** The cause beside captions that older rules, or a study by an older version, may have made. */
const olderCauses = ({ oldestRules: rules }: VerifiedCaption): PartCause[] => {
  const { version: present } = ruleSets.captions;
  return rules < present ? [{ code: 'captions_of_older_rules', params: { rules, present } }] : [];
};

function storedPart(path: string, caption: VerifiedCaption, { corrections }: VerifiedTail): OverviewPart {
  const { artifact, receipt } = caption;
  const part = { causes: olderCauses(caption), reasonCodes: [], receiptIds: [receipt.body.receiptId], path };
  if (isCorrected(corrections)) {
    const { lines } = corrections;
    const having = (side: CaptionSide) => lines.filter((line) => line[side].text !== null).length;
    const counts = { sourceAvailableCount: having('source'), targetAvailableCount: having('target') };
    return { ...part, state: 'done', text: linesText({ lineCount: lines.length, ...counts }) };
  }
  const { result } = artifact.body;
  const { status } = result;
  const text = status === 'completed' ? linesText(result) : `${status}: ${linesText(result)}`;
  const isWithheld = status === 'withheld' || status === 'unavailable';
  return { ...part, state: isWithheld ? 'withheld' : 'done', text };
}

/** A study without any text gives no captions in any language: that comes before a language that it lacks. */
function deeper(study: Pick<VerifiedStudy, 'findings'> | null, cause: PartCause): PartCause {
  if (study === null || (cause.code !== 'source_language_not_declared' && cause.code !== 'no_text_track')) return cause;
  const { findings } = study;
  const lacksTracks = detectedEvidenceOf(findings).some(
    ({ delivered: { kind, reasonCode } }) => kind === 'subtitle_track' && reasonCode === 'no_text_subtitle_track',
  );
  return lacksTracks && findings.recognition === null ? { code: 'no_text_to_caption', params: {} } : cause;
}

/**
 * The part of captions that this host would not have of a study, even with an approval; null if it would have some. If the media has
 * subtitles that give captions, the causes have this as the way out.
 */
function* hostObstacle(
  path: string,
  study: CaptionedStudy | null,
  attempt: number,
  { captions }: HostAbilities,
): Steps<OverviewPart | null> {
  if (captions.classification === 'recorded_real_pipeline_fixture') return without(path, 'never', captionsOff);
  const absence = study === null ? null : (yield* captionProspectBySteps(study, attempt, captions)).absence;
  if (study === null || absence === null) return null;
  const way: readonly PartCause[] = (yield* hasSubtitleLines(study))
    ? [{ code: 'subtitles_give_captions', params: {} }]
    : [];
  const text = [absence, ...way].map((each) => wireText(each)).join('; ');
  return bare(path, 'never', `captions would have no line: ${text}`, [deeper(study, absence), ...way]);
}

/** True if captions may be made under a valid approval, and would have lines. */
function* possiblePart(
  path: string,
  { attempts, failure }: VerifiedCaptions,
  { host, runtime }: OverviewedRuntime,
  approval: ApprovalReference,
): Steps<OverviewPart> {
  const failed = failure === null ? null : translationFailureOf(failure.message);
  const because = failed === null ? '' : `: ${wireText(failed)}`;
  const causes = failed === null ? [] : [failed];
  if (attempts >= maximumCaptionAttempts) {
    const all: PartCause = { code: 'attempts_failed', params: { attempts } };
    return bare(path, 'failed', `${wireText(all)}${because}`, [...causes, all]);
  }
  const obstacle = yield* hostObstacle(path, approvedStudyOf(runtime, approval), attempts, host);
  if (obstacle !== null) return obstacle;
  const again = attempts === 0 ? '' : `: ${countText(attempts, 'attempt')} failed${because}`;
  return bare(path, 'waiting', `captions may be made under the approval${again}`, causes);
}

const approvalMissing: PartCause = { code: 'approval_missing', params: {} };

/** The captions made under the approval. */
export function* captionsPart(overviewed: OverviewedRuntime, review: OverviewPart): Steps<OverviewPart> {
  const { study, base, runtime } = overviewed;
  const path = `${base}/caption-productions`;
  const { captions, authority = null } = study?.tail ?? {};
  if (study !== null && captions?.caption) return storedPart(path, captions.caption, study.tail);
  if (captions !== undefined && captions.open !== null) {
    return bare(path, 'under_way', `attempt ${captions.attempts} of ${maximumCaptionAttempts}`);
  }
  const obstacle = captionObstacleOf(runtime.accepted.record, overviewed.host.captions.allowance.maxDurationMs);
  if (obstacle !== null) return { ...without(path, 'never', obstacle), causes: [deeper(study, obstacle)] };
  if (captions === undefined || !study?.conclusion) return pending(overviewed, path, 'no captions');
  if (authority !== null) return yield* possiblePart(path, captions, overviewed, authority);
  if (!['waiting', 'under_way'].includes(review.state)) {
    return without(path, 'never', approvalMissing);
  }
  // A person must not sign for captions that cannot come of it.
  const before = yield* hostObstacle(path, approvable(runtime), captions.attempts, overviewed.host);
  return before ?? without(path, 'not_yet', { code: 'approval_to_come', params: {} });
}

/** The part after captions, if there are none. */
function afterCaptions(path: string, { state }: OverviewPart, what: string): OverviewPart {
  const isToCome = ['not_yet', 'waiting', 'under_way'].includes(state);
  const cause: PartCause = { code: isToCome ? 'captions_to_come' : 'captions_missing', params: {} };
  return bare(path, isToCome ? 'not_yet' : 'never', `${what}: ${wireText(cause)}`, [cause]);
}

/** The verdict of the check on the captions. */
export function checkPart({ study, base }: OverviewedRuntime, captions: OverviewPart): OverviewPart {
  const path = `${base}/caption-quality-controls`;
  const caption = study?.tail.captions.caption ?? null;
  if (study === null || caption === null) return afterCaptions(path, captions, 'no check');
  if (caption.qualityControl === null) return bare(path, 'waiting', 'the captions are not checked yet');
  const { receiptId, outcome, reasonCodes } = decidingCheck(caption.qualityControl.body, study.tail);
  const isAccepted = outcome === 'accepted';
  return {
    state: isAccepted ? 'done' : 'withheld',
    text: isAccepted ? 'accepted' : `withheld: ${reasonsText(reasonCodes)}`,
    causes: isAccepted ? [] : reasonCauses(reasonCodes),
    reasonCodes: [...reasonCodes],
    receiptIds: [receiptId],
    path,
  };
}

/** The check that decides about files: if a person changed lines, that of the changed ones. */
function decidingCheck({ receiptId, decision }: QualityControlReceipt, { corrections }: VerifiedTail) {
  const corrected = isCorrected(corrections) ? corrections.check : null;
  if (corrected === null) return { receiptId, outcome: decision.outcome, reasonCodes: decision.reasonCodes };
  const { outcome, reasonCode } = corrected.body.decision;
  return { receiptId: corrected.body.receiptId, outcome, reasonCodes: [reasonCode] };
}

/** The explanations of the captions. */
export function explanationsPart({ study, base, host }: OverviewedRuntime, captions: OverviewPart): OverviewPart {
  const path = `${base}/language-explanations`;
  const attempts = study?.tail.explanations.attempts ?? [];
  if (attempts.length > 0) {
    const stored = attempts.flatMap((attempt) => (attempt.stored === null ? [] : [attempt.stored]));
    const isOpen = attempts.some(({ state }) => state === 'started');
    const state = isOpen ? 'under_way' : stored.length > 0 ? 'done' : 'failed';
    const text = `${countText(stored.length, 'explanation')} of ${countText(attempts.length, 'attempt')}`;
    return {
      state,
      text,
      causes: [],
      reasonCodes: [],
      receiptIds: stored.map(({ receipt }) => receipt.body.receiptId),
      path,
    };
  }
  if (!study?.tail.captions.caption) return afterCaptions(path, captions, 'no explanations');
  if (!host.explains) return without(path, 'never', { code: 'no_explainer', params: {} });
  return study.tail.authority === null
    ? bare(path, 'never', 'explanations need a valid approval', [approvalMissing])
    : bare(path, 'waiting', 'explanations can be requested');
}
