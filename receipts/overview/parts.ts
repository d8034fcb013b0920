import type { CaptionSide } from '../../contract/captions/caption-line.ts';
import { maximumCaptionAttempts } from '../../contract/captions/caption-production.ts';
import type { QualityControlReceipt } from '../../contract/captions/quality-control.ts';
import type { OverviewPart } from '../../contract/overview.ts';
import type { ApprovalReference } from '../../contract/review.ts';
import { hasEnded, type Lifecycle, type RuntimeReason } from '../../contract/study/status.ts';
import type { Steps } from '../../formats/steps.ts';
import { type CaptionedStudy, captionObstacleOf } from '../captions/captioned-study.ts';
import { isCorrected } from '../captions/corrected-lines.ts';
import { hasSubtitleLines } from '../captions/executors.ts';
import { type CaptionAbility, captionProspectBySteps, captionsOff } from '../captions/prospect.ts';
import { countText } from '../evidence-chain.ts';
import type { VerifiedRuntime, VerifiedStudy, VerifiedTail } from '../fold.ts';
import { approvable, approvedStudyOf } from '../published/captions.ts';
import type { VerifiedCaption, VerifiedCaptions } from '../stages/captions.ts';
import { reasonsText } from './found.ts';

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
  readonly standing: StudyActorState;
  readonly lifecycle: Lifecycle;
  readonly hasEnded: boolean;
  readonly host: HostAbilities;
  /** The path of the runtime. */
  readonly base: string;
}

/** The parts of an overview that follow each other. */
export interface OverviewParts {
  readonly decision: OverviewPart;
  readonly review: OverviewPart;
  readonly captions: OverviewPart;
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
  standing: StudyActorState,
  host: HostAbilities,
): OverviewedRuntime {
  const study = runtime.execution?.study ?? null;
  const lifecycle = lifecycleOf(standing, study);
  const { runtimeId } = runtime.accepted.record;
  return {
    runtime,
    study,
    standing,
    lifecycle,
    hasEnded: hasEnded(lifecycle),
    host,
    base: `/v1/runtimes/${runtimeId}`,
  };
}

/** A part that nothing is stored of. */
const bare = (path: string, state: OverviewPart['state'], text: string): OverviewPart => ({
  state,
  text,
  reasonCodes: [],
  receiptIds: [],
  path,
});

/** A part that comes after the end of a study, and never after its failure. */
const pending = ({ hasEnded }: OverviewedRuntime, path: string, what: string): OverviewPart =>
  hasEnded
    ? bare(path, 'never', `${what}: the study ended before`)
    : bare(path, 'not_yet', `${what}: the study is still running`);

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
      reasonCodes,
      receiptIds: [decision.receiptId],
      path,
    };
  }
  if (study?.conclusion) return bare(path, 'never', 'nothing was claimed, so nothing was decided');
  return pending(overviewed, path, 'no decision');
}

function reviewedPart(path: string, { review, revoking }: VerifiedTail): OverviewPart | null {
  if (review === null) return null;
  const { receiptId, decision, reviewer } = review.receipt.body;
  const part = { reasonCodes: [...decision.reasonCodes], receiptIds: [receiptId], path };
  if (decision.outcome === 'reject_with_reasons') {
    return { ...part, state: 'withheld', text: `rejected by ${reviewer.label}: ${reasonsText(decision.reasonCodes)}` };
  }
  if (review.revocation !== null) {
    const { receiptId: revocationId, revocation } = review.revocation.body;
    return {
      ...part,
      state: 'withdrawn',
      text: `the approval was withdrawn: ${reasonsText(revocation.reasonCodes)}`,
      reasonCodes: [...revocation.reasonCodes],
      receiptIds: [receiptId, revocationId],
    };
  }
  if (revoking !== null) return { ...part, state: 'under_way', text: 'the approval is being withdrawn' };
  return { ...part, state: 'done', text: `approved for captions by ${reviewer.label}` };
}

/** The verdict of a person on the study. */
export function reviewPart(overviewed: OverviewedRuntime): OverviewPart {
  const { study, base } = overviewed;
  const path = `${base}/publish-review-decisions`;
  const conclusion = study?.conclusion ?? null;
  if (study === null || conclusion === null) return pending(overviewed, path, 'no review');
  const { receiptId, result } = conclusion.intake.body;
  if (result.outcome === 'rejected') {
    const text = `not put before a reviewer: ${reasonsText(result.reasonCodes)}`;
    return { state: 'withheld', text, reasonCodes: [...result.reasonCodes], receiptIds: [receiptId], path };
  }
  const reviewed = reviewedPart(path, study.tail);
  if (reviewed !== null) return reviewed;
  const queued = { reasonCodes: [], receiptIds: [receiptId], path };
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

function storedPart(path: string, { artifact, receipt }: VerifiedCaption, { corrections }: VerifiedTail): OverviewPart {
  const part = { reasonCodes: [], receiptIds: [receipt.body.receiptId], path };
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

/** The way to captions on a host that makes them of recognized speech, if the media has subtitles. */
const subtitleWay =
  'its subtitle tracks give captions: restart the host with --caption-executor grouped-subtitles --allow-embedded-subtitle-captions';

/** The reason why this host would have no captions of a study, even with an approval; null if it would have some. */
function* hostObstacleOf(
  study: CaptionedStudy | null,
  attempt: number,
  { captions }: HostAbilities,
): Steps<string | null> {
  if (captions.classification === 'recorded_real_pipeline_fixture') return captionsOff;
  const absence = study === null ? null : (yield* captionProspectBySteps(study, attempt, captions)).absence;
  if (study === null || absence === null) return null;
  const way = (yield* hasSubtitleLines(study)) ? `; ${subtitleWay}` : '';
  return `captions would have no line: ${absence.text}${way}`;
}

/** True if captions may be made under a valid approval, and would have lines. */
function* possiblePart(
  path: string,
  { attempts }: VerifiedCaptions,
  { host, runtime }: OverviewedRuntime,
  approval: ApprovalReference,
): Steps<OverviewPart> {
  if (attempts >= maximumCaptionAttempts) return bare(path, 'failed', `all ${attempts} attempts failed`);
  const obstacle = yield* hostObstacleOf(approvedStudyOf(runtime, approval), attempts, host);
  if (obstacle !== null) return bare(path, 'never', obstacle);
  const again = attempts === 0 ? '' : `: ${countText(attempts, 'attempt')} failed`;
  return bare(path, 'waiting', `captions may be made under the approval${again}`);
}

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
  if (obstacle !== null) return bare(path, 'never', obstacle);
  if (captions === undefined || !study?.conclusion) return pending(overviewed, path, 'no captions');
  if (authority !== null) return yield* possiblePart(path, captions, overviewed, authority);
  if (!['waiting', 'under_way'].includes(review.state)) {
    return bare(path, 'never', 'captions need a valid approval');
  }
  // A person must not sign for captions that cannot come of it.
  const before = yield* hostObstacleOf(approvable(runtime), captions.attempts, overviewed.host);
  return before === null ? bare(path, 'not_yet', 'captions need an approval') : bare(path, 'never', before);
}

/** The part after captions, if there are none. */
const afterCaptions = (path: string, { state }: OverviewPart, what: string): OverviewPart =>
  ['not_yet', 'waiting', 'under_way'].includes(state)
    ? bare(path, 'not_yet', `${what}: there are no captions yet`)
    : bare(path, 'never', `${what}: there are no captions`);

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
    return { state, text, reasonCodes: [], receiptIds: stored.map(({ receipt }) => receipt.body.receiptId), path };
  }
  if (!study?.tail.captions.caption) return afterCaptions(path, captions, 'no explanations');
  if (!host.explains) return bare(path, 'never', 'no explanation executor is configured');
  return study.tail.authority === null
    ? bare(path, 'never', 'explanations need a valid approval')
    : bare(path, 'waiting', 'explanations can be requested');
}
