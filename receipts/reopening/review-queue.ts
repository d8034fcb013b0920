import type { PublishReviewIntakeReceipt } from '../../contract/review/publish-review-intake.ts';
import type { ReadinessReference } from '../../contract/study/study-readiness.ts';
import type { AdmissionReference } from '../study/study-admission.ts';
import type { VerifiedRuntime } from './reopen-runtime.ts';

/** The entry of a study into the review queue, or its rejection, with the readiness that it rests on. */
export type QueuedIntake = AdmissionReference['intake'] &
  PublishReviewIntakeReceipt['result'] & { readonly readiness: ReadinessReference };

/** The review queue of a runtime: at most one intake, reopened with all that it rests on. */
export function reviewQueueOf({ accepted, journalHead, execution }: VerifiedRuntime): {
  readonly commandId: string;
  readonly journalHead: number;
  readonly intakes: readonly QueuedIntake[];
} {
  const conclusion = execution?.study.conclusion ?? null;
  const { commandId } = accepted.record;
  if (conclusion === null) return { commandId, journalHead, intakes: [] };
  const { admission, intake } = conclusion;
  return {
    commandId,
    journalHead,
    intakes: [{ ...admission.intake, readiness: admission.readiness, ...intake.body.result }],
  };
}
