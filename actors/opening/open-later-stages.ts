import type { Reviewer } from '../../contract/review.ts';
import type { LanguageExplainer } from '../../executors/explanations/language-explainer.ts';
import type { CaptionAbility } from '../../receipts/captions/prospect.ts';
import type { CaptionMethods } from '../captions/caption-methods.ts';
import { CaptionPlans } from '../captions/caption-plans.ts';
import { captionProductionDefinition } from '../captions/caption-production-definition.ts';
import { CaptionReads, CaptionService } from '../captions/captions.ts';
import { Corrections } from '../captions/corrections.ts';
import type { EngineRegistry } from '../engines/engine-registry.ts';
import { languageExplanationDefinition } from '../explanations/language-explanation-definition.ts';
import { LanguageExplanations } from '../explanations/language-explanations.ts';
import { Exports } from '../exports/exports.ts';
import type { HostBasis } from '../host-basis.ts';
import type { OpenFeature } from '../host-feature.ts';
import { EvidenceAudits } from '../reopening/evidence-audits.ts';
import { PublishReviews } from '../review/publish-reviews.ts';

interface LaterStagesOptions
  extends Pick<HostBasis, 'ledger' | 'objectStore' | 'supervisor' | 'runtimes' | 'mutex' | 'clock' | 'report'> {
  readonly reviewer: Reviewer;
  readonly captionAbility: CaptionAbility;
  readonly captionMethods: CaptionMethods;
  readonly engines: EngineRegistry;
  readonly explainer: LanguageExplainer | null;
  readonly features: readonly Pick<OpenFeature, 'stopWork' | 'producing'>[];
  /** Called after each commit that added to a runtime's journal. */
  readonly committed: (runtimeId: string) => void;
}

/** Everything that is done with a finished study. */
export type LaterStages = Readonly<ReturnType<typeof openLaterStages>>;

/** Makes the services of the later stages and registers their actors with the supervisor. All rest on the same reopened runtimes. */
export function openLaterStages(options: LaterStagesOptions) {
  const { objectStore, supervisor, runtimes, captionAbility: ability, captionMethods, features } = options;
  const captioning = captionProductionDefinition(options);
  const explaining = languageExplanationDefinition(options);
  for (const definition of [captioning, explaining]) supervisor.register(definition);
  const plans = new CaptionPlans({ ...options, ability, methods: captionMethods });
  const captions = new CaptionService({ ...options, definition: captioning, ability, methods: captionMethods, plans });
  const explanations = new LanguageExplanations({ ...options, definition: explaining });
  const stopWork = async (runtimeId: string): Promise<void> => {
    await captions.stop(runtimeId);
    await explanations.stop(runtimeId);
    for (const feature of features) await feature.stopWork?.(runtimeId);
  };
  return {
    audits: new EvidenceAudits(runtimes, objectStore),
    exports: new Exports(runtimes),
    reviews: new PublishReviews({ ...options, plans, stopWork }),
    captions,
    captionReads: new CaptionReads(runtimes),
    captionMethods,
    captionPlans: plans,
    corrections: new Corrections({ ...options, ability, methods: captionMethods, plans }),
    explanations,
    /** How many captions and explanations are being made. */
    producing: () =>
      features.reduce(
        (sum, feature) => sum + (feature.producing?.() ?? 0),
        supervisor.countLive(captioning.name) + supervisor.countLive(explaining.name),
      ),
  };
}
