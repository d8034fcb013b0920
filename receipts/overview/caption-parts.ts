import { maximumCaptionAttempts } from '../../contract/captions/caption-production.ts';
import type { OverviewPart } from '../../contract/overview/runtime-overview.ts';
import type { ApprovalReference } from '../../contract/review/publish-review.ts';
import { captionProspectOf } from '../captions/caption-ability.ts';
import { type CaptionedStudy, captionObstacleOf } from '../captions/captioned-study.ts';
import { captionsOff } from '../captions/captions-off.ts';
import type { VerifiedCaption, VerifiedCaptions } from '../captions/fold-captions.ts';
import { counted } from '../core/checked-link.ts';
import { approvable } from '../reopening/approvable-study.ts';
import { approvedStudyOf } from '../reopening/approved-study.ts';
import type { HostAbilities, OverviewedRuntime } from './overviewed-runtime.ts';
import { reasonsText } from './reason-words.ts';
import { bare, pending } from './review-parts.ts';

type CaptionCounts = VerifiedCaption['artifact']['body']['result'];

function linesText({ lineCount, sourceAvailableCount: source, targetAvailableCount: target }: CaptionCounts): string {
  const lines = counted(lineCount, 'line');
  if (source === lineCount && target === lineCount) return `${lines} with both texts`;
  return `${lines}, ${source} with a source text, ${target} with a target text`;
}

function storedPart(path: string, { artifact, receipt }: VerifiedCaption): OverviewPart {
  const { result } = artifact.body;
  const { status } = result;
  const text = status === 'completed' ? linesText(result) : `${status}: ${linesText(result)}`;
  const isWithheld = status === 'withheld' || status === 'unavailable';
  const state = isWithheld ? 'withheld' : 'done';
  return { state, text, reasonCodes: [], receiptIds: [receipt.body.receiptId], path };
}

/** Why this host would have no captions of a study, whoever approves it; null where it would have some. */
function hostObstacleOf(study: CaptionedStudy | null, attempt: number, { captions }: HostAbilities): string | null {
  if (captions.classification === 'recorded_real_pipeline_fixture') return captionsOff;
  const absence = study === null ? null : captionProspectOf(study, attempt, captions).absence;
  return absence === null ? null : `captions would have no line: ${absence.text}`;
}

/** Whether captions may be made under an approval that stands, and would have lines. */
function possiblePart(
  path: string,
  { attempts }: VerifiedCaptions,
  { host, runtime }: OverviewedRuntime,
  approval: ApprovalReference,
): OverviewPart {
  if (attempts >= maximumCaptionAttempts) return bare(path, 'failed', `all ${attempts} attempts failed`);
  const obstacle = hostObstacleOf(approvedStudyOf(runtime, approval), attempts, host);
  if (obstacle !== null) return bare(path, 'never', obstacle);
  const again = attempts === 0 ? '' : `: ${counted(attempts, 'attempt')} failed`;
  return bare(path, 'waiting', `captions may be made under the approval${again}`);
}

/** What was made under the approval. */
export function captionsPart(overviewed: OverviewedRuntime, review: OverviewPart): OverviewPart {
  const { study, base, runtime } = overviewed;
  const path = `${base}/caption-productions`;
  const { captions, authority = null } = study?.tail ?? {};
  if (captions?.caption) return storedPart(path, captions.caption);
  if (captions !== undefined && captions.open.length > 0) {
    return bare(path, 'under_way', `attempt ${captions.attempts} of ${maximumCaptionAttempts}`);
  }
  const obstacle = captionObstacleOf(runtime.accepted.record, overviewed.host.captions.allowance.maxDurationMs);
  if (obstacle !== null) return bare(path, 'never', obstacle);
  if (captions === undefined || !study?.conclusion) return pending(overviewed, path, 'no captions');
  if (authority !== null) return possiblePart(path, captions, overviewed, authority);
  if (!['waiting', 'under_way'].includes(review.state)) {
    return bare(path, 'never', 'captions need an approval that stands');
  }
  // Nobody should sign for captions that cannot come of it.
  const before = hostObstacleOf(approvable(runtime), captions.attempts, overviewed.host);
  return before === null ? bare(path, 'not_yet', 'captions need an approval') : bare(path, 'never', before);
}

/** What comes after captions, where there are none. */
const afterCaptions = (path: string, { state }: OverviewPart, what: string): OverviewPart =>
  ['not_yet', 'waiting', 'under_way'].includes(state)
    ? bare(path, 'not_yet', `${what}: there are no captions yet`)
    : bare(path, 'never', `${what}: there are no captions`);

/** What the check made of the captions. */
export function checkPart({ study, base }: OverviewedRuntime, captions: OverviewPart): OverviewPart {
  const path = `${base}/caption-quality-controls`;
  const caption = study?.tail.captions.caption ?? null;
  if (caption === null) return afterCaptions(path, captions, 'no check');
  if (caption.qualityControl === null) return bare(path, 'waiting', 'the captions are not checked yet');
  const { receiptId, decision } = caption.qualityControl.body;
  const isAccepted = decision.outcome === 'accepted';
  return {
    state: isAccepted ? 'done' : 'withheld',
    text: isAccepted ? 'accepted' : `withheld: ${reasonsText(decision.reasonCodes)}`,
    reasonCodes: [...decision.reasonCodes],
    receiptIds: [receiptId],
    path,
  };
}

/** What was explained of the captions. */
export function explanationsPart({ study, base, host }: OverviewedRuntime, captions: OverviewPart): OverviewPart {
  const path = `${base}/language-explanations`;
  const attempts = study?.tail.explanations.attempts ?? [];
  if (attempts.length > 0) {
    const stored = attempts.flatMap((attempt) => (attempt.stored === null ? [] : [attempt.stored]));
    const isOpen = attempts.some(({ state }) => state === 'started');
    const state = isOpen ? 'under_way' : stored.length > 0 ? 'done' : 'failed';
    const text = `${counted(stored.length, 'explanation')} of ${counted(attempts.length, 'attempt')}`;
    return { state, text, reasonCodes: [], receiptIds: stored.map(({ receipt }) => receipt.body.receiptId), path };
  }
  if (!study?.tail.captions.caption) return afterCaptions(path, captions, 'no explanations');
  if (!host.explains) return bare(path, 'never', 'no explanation executor is configured');
  return study.tail.authority === null
    ? bare(path, 'never', 'explanations need an approval that stands')
    : bare(path, 'waiting', 'explanations may be asked for');
}
