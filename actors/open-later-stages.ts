import type { Clock } from '../contract/base/clock.ts';
import type { CaptionClassification } from '../contract/captions/caption-executor.ts';
import type { Reviewer } from '../contract/review/publish-review.ts';
import type { LanguageExplainer } from '../executors/explanations/language-explainer.ts';
import type { Ledger } from '../storage/ledger/ledger.ts';
import type { Vault } from '../storage/objects/vault.ts';
import { Turns } from '../storage/turns.ts';
import { captionProductionKind } from './captions/caption-production-kind.ts';
import { CaptionReads } from './captions/caption-reads.ts';
import { Captions } from './captions/captions.ts';
import { languageExplanationKind } from './explanations/language-explanation-kind.ts';
import { LanguageExplanations } from './explanations/language-explanations.ts';
import { EvidenceAudits } from './reopening/evidence-audits.ts';
import { VerifiedRuntimes } from './reopening/verified-runtimes.ts';
import { publishReviewKind } from './review/publish-review-kind.ts';
import { PublishReviews } from './review/publish-reviews.ts';
import type { Supervisor } from './supervision/supervisor.ts';

export interface LaterStagesOptions {
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly supervisor: Supervisor;
  readonly reviewer: Reviewer;
  readonly captionExecutor: CaptionClassification;
  readonly explainer: LanguageExplainer | null;
  readonly clock: Clock;
  /** Called after each commit that added to a runtime's journal. */
  readonly committed: (runtimeId: string) => void;
  readonly report: (line: string) => void;
}

/** Everything that is done with a finished study. */
export interface LaterStages {
  readonly audits: EvidenceAudits;
  readonly reviews: PublishReviews;
  readonly captions: Captions;
  readonly captionReads: CaptionReads;
  readonly explanations: LanguageExplanations;
}

/** Makes the services of the later stages and tells the supervisor of their actors. All rest on the same reopened runtimes. */
export function openLaterStages(options: LaterStagesOptions): LaterStages {
  const { ledger, vault, supervisor, reviewer, captionExecutor, explainer, clock, committed, report } = options;
  const runtimes = new VerifiedRuntimes({ ledger, vault });
  const turns = new Turns();
  const kinds = {
    reviewing: publishReviewKind({ ledger, vault, supervisor, runtimes, committed }),
    captioning: captionProductionKind({ ledger, vault, supervisor, runtimes, clock, committed, report }),
    explaining: languageExplanationKind({ ledger, vault, supervisor, runtimes, explainer, committed, report }),
  };
  for (const kind of Object.values(kinds)) supervisor.register(kind);
  const common = { supervisor, runtimes, turns };
  const captions = new Captions({ ...common, kind: kinds.captioning, classification: captionExecutor });
  const explanations = new LanguageExplanations({ ...common, kind: kinds.explaining, vault, explainer });
  const stopWork = async (runtimeId: string): Promise<void> => {
    await captions.stop(runtimeId);
    await explanations.stop(runtimeId);
  };
  return {
    audits: new EvidenceAudits(runtimes),
    reviews: new PublishReviews({ ...common, kind: kinds.reviewing, reviewer, stopWork }),
    captions,
    captionReads: new CaptionReads(runtimes),
    explanations,
  };
}
