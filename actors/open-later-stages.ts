import type { Reviewer } from '../contract/review/publish-review.ts';
import type { LanguageExplainer } from '../executors/explanations/language-explainer.ts';
import type { CaptionAbility } from '../receipts/captions/caption-ability.ts';
import { captionProductionDefinition } from './captions/caption-production-definition.ts';
import { CaptionReads } from './captions/caption-reads.ts';
import type { CaptionTranslations } from './captions/caption-translations.ts';
import { Captions } from './captions/captions.ts';
import { languageExplanationDefinition } from './explanations/language-explanation-definition.ts';
import { LanguageExplanations } from './explanations/language-explanations.ts';
import { Exports } from './exports/exports.ts';
import type { HostBasis } from './host-basis.ts';
import { EvidenceAudits } from './reopening/evidence-audits.ts';
import { PublishReviews } from './review/publish-reviews.ts';

export interface LaterStagesOptions
  extends Pick<HostBasis, 'ledger' | 'objectStore' | 'supervisor' | 'runtimes' | 'mutex' | 'clock' | 'report'> {
  readonly reviewer: Reviewer;
  readonly captionAbility: CaptionAbility;
  /** Null on a host that translates no captions. */
  readonly translator: CaptionTranslations | null;
  readonly explainer: LanguageExplainer | null;
  /** Called after each commit that added to a runtime's journal. */
  readonly committed: (runtimeId: string) => void;
}

/** Everything that is done with a finished study. */
export interface LaterStages {
  readonly audits: EvidenceAudits;
  readonly exports: Exports;
  readonly reviews: PublishReviews;
  readonly captions: Captions;
  readonly captionReads: CaptionReads;
  readonly explanations: LanguageExplanations;
}

/** Makes the services of the later stages and registers their actors with the supervisor. All rest on the same reopened runtimes. */
export function openLaterStages(options: LaterStagesOptions): LaterStages {
  const { ledger, objectStore, supervisor, runtimes, mutex, reviewer, captionAbility, translator, explainer } = options;
  const { clock, committed, report } = options;
  const kinds = {
    captioning: captionProductionDefinition({
      ...{ ledger, objectStore, supervisor, runtimes, translator, clock, committed, report },
    }),
    explaining: languageExplanationDefinition({
      ledger,
      objectStore,
      supervisor,
      runtimes,
      explainer,
      committed,
      report,
    }),
  };
  for (const definition of Object.values(kinds)) supervisor.register(definition);
  const common = { supervisor, runtimes, mutex };
  const captions = new Captions({
    ...common,
    definition: kinds.captioning,
    ability: captionAbility,
  });
  const explanations = new LanguageExplanations({ ...common, definition: kinds.explaining, objectStore, explainer });
  const stopWork = async (runtimeId: string): Promise<void> => {
    await captions.stop(runtimeId);
    await explanations.stop(runtimeId);
  };
  return {
    audits: new EvidenceAudits(runtimes, objectStore),
    exports: new Exports(runtimes),
    reviews: new PublishReviews({
      ledger,
      objectStore,
      runtimes,
      reviewer,
      clock,
      mutex,
      stopWork,
      committed,
    }),
    captions,
    captionReads: new CaptionReads(runtimes),
    explanations,
  };
}
