import { z } from 'zod';
import { ServiceError } from '../../contract/base/errors.ts';
import {
  type ApprovalReference,
  attestations,
  type IntakeReference,
  type PublishReviewDecisions,
  type PublishReviewIntakes,
  type ReviewDecisionRequest,
  type Reviewer,
  type ReviewRevocationRequest,
} from '../../contract/review.ts';
import { canonicalJson } from '../../formats/canonical-json.ts';
import { thrownMessage } from '../../machines/emission.ts';
import { type PublishReviewEvent, type PublishReviewState, reviewAfter } from '../../machines/publish-review.ts';
import type { VerifiedRuntime } from '../../receipts/fold.ts';
import { currentApprovalOf, publishedReviewsOf, reviewQueueOf } from '../../receipts/published/review.ts';
import { runtimeListOf } from '../../receipts/published/runtime.ts';
import { recordPlan } from '../../receipts/stages/caption-plan.ts';
import {
  type ReviewedIntake,
  type RevokedApproval,
  recordReview,
  recordRevocation,
  reviewFailed,
  reviewStarted,
  revocationFailed,
  revocationStarted,
} from '../../receipts/stages/review.ts';
import type { StepResult, StudyRun } from '../../receipts/study-run.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import type { CaptionPlans } from '../captions/caption-plans.ts';
import type { HostBasis } from '../host-basis.ts';
import { movedWrites } from '../reopening/review-rows.ts';
import { refusalOf } from '../supervision/refused-write.ts';

interface PublishReviewsOptions extends Pick<HostBasis, 'ledger' | 'objectStore' | 'runtimes' | 'mutex' | 'clock'> {
  readonly reviewer: Reviewer;
  /** Derives the plan that a decision names. */
  readonly plans: Pick<CaptionPlans, 'approved'>;
  /** Stops what is being made under the approval of a runtime; resolves when nothing is. */
  readonly stopWork: (runtimeId: string) => Promise<void>;
  /** Called after each commit that added to a runtime's journal. */
  readonly committed: (runtimeId: string) => void;
}

/**
 * The service behind review intakes, decisions and revocations. Every answer rests on a runtime that was reopened as a
 * whole; all throw `unknown_runtime` and `stored_content_inconsistent`. Nothing that was decided is ever deleted.
 */
export class PublishReviews {
  readonly #options: PublishReviewsOptions;

  constructor(options: PublishReviewsOptions) {
    this.#options = options;
  }

  async intakes(runtimeId: string): Promise<PublishReviewIntakes> {
    const { intakes, ...list } = reviewQueueOf(await this.#options.runtimes.read(runtimeId));
    return {
      schema: 'studio.local-runtime-publish-review-intakes.v1',
      ...list,
      intakes: intakes.map((intake) => ({
        ...intake,
        integrity: 'stored_intake_and_verified_study_readiness',
        producer: 'host_publish_review_intake_v1',
      })),
    };
  }

  async reviews(runtimeId: string, lookedSinceMs?: number): Promise<PublishReviewDecisions> {
    const runtime = await this.#options.runtimes.read(runtimeId, lookedSinceMs);
    return {
      schema: 'studio.local-runtime-publish-review-decisions.v1',
      ...runtimeListOf(runtime),
      reviewer: {
        ...this.#options.reviewer,
        decisionAttestation: attestations.decision,
        revocationAttestation: attestations.revocation,
      },
      reviews: publishedReviewsOf(runtime),
    };
  }

  /**
   * Writes a decision down, with the caption plan that it names. Throws `reviewer_identity_mismatch` and `illegal_review_transition`; with
   * a plan also `caption_plan_mismatch` and `caption_lines_unavailable`.
   */
  async decide(
    runtimeId: string,
    { intake, reviewer, decision, plan: digest }: ReviewDecisionRequest,
  ): Promise<PublishReviewDecisions> {
    const { runtimes, mutex, plans } = this.#options;
    return mutex.take(runtimeId, async () => {
      const beganAtMs = performance.now();
      const runtime = await runtimes.read(runtimeId, beganAtMs);
      this.#demandReviewer(reviewer.id);
      const queued = reviewQueueOf(runtime).intakes.find((known) => isSame(referenceOf(known), intake));
      if (queued?.outcome !== 'queued' || runtime.execution === null) {
        throw illegal('the intake is not one of this runtime that is queued');
      }
      const asked = { intake, reviewer: this.#options.reviewer, decision };
      const { run } = runtime.execution.opened;
      const command = decisionCommand(run, asked);
      if (!isPossible(runtime, command)) throw illegal('the intake has been decided already');
      if (digest !== undefined) {
        const { plan } = await plans.approved(runtime, digest);
        const record = recordPlan(run, { approval: command.recorded.refs, plan });
        await this.#write(runtime, withRecord(command, record), [command.started]);
        return this.reviews(runtimeId, beganAtMs);
      }
      await this.#write(runtime, command, [command.started]);
      return this.reviews(runtimeId, beganAtMs);
    });
  }

  /** Withdraws an approval. Throws `reviewer_identity_mismatch` and `illegal_review_transition`. */
  async revoke(
    runtimeId: string,
    { approval, reviewer, revocation }: ReviewRevocationRequest,
  ): Promise<PublishReviewDecisions> {
    const { runtimes, mutex, stopWork } = this.#options;
    return mutex.take(runtimeId, async () => {
      const beganAtMs = performance.now();
      const runtime = await runtimes.read(runtimeId, beganAtMs);
      const current = currentApprovalOf(runtime);
      this.#demandReviewer(reviewer.id);
      if (runtime.execution === null || current === null || !isSame(current, approval)) {
        throw illegal('the approval is not one of this runtime');
      }
      const asked = { approval, reviewer: this.#options.reviewer, revocation };
      const command = revocationCommand(runtime.execution.opened.run, asked);
      if (!isPossible(runtime, command))
        throw illegal('the approval is revoked already, or the review was a rejection');
      await stopWork(runtimeId);
      await this.#write(runtime, command, [command.started]);
      return this.reviews(runtimeId, beganAtMs);
    });
  }

  /** Brings to its end what the journal of a runtime says was begun, and was cut by the end of its host. */
  async finish(runtimeId: string): Promise<void> {
    const { runtimes, mutex } = this.#options;
    await mutex.take(runtimeId, async () => {
      const runtime = await runtimes.read(runtimeId);
      const command = cutCommandOf(runtime);
      if (command !== null) await this.#write(runtime, command, []);
    });
  }

  /**
   * Stores the receipt, then journals it in one commit with the events before it. A receipt that cannot be stored is journaled
   * as a failure, and the client may send the same request again. Throws `insufficient_storage` or `storage_unavailable` if the
   * system refused it, else `internal_failure`.
   */
  async #write(runtime: VerifiedRuntime, command: ReviewCommand, before: readonly EventDraft[]): Promise<void> {
    const { ledger, objectStore, clock, committed } = this.#options;
    const { runtimeId, recorded, failed } = command;
    const [start, end] = command.way;
    const append = async (events: readonly EventDraft[], last: ReviewStep): Promise<void> => {
      const { state, intakeId } = reviewOf(runtime);
      const way = before.length === 0 ? [last] : [start, last];
      const rows = await movedWrites(ledger, { runtimeId, intakeId }, state, way, clock.now());
      await ledger.commit([{ append: runtimeId, events: [...before, ...events] }, ...rows]);
      committed(runtimeId);
    };
    try {
      await objectStore.putAll(recorded.objects);
    } catch (error) {
      await append([failed(thrownMessage(error))], command.failure);
      throw refusalOf(error) ?? new ServiceError('internal_failure', 'the review could not be written down');
    }
    await append(recorded.events, end);
  }

  #demandReviewer(id: string): void {
    if (id === this.#options.reviewer.id) return;
    throw new ServiceError('reviewer_identity_mismatch', 'this host has another reviewer');
  }
}

const referenceOf = ({ intakeId, artifactId, receiptId, receiptContentId }: IntakeReference): IntakeReference => ({
  intakeId,
  artifactId,
  receiptId,
  receiptContentId,
});

const isSame = (one: object, other: object): boolean => canonicalJson(one) === canonicalJson(other);

const illegal = (message: string) => new ServiceError('illegal_review_transition', message);

type ReviewStep = PublishReviewEvent['type'];

/** The request of a reviewer, as it becomes a part of the journal. */
interface ReviewCommand {
  readonly runtimeId: string;
  /** Its way through the chart of reviews: its start and its end. */
  readonly way: readonly [ReviewStep, ReviewStep];
  /** The end of that way where the receipt cannot be stored. */
  readonly failure: ReviewStep;
  readonly started: EventDraft;
  /** The receipt, and the events that name it. */
  readonly recorded: Pick<StepResult<unknown>, 'objects' | 'events'>;
  /** The event for a receipt that cannot be stored. */
  readonly failed: (message: string) => EventDraft;
}

const isApproval = ({ decision }: Pick<ReviewedIntake, 'decision'>): boolean =>
  decision.outcome === 'approve_for_caption_production';

/** A command with a further record in its commit. */
const withRecord = <Command extends ReviewCommand>(
  command: Command,
  { objects, events }: ReviewCommand['recorded'],
): ReviewCommand => ({
  ...command,
  recorded: {
    objects: [...command.recorded.objects, ...objects],
    events: [...command.recorded.events, ...events],
  },
});

/** The decision of a reviewer, with the name that later records have for it. */
interface DecisionCommand extends ReviewCommand {
  readonly recorded: StepResult<ApprovalReference>;
}

function decisionCommand(run: StudyRun, asked: ReviewedIntake): DecisionCommand {
  return {
    runtimeId: run.record.runtimeId,
    way: ['decision.started', isApproval(asked) ? 'decision.approved' : 'decision.rejected'],
    failure: 'decision.failed',
    started: reviewStarted(run, asked),
    recorded: recordReview(run, asked),
    failed: (message) => reviewFailed(run, asked.intake, { code: 'review_not_recorded', message }),
  };
}

function revocationCommand(run: StudyRun, asked: RevokedApproval): ReviewCommand {
  return {
    runtimeId: run.record.runtimeId,
    way: ['revocation.started', 'revocation.completed'],
    failure: 'revocation.failed',
    started: revocationStarted(run, asked),
    recorded: recordRevocation(run, asked),
    failed: (message) => revocationFailed(run, asked.approval, { code: 'revocation_not_recorded', message }),
  };
}

/** The command whose start is in the journal and whose end is not; null if there is none. */
function cutCommandOf({ execution }: VerifiedRuntime): ReviewCommand | null {
  if (execution === null) return null;
  const { run } = execution.opened;
  const { deciding, revoking } = execution.study.tail;
  if (deciding !== null) return decisionCommand(run, deciding);
  return revoking === null ? null : revocationCommand(run, revoking);
}

/** The state of a review in the journal of a runtime; null if no study of it is queued for one. */
function reviewStateOf({ execution }: VerifiedRuntime): PublishReviewState | null {
  const { conclusion, tail } = execution?.study ?? { conclusion: null, tail: null };
  if (conclusion?.intake.body.result.outcome !== 'queued' || tail === null) return null;
  if (tail.deciding !== null) return 'deciding';
  if (tail.revoking !== null) return 'revoking';
  if (tail.review === null) return 'queued';
  if (tail.review.revocation !== null) return 'revoked';
  return isApproval(tail.review.receipt.body) ? 'approved' : 'rejected';
}

/** The review of a runtime: its intake, and its state. Throws if no study is queued for one. */
function reviewOf(runtime: VerifiedRuntime): { readonly intakeId: string; readonly state: PublishReviewState } {
  const state = reviewStateOf(runtime);
  const intakeId = runtime.execution?.study.conclusion?.intake.body.intakeId;
  if (state === null || intakeId === undefined) throw new Error('a review is of an intake');
  return { intakeId, state };
}

/** True if the chart has a way for a command from the state of the runtime's review. */
function isPossible(runtime: VerifiedRuntime, { way }: ReviewCommand): boolean {
  const state = reviewStateOf(runtime);
  return state !== null && reviewAfter(state, way) !== null;
}

/** The row of a review, as versions up to 0.2.0 wrote it. */
const reviewRow = z.looseObject({
  kind: z.literal('publish-review'),
  input: z.looseObject({ runtimeId: z.string() }),
});

interface CutReviewsOptions extends Pick<HostBasis, 'ledger' | 'report'> {
  readonly reviews: Pick<PublishReviews, 'finish'>;
}

/**
 * Ends every unfinished review of an older host. Up to version 0.2.0 a review was an actor, whose start and end were two commits.
 * The live index names those that a crash left in between. Rows of ended reviews stay in the ledger, and nothing reads them, as
 * the journal is enough.
 */
export async function finishCutReviews({ ledger, reviews, report }: CutReviewsOptions): Promise<void> {
  const live = await ledger.list('live', 'publish-review:');
  const rows = await ledger.getMany(
    'snapshot',
    live.map(({ key }) => key),
  );
  for (const [index, { key }] of live.entries()) {
    const row = reviewRow.safeParse(rows[index]);
    // Recovery leaves aside what has no row that can be read, and says so.
    if (!row.success) continue;
    try {
      await reviews.finish(row.data.input.runtimeId);
      await ledger.commit([
        { del: 'live', key },
        { del: 'snapshot', key },
      ]);
    } catch (error) {
      report(`the review ${key} was not brought to its end: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
