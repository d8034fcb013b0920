import type { PublishReviewIntakeReceipt } from '../../contract/review/publish-review-intake.ts';
import type { ReadinessReference } from '../../contract/study/study-readiness.ts';
import type { AdmissionReference } from '../study/study-admission.ts';
import type { VerifiedRuntime } from './reopen-runtime.ts';
import { runtimeListOf } from './runtime-list.ts';

/** The entry of a study into the review queue, or its rejection, with the readiness that it rests on. */
export type QueuedIntake = AdmissionReference['intake'] &
  PublishReviewIntakeReceipt['result'] & { readonly readiness: ReadinessReference };

/** The review queue of a runtime: at most one intake, reopened with all that it rests on. */
export function reviewQueueOf(runtime: VerifiedRuntime) {
  const conclusion = runtime.execution?.study.conclusion ?? null;
  if (conclusion === null) return { ...runtimeListOf(runtime), intakes: [] };
  const { admission, intake } = conclusion;
  const queued: QueuedIntake = { ...admission.intake, readiness: admission.readiness, ...intake.body.result };
  return { ...runtimeListOf(runtime), intakes: [queued] };
}
