import type { EventType } from '../../contract/journal/journal-event.ts';
import {
  foldCaptionsChecked,
  foldCaptionsCompleted,
  foldCaptionsFailed,
  foldCaptionsStarted,
  noCaptions,
  type VerifiedCaptions,
} from '../captions/fold-captions.ts';
import type { FoldContext } from '../evidence/fold-context.ts';
import {
  foldExplanationCompleted,
  foldExplanationFailed,
  foldExplanationStarted,
  isExplaining,
  noExplanations,
  type VerifiedExplanations,
} from '../explanations/fold-explanations.ts';
import {
  foldReviewCompleted,
  foldReviewFailed,
  foldReviewStarted,
  foldRevocationCompleted,
  foldRevocationFailed,
  foldRevocationStarted,
  noReviews,
  type VerifiedReviews,
} from '../review/fold-reviews.ts';
import type { VerifiedConclusion, VerifiedFindings } from '../study/fold-conclusion.ts';

/** What came of a study after it was concluded. */
export interface VerifiedTail extends VerifiedReviews {
  readonly captions: VerifiedCaptions;
  readonly explanations: VerifiedExplanations;
}

export const emptyTail: VerifiedTail = { ...noReviews, captions: noCaptions, explanations: noExplanations };

/** A study that was concluded, and what came of it so far. */
interface ConcludedStudy {
  readonly findings: VerifiedFindings;
  readonly conclusion: VerifiedConclusion;
  readonly tail: VerifiedTail;
}

/** Takes one entry of the journal: what a part of the tail is after it. */
type TailStep = (context: FoldContext, study: ConcludedStudy) => Partial<VerifiedTail> | Promise<Partial<VerifiedTail>>;

/** Everything that people and later stages do with a finished study, by the type of the event that comes after its artifacts. */
export const tailSteps: Readonly<Partial<Record<EventType, TailStep>>> = {
  'publish.review.decision_started': (context, { tail, conclusion }) => foldReviewStarted(context, tail, conclusion),
  'publish.review.decision_completed': (context, { tail }) => foldReviewCompleted(context, tail),
  'publish.review.decision_failed': (context, { tail }) => foldReviewFailed(context, tail),
  'publish.review.revocation_started': (context, { tail }) => {
    // An approval is withdrawn when nothing is being made under it any more.
    if (tail.captions.open.length > 0 || isExplaining(tail.explanations)) throw context.journal.fault('type');
    return foldRevocationStarted(context, tail);
  },
  'publish.review.revocation_completed': (context, { tail }) => foldRevocationCompleted(context, tail),
  'publish.review.revocation_failed': (context, { tail }) => foldRevocationFailed(context, tail),
  'caption.production_started': (context, { findings, conclusion, tail: { captions, authority: approval } }) => {
    const study = approval === null ? null : { run: context.run, findings, conclusion, approval };
    return { captions: foldCaptionsStarted(context, captions, study) };
  },
  'caption.production_completed': async (context, { tail }) => ({
    captions: await foldCaptionsCompleted(context, tail.captions),
  }),
  'caption.production_failed': (context, { tail }) => ({ captions: foldCaptionsFailed(context, tail.captions) }),
  'caption.quality_control_decided': async (context, { tail }) => ({
    captions: await foldCaptionsChecked(context, tail.captions),
  }),
  'language.explanation_started': async (context, { tail: { explanations, authority, captions } }) => ({
    explanations: await foldExplanationStarted(context, explanations, authority === null ? null : captions.caption),
  }),
  'language.explanation_completed': async (context, { tail }) => ({
    explanations: await foldExplanationCompleted(context, tail.explanations),
  }),
  'language.explanation_failed': (context, { tail }) => ({
    explanations: foldExplanationFailed(context, tail.explanations),
  }),
};
