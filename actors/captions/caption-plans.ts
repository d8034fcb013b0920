import { ServiceError } from '../../contract/base/errors.ts';
import type { AskedPlan, CaptionPlan, CaptionPlanAnswer } from '../../contract/captions/caption-plan.ts';
import { wireText } from '../../contract/causes/wording.ts';
import { contentIdOfJson } from '../../formats/canonical-json.ts';
import { type CaptionedStudy, captionInputOf, captionObstacleOf } from '../../receipts/captions/captioned-study.ts';
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

/** The service that states what captions of a study will be made of. A plan is computed for each answer, and nothing is written. */
export class CaptionPlans {
  readonly #options: CaptionPlansOptions;
  readonly #slices = new TimeSlices();

  constructor(options: CaptionPlansOptions) {
    this.#options = options;
  }

  /**
   * The plan by these choices, with its digest. Throws `invalid_caption_plan_request` for choices that the study does not have,
   * `illegal_caption_transition` for a study without captions by any choice, and what a production by this method throws.
   */
  async read(runtimeId: string, asked: AskedPlan): Promise<CaptionPlanAnswer> {
    const runtime = await this.#options.runtimes.read(runtimeId);
    const plan = await this.of(runtime, asked);
    return {
      schema: 'studio.local-runtime-caption-plan.v1',
      ...runtimeListOf(runtime),
      digest: contentIdOfJson(plan),
      plan,
    };
  }

  /** The plan of a reopened runtime; throws as `read`. */
  async of(runtime: VerifiedRuntime, asked: AskedPlan): Promise<CaptionPlan> {
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
