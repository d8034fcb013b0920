import type { Reviewer } from '../../contract/review.ts';
import type { CaptionAbility } from '../../receipts/captions/prospect.ts';
import type { CaptionMethods } from '../captions/caption-methods.ts';
import { CaptionPlans } from '../captions/caption-plans.ts';
import { captionProductionDefinition } from '../captions/caption-production-definition.ts';
import { CaptionReads, CaptionService } from '../captions/captions.ts';
import { Corrections } from '../captions/corrections.ts';
import type { EngineRegistry } from '../engines/engine-registry.ts';
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
  supervisor.register(captioning);
  const plans = new CaptionPlans({ ...options, ability, methods: captionMethods });
  const captions = new CaptionService({ ...options, definition: captioning, ability, methods: captionMethods, plans });
  const stopWork = async (runtimeId: string): Promise<void> => {
    await captions.stop(runtimeId);
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
    /** How many captions are being made, with what features make of them. */
    producing: () =>
      features.reduce((sum, feature) => sum + (feature.producing?.() ?? 0), supervisor.countLive(captioning.name)),
  };
}
