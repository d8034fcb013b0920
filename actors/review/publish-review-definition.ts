import type { StateValue } from 'xstate';
import type { CommitEmission, EffectOutcome } from '../../machines/commit-emission.ts';
import {
  type DecisionOutcome,
  type PublishReviewContext,
  type PublishReviewEmission,
  type PublishReviewInput,
  publishReviewMachine,
  publishReviewVersion,
  type ReviewRecord,
} from '../../machines/publish-review.ts';
import { draftEvent } from '../../receipts/core/event-draft.ts';
import { causeOf, type StudyRun } from '../../receipts/core/study-run.ts';
import {
  approvalReferenceOf,
  recordReview,
  reviewReceiptOf,
  reviewStarted,
} from '../../receipts/review/publish-review-decision.ts';
import {
  type RevokedApproval,
  recordRevocation,
  revocationIdOf,
  revocationStarted,
} from '../../receipts/review/publish-review-revocation.ts';
import type { EventDraft, Ledger, Write } from '../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import type { VerifiedRuntimes } from '../reopening/verified-runtimes.ts';
import { readStudy } from '../study/study-row.ts';
import {
  type ActorDefinition,
  type Change,
  effect,
  type Phase,
  type Standing,
} from '../supervision/actor-definition.ts';
import type { ActorRow } from '../supervision/actor-row.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import { WorkQueue } from '../supervision/work-queue.ts';

export interface PublishReviewKindOptions {
  readonly ledger: Ledger;
  readonly objectStore: ObjectStore;
  readonly supervisor: Supervisor;
  readonly runtimes: VerifiedRuntimes;
  /** Called after each commit that added to a runtime's journal. */
  readonly committed: (runtimeId: string) => void;
}

/** An approval rests until somebody revokes it; everything else is on its way or over. */
function phaseOf(value: StateValue): Phase {
  if (value === 'approved') return 'passivated';
  return value === 'deciding' || value === 'revoking' ? 'working' : 'ended';
}

const stateOf = (value: StateValue): string => String(value);

/** Where the journal of a runtime says that its review stands. */
async function standingOf(runtimes: VerifiedRuntimes, row: ActorRow): Promise<Standing | null> {
  const input = row.input as PublishReviewInput;
  const { execution } = await runtimes.read(input.runtimeId);
  const context: PublishReviewContext = { ...input, revocation: null, failure: null };
  if (execution === null) return null;
  const { reviewUnderWay, authority } = execution.study.tail;
  if (reviewUnderWay !== null) return { value: reviewUnderWay === 'decision' ? 'deciding' : 'revoking', context };
  return authority === null ? null : { value: 'approved', context };
}

/** Gives the chart of publish reviews its effects, and the supervisor what it needs to know of them. */
export function publishReviewDefinition(options: PublishReviewKindOptions): ActorDefinition {
  const { ledger, objectStore, supervisor, runtimes, committed } = options;
  const barrier = {
    clock: supervisor.clock,
    settled: ({ reviewId }: ReviewRecord) => supervisor.settled(reviewId),
    lifetime: ({ reviewId }: ReviewRecord) => supervisor.lifetime(reviewId),
  };
  const decide = async (review: ReviewRecord): Promise<DecisionOutcome> => {
    const { objects, events } = recordReview(readStudy(ledger, review.runtimeId), review);
    await objectStore.putAll(objects);
    const approved = review.decision.outcome === 'approve_for_caption_production';
    return { approved, events: [], writes: [{ append: review.runtimeId, events }] };
  };
  const revoke = async (review: ReviewRecord): Promise<EffectOutcome> => {
    const { objects, events } = recordRevocation(readStudy(ledger, review.runtimeId), revokedApproval(review));
    await objectStore.putAll(objects);
    return { events: [], writes: [{ append: review.runtimeId, events }] };
  };
  return {
    name: 'publish-review',
    version: publishReviewVersion,
    machine: publishReviewMachine.provide({
      actors: { recordDecision: effect(barrier, decide), recordRevocation: effect(barrier, revoke) },
    }),
    // Writing a receipt takes no worker.
    queue: new WorkQueue(0, () => undefined),
    hasJournal: false,
    status: stateOf,
    phase: phaseOf,
    standing: (row) => standingOf(runtimes, row),
    writes: (change) =>
      change.emissions.flatMap((emission) => emissionWrites(ledger, change, emission as PublishReviewEmission)),
    committed: (_, row) => committed((row.input as PublishReviewInput).runtimeId),
  };
}

/** What a revocation withdraws: the very approval that the review's own receipt stands for. */
function revokedApproval({ runtimeId, revocation, ...review }: ReviewRecord): RevokedApproval {
  if (revocation === null) throw new Error('a revocation is written down once it was asked for');
  const approval = approvalReferenceOf(runtimeId, reviewReceiptOf(runtimeId, review));
  return { approval, ...revocation };
}

function emissionWrites(ledger: Ledger, { after }: Change, emission: PublishReviewEmission): Write[] {
  if (emission.type === 'commit') return [...emission.writes];
  const review: ReviewRecord = after.context;
  const run = readStudy(ledger, review.runtimeId);
  return [{ append: review.runtimeId, events: [eventOf(run, review, emission)] }];
}

function eventOf(
  run: StudyRun,
  review: ReviewRecord,
  emission: Exclude<PublishReviewEmission, CommitEmission>,
): EventDraft {
  switch (emission.type) {
    case 'review.started':
      return reviewStarted(run, review);
    case 'revocation.started':
      return revocationStarted(run, revokedApproval(review));
    case 'review.failed':
      return draftEvent(
        'publish.review.decision_failed',
        { reviewId: review.reviewId, reason: emission.reason },
        causeOf(run),
      );
    case 'revocation.failed': {
      const { runtimeId } = review;
      const approval = approvalReferenceOf(runtimeId, reviewReceiptOf(runtimeId, review));
      const revocationId = revocationIdOf(runtimeId, approval);
      return draftEvent('publish.review.revocation_failed', { revocationId, reason: emission.reason }, causeOf(run));
    }
  }
}
