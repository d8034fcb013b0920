import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../contract/base/errors.ts';
import type { RequestedMethod } from '../../contract/captions/caption-method.ts';
import type { AskedPlan, CaptionPlan, CaptionPlanAnswer } from '../../contract/captions/caption-plan.ts';
import { wireText } from '../../contract/causes/wording.ts';
import { contentIdOfJson } from '../../formats/canonical-json.ts';
import {
  type ApprovedPlan,
  type CaptionedStudy,
  captionInputOf,
  captionObstacleOf,
} from '../../receipts/captions/captioned-study.ts';
import { isCorrected, noCorrections } from '../../receipts/captions/corrected-lines.ts';
import { otherThanPlanned } from '../../receipts/captions/followed-plan.ts';
import { captionPlanBySteps, PlanFault } from '../../receipts/captions/plan.ts';
import type { CaptionAbility } from '../../receipts/captions/prospect.ts';
import type { VerifiedRuntime } from '../../receipts/fold.ts';
import { approvable } from '../../receipts/published/captions.ts';
import { runtimeListOf } from '../../receipts/published/runtime.ts';
import type { HostBasis } from '../host-basis.ts';
import { TimeSlices } from '../supervision/system-clock.ts';
import type { CaptionMethods } from './caption-methods.ts';

interface CaptionPlansOptions extends Pick<HostBasis, 'runtimes'> {
  /** How captions are made without a method. */
  readonly ability: CaptionAbility;
  /** How they are made with one. */
  readonly methods: Pick<CaptionMethods, 'abilityFor'>;
}

// Of the plans that people have before them; a plan is read again in a moment.
const mostRemembered = 1024;

const noChoices: AskedPlan = { from: null, to: null, method: null, tracks: [] };

/** The service that states what captions of a study will be made of. A plan is computed for each answer; a review alone records one. */
export class CaptionPlans {
  readonly #options: CaptionPlansOptions;
  readonly #slices = new TimeSlices();
  /** The choices behind the digests that clients have read: a digest cannot be turned back into them. */
  readonly #asked = new LRUCache<string, AskedPlan>({ max: mostRemembered });

  constructor(options: CaptionPlansOptions) {
    this.#options = options;
  }

  /**
   * The plan by these choices, with its digest. Throws `invalid_caption_plan_request` for choices that the study does not have. Throws
   * `illegal_caption_transition` for a study without captions by any choice, and what a production by this method throws.
   */
  async read(runtimeId: string, asked: AskedPlan): Promise<CaptionPlanAnswer> {
    const runtime = await this.#options.runtimes.read(runtimeId);
    const plan = await this.#of(runtime, asked);
    const digest = contentIdOfJson(plan);
    this.#asked.set(digest, asked);
    return { schema: 'studio.local-runtime-caption-plan.v1', ...runtimeListOf(runtime), digest, plan };
  }

  /** The runtime as an approval with the plan of this digest would leave it: its lines are those of the plan. Throws as `approved`. */
  async asApproved(runtime: VerifiedRuntime, digest: string): Promise<VerifiedRuntime> {
    const plan = await this.approved(runtime, digest);
    const { execution } = runtime;
    if (execution === null) return runtime;
    const { study } = execution;
    return { ...runtime, execution: { ...execution, study: { ...study, tail: { ...study.tail, plan } } } };
  }

  /**
   * The plan that a reviewer names by its digest, derived again. Throws `caption_plan_mismatch` for a digest that this process did not
   * answer, or that the study and the engines of now do not give. Throws `caption_lines_unavailable` for a plan with an obstacle.
   */
  async approved(runtime: VerifiedRuntime, digest: string): Promise<ApprovedPlan> {
    const plan = await this.#of(runtime, this.#asked.get(digest) ?? noChoices);
    if (contentIdOfJson(plan) !== digest) {
      throw mismatch(
        'the host does not give the plan of this digest now: the study, an engine or a setting is another',
      );
    }
    const [obstacle] = plan.obstacles;
    if (obstacle !== undefined) {
      throw new ServiceError('caption_lines_unavailable', `${obstacle.code}: ${wireText(obstacle)}`);
    }
    const { corrections } = runtime.execution?.study.tail ?? { corrections: noCorrections };
    if (isCorrected(corrections) && corrections.base?.contentId !== plan.lines.contentId) {
      throw mismatch(
        'a person corrected other lines than this plan has: name the plan of those, or revert the corrections',
      );
    }
    return { plan, digest };
  }

  /**
   * The means of an approved plan for a production of its study. Throws `caption_plan_mismatch` if `method` names another way, or if the
   * engines of now give other captions than those of the plan. Throws as `CaptionMethods.abilityFor`.
   */
  async abilityUnder(
    { plan }: Pick<ApprovedPlan, 'plan'>,
    study: CaptionedStudy,
    method?: RequestedMethod | undefined,
  ): Promise<CaptionAbility> {
    if (method !== undefined && method !== 'auto' && method !== plan.method) {
      throw mismatch(`the approved plan is by the method ${plan.method}, and the request names ${method}`);
    }
    const ability = await this.abilityOf(plan, study);
    const present = await this.#slices.run(captionPlanBySteps(study, ability, plan.asked));
    const other = otherThanPlanned(plan, present, ability.earlierTranslators ?? []);
    if (other === null) return ability;
    throw mismatch(other);
  }

  /** The means of an approved plan, whatever the host gives now. Throws as `CaptionMethods.abilityFor`. */
  async abilityOf({ asked, method }: CaptionPlan, study: CaptionedStudy): Promise<CaptionAbility> {
    const { ability, methods } = this.#options;
    return asked.method === null || method === null ? ability : methods.abilityFor(method, study);
  }

  async #of(runtime: VerifiedRuntime, asked: AskedPlan): Promise<CaptionPlan> {
    const { ability, methods } = this.#options;
    const study = plannableStudy(runtime);
    demandPair(study, asked);
    const chosen = asked.method === null ? ability : await methods.abilityFor(asked.method, study);
    try {
      return await this.#slices.run(captionPlanBySteps(study, chosen, asked));
    } catch (error) {
      if (error instanceof PlanFault) throw new ServiceError('invalid_caption_plan_request', error.message);
      throw error;
    }
  }
}

const mismatch = (message: string) => new ServiceError('caption_plan_mismatch', message);

/** The study that a plan is of. Throws `illegal_caption_transition` if no captions can come of it. */
function plannableStudy(runtime: VerifiedRuntime): CaptionedStudy {
  const obstacle = captionObstacleOf(runtime.accepted.record, Number.MAX_SAFE_INTEGER);
  if (obstacle !== null) throw new ServiceError('illegal_caption_transition', wireText(obstacle));
  const study = approvable(runtime);
  if (study !== null) return study;
  throw new ServiceError(
    'illegal_caption_transition',
    'a plan is of a study that has ended and is queued for a review',
  );
}

/** A study has one pair of languages. Throws `invalid_caption_plan_request` for another. */
function demandPair(study: CaptionedStudy, { from, to }: AskedPlan): void {
  const { sourceLanguage, targetLanguage } = captionInputOf(study);
  const isOther = (asked: string | null, own: string): boolean =>
    asked !== null && asked.toLowerCase() !== own.toLowerCase();
  if (!isOther(from, sourceLanguage) && !isOther(to, targetLanguage)) return;
  const pair = `this study has captions from ${sourceLanguage} to ${targetLanguage}`;
  throw new ServiceError('invalid_caption_plan_request', `${pair}: study the film again for other languages`);
}
