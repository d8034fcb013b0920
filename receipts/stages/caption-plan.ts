import type { CaptionTranslator } from '../../contract/captions/caption-line.ts';
import {
  type CaptionPlan,
  type CaptionPlanReceipt,
  captionPlanReceipt,
  longestPlanList,
  maximumPlanBytes,
} from '../../contract/captions/caption-plan.ts';
import { longestCaptions } from '../../contract/captions/caption-production.ts';
import type { Judgement, RuleSet } from '../../contract/judgement.ts';
import type { ApprovalReference } from '../../contract/review.ts';
import { contentIdOfJson, hashOf } from '../../formats/canonical-json.ts';
import { countText } from '../../formats/readable-numbers.ts';
import { resultInSlices } from '../../formats/steps.ts';
import { judgementBy, ruleSets } from '../../rules/rule-sets.ts';
import { type ApprovedPlan, type CaptionedStudy, captionInputOf } from '../captions/captioned-study.ts';
import { studiedTracks } from '../captions/executors.ts';
import { captionMeans } from '../captions/methods.ts';
import { captionPlanBySteps, PlanFault } from '../captions/plan.ts';
import type { CaptionAbility } from '../captions/prospect.ts';
import { checkObject, EvidenceChainError } from '../evidence-chain.ts';
import { RunReceipt } from '../record.ts';
import { readStoredReceipt } from '../stored-records.ts';
import type { FoldContext, StepResult, StudyRun } from '../study-run.ts';
import type { VerifiedCaptions } from './captions.ts';
import type { VerifiedReviews } from './review.ts';
import type { LaterStage } from './stage.ts';

/** A plan and the decision that approved it. */
interface PlannedApproval {
  readonly approval: ApprovalReference;
  readonly plan: CaptionPlan;
}

/** The record of a plan beside the decision that approved it. */
const storedPlan = new RunReceipt<CaptionPlanReceipt, 'planId', PlannedApproval>({
  link: 'caption_plan',
  schema: captionPlanReceipt,
  maximumBytes: maximumPlanBytes,
  name: 'studio.publish-review-plan.receipt.v1',
  idPrefix: 'publish-review-plan-receipt',
  kind: 'publish-review-plan-receipt',
  about: 'planId',
  origin: ({ planId }) => ({ kind: 'publish_review_plan', planId }),
  sources: ({ input }) => [input.approval.artifactId],
  producer: 'host',
  derive: ({ record }, { approval, plan }) => {
    const planContentId = contentIdOfJson(plan);
    return {
      planId: `publish-review-plan:${hashOf({ runId: record.runtimeId, approval, planContentId })}`,
      input: { approval, planContentId },
      producer: {
        id: 'studio.host-caption-plan',
        version: '1',
        policy: 'plan_derived_again_and_equal_to_the_one_that_the_reviewer_named',
      },
      plan,
    };
  },
});

/** Writes the plan of an approval down, in the commit of its decision. */
export const recordPlan = (run: StudyRun, planned: PlannedApproval): Pick<StepResult<unknown>, 'objects' | 'events'> =>
  storedPlan.write('publish.review.plan_recorded', run, storedPlan.of(run, planned));

/** The translator that an executor names; absent for one without. */
const translatorIn = ({ executor }: CaptionPlan): CaptionTranslator | undefined =>
  'model' in executor
    ? {
        model: executor.model,
        promptContentId: executor.promptContentId,
        configurationContentId: executor.configurationContentId,
      }
    : undefined;

/** The way that a plan states, on a host that allows the longest captions: their length is not part of a plan. */
function abilityIn(plan: CaptionPlan): CaptionAbility {
  if (plan.method === null) throw new EvidenceChainError('caption_plan', 'plan.method');
  return {
    ...captionMeans[plan.method],
    isOfRequest: plan.asked.method !== null,
    allowance: longestCaptions,
    translator: translatorIn(plan),
  };
}

/** The rules that a plan states and this program does not have; null if it has all of them. */
function otherRules({ rules, translation }: CaptionPlan): Judgement | null {
  const stated: readonly (readonly [RuleSet, number])[] = [
    [ruleSets.captions, rules.captions],
    [ruleSets.trackChoice, rules.trackChoice],
    [ruleSets.alignment, rules.alignment],
    [ruleSets.speechGaps, rules.gaps.version],
    ...(translation === null ? [] : [[ruleSets.translationGates, translation.gates] as const]),
  ];
  const other = stated.find(([{ version }, found]) => version !== found);
  return other === undefined ? null : judgementBy(...other);
}

/** Derives a plan again. Throws `EvidenceChainError` if the study does not give it. */
async function derivedPlan(
  { pause }: Pick<FoldContext, 'pause'>,
  study: CaptionedStudy,
  found: CaptionPlan,
): Promise<CaptionPlan> {
  try {
    return await resultInSlices(captionPlanBySteps(study, abilityIn(found), found.asked), pause);
  } catch (error) {
    if (error instanceof PlanFault) throw new EvidenceChainError('caption_plan', 'plan.asked.tracks', error);
    throw error;
  }
}

const planLists = ['gaps', 'leftOut', 'apart', 'withoutSpeech'] as const;

/**
 * Checks a plan of other rules without judging it. It is of this study and of its pair of languages, and can be approved. Its lists are
 * as long as it counts and lie in the range, and its tracks are those of the study. Throws `EvidenceChainError`.
 */
function checkPlanForm(study: CaptionedStudy, plan: CaptionPlan): void {
  const fault = (place: string) => new EvidenceChainError('caption_plan', `plan.${place}`);
  const { range, sourceLanguage, targetLanguage } = captionInputOf(study);
  const pair = { from: plan.asked.from ?? sourceLanguage, to: plan.asked.to ?? targetLanguage };
  if (pair.from.toLowerCase() !== sourceLanguage.toLowerCase()) throw fault('asked.from');
  if (pair.to.toLowerCase() !== targetLanguage.toLowerCase()) throw fault('asked.to');
  if (plan.runId !== study.run.record.runtimeId) throw fault('runId');
  if (plan.obstacles.length > 0) throw fault('obstacles');
  const known = new Set(studiedTracks(study.findings).map(({ trackIndex }) => trackIndex));
  if (!plan.asked.tracks.every((index) => known.has(index))) throw fault('asked.tracks');
  for (const side of ['source', 'target'] as const) {
    const chosen = plan.sides[side].choice?.chosen ?? null;
    if (chosen !== null && !known.has(chosen.trackIndex)) throw fault(`sides.${side}.choice.chosen.trackIndex`);
  }
  for (const list of planLists) {
    const entries = plan[list];
    if (entries.length !== Math.min(plan.counts[list], longestPlanList)) throw fault(`counts.${list}`);
    const outside = entries.findIndex(({ startMs, endMs }) => startMs < range.startMs || endMs > range.endMs);
    if (outside !== -1) throw fault(`${list}[${outside}]`);
  }
}

/** The part of an ended study that the fold of a plan reads. */
interface Plannable extends Pick<CaptionedStudy, 'findings' | 'conclusion'> {
  readonly tail: VerifiedReviews & { readonly captions: VerifiedCaptions; readonly plan: ApprovedPlan | null };
}

/** Takes the plan of an approval: reopens its record, and derives the plan again by the rules that it states. */
async function foldPlanRecorded(
  context: FoldContext,
  { findings, conclusion, tail }: Plannable,
): Promise<ApprovedPlan> {
  const { journal, run, content, report } = context;
  const recorded = journal.count('artifact.recorded');
  const { receiptContentId } = journal.expect('publish.review.plan_recorded', recorded).data;
  const { authority: approval, plan: before, captions } = tail;
  if (approval === null || before !== null || captions.attempts > 0) throw journal.fault('type', recorded);
  const study: CaptionedStudy = { run, findings, conclusion, approval };
  const { body: found } = await readStoredReceipt(storedPlan.shape, content, receiptContentId);
  const others = otherRules(found.plan);
  const plan = others === null ? await derivedPlan(context, study, found.plan) : found.plan;
  if (others !== null) checkObject(receiptContentId, () => checkPlanForm(study, plan));
  const receipt = await storedPlan.reopen(content, receiptContentId, () => storedPlan.of(run, { approval, plan }));
  journal.take(recordPlan(run, { approval, plan }).events);
  const { planId, input } = receipt.body;
  const detail = countText(plan.lines.count, 'line');
  const judgement = others ?? judgementBy(ruleSets.captions);
  report({ link: 'caption_plan', subject: planId, contentId: receiptContentId, detail, judgement });
  return { plan, digest: input.planContentId };
}

/** The plan that a person approved together with the study. */
export const captionPlanStage: LaterStage<Plannable, { readonly plan: ApprovedPlan | null }> = {
  name: 'captionPlan',
  nothing: { plan: null },
  records: { 'caption-plan': captionPlanReceipt },
  folds: {
    'publish.review.plan_recorded': async (context, study) => ({ plan: await foldPlanRecorded(context, study) }),
  },
};
