import { ServiceError } from '../../contract/base/errors.ts';
import type { CaptionMethodList } from '../../contract/captions/caption-answers.ts';
import type { CaptionMethod, CaptionMethodRows, RequestedMethod } from '../../contract/captions/caption-method.ts';
import type { CaptionAllowance } from '../../contract/captions/caption-production.ts';
import { wireText } from '../../contract/causes/wording.ts';
import { isTranslating } from '../../receipts/captions/allowance.ts';
import type { CaptionedStudy } from '../../receipts/captions/captioned-study.ts';
import { captionMeans, missingForMethod, plannedMethods, studiedMethods } from '../../receipts/captions/methods.ts';
import type { CaptionAbility, PlannedFilm } from '../../receipts/captions/prospect.ts';
import { captionMethodsOf } from '../../receipts/published/captions.ts';
import type { EngineChoices } from '../engines/engine-choices.ts';
import { notPermitted } from '../engines/permissions.ts';
import type { HostBasis } from '../host-basis.ts';
import { TimeSlices } from '../supervision/system-clock.ts';

interface CaptionMethodsOptions extends Pick<HostBasis, 'runtimes'> {
  /** The engines that the settings name now. */
  readonly engines: { readonly choices: EngineChoices };
  /** How long captions by a method may be now. */
  readonly allowance: () => CaptionAllowance;
}

/** The service behind the ways to captions: it lists those of a film, and gives productions the means of the one that they name. */
export class CaptionMethods {
  readonly #options: CaptionMethodsOptions;
  readonly #slices = new TimeSlices();

  constructor(options: CaptionMethodsOptions) {
    this.#options = options;
  }

  get allowance(): CaptionAllowance {
    return this.#options.allowance();
  }

  /** The ways to captions of a study that has ended. Throws `unknown_runtime` and `stored_content_inconsistent`. */
  async of(runtimeId: string): Promise<CaptionMethodList> {
    const { runtimes, engines } = this.#options;
    const runtime = await runtimes.read(runtimeId);
    const rows = await this.#slices.run(captionMethodsOf(runtime, engines.choices, this.allowance));
    return { schema: 'studio.local-runtime-caption-methods.v1', runtimeId, ...rows };
  }

  /** The ways to captions of a film before its study. */
  planned(film: PlannedFilm): CaptionMethodRows {
    return plannedMethods(film, this.#options.engines.choices, this.allowance);
  }

  /** Throws `permission_required`, then `engine_unavailable`, for a method that this host may not or cannot use now. */
  demand(method: CaptionMethod): void {
    const { choices } = this.#options.engines;
    const missing = missingForMethod(method, choices);
    if (missing.length > 0) throw notPermitted(missing);
    if (!isTranslating(captionMeans[method]) || choices.translator !== null) return;
    throw engineUnavailable(`${method} needs a model that translates, and the settings name none`);
  }

  /** The means of a method for a study; for `auto`, of the first that is ready. Throws as `demand`, and `caption_lines_unavailable`. */
  async abilityFor(requested: RequestedMethod, study: CaptionedStudy): Promise<CaptionAbility> {
    const method = requested === 'auto' ? await this.#first(study) : requested;
    this.demand(method);
    const { translator } = this.#options.engines.choices;
    return {
      ...captionMeans[method],
      isOfRequest: true,
      allowance: this.allowance,
      translator: translator?.identity,
      earlierTranslators: translator?.earlierIdentities,
    };
  }

  async #first(study: CaptionedStudy): Promise<CaptionMethod> {
    const { choices } = this.#options.engines;
    const { chosen, methods } = await this.#slices.run(studiedMethods(study, choices, this.allowance));
    if (chosen !== null) return chosen;
    const tried = methods.filter(({ method }) => method !== 'deterministic-test');
    const states = ['needs_permission', 'needs_study', 'needs_engine', 'impossible'] as const;
    const [nearest] = states.flatMap((wanted) => tried.find(({ state }) => state === wanted) ?? []);
    if (nearest === undefined) throw new Error('there are methods');
    if (nearest.state === 'needs_permission') throw notPermitted(missingForMethod(nearest.method, choices));
    const cause = nearest.obstacles.at(-1);
    const text = cause === undefined ? nearest.state : wireText(cause);
    if (nearest.state === 'needs_engine') throw engineUnavailable(`${nearest.method}: ${text}`);
    throw new ServiceError('caption_lines_unavailable', cause === undefined ? text : `${cause.code}: ${text}`);
  }
}

const engineUnavailable = (message: string) => new ServiceError('engine_unavailable', message);
