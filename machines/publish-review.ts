import { assign, emit, fromPromise, setup } from 'xstate';
import { type Failure, failureMessage } from '../contract/base/failure.ts';
import type { ChartMeta } from '../contract/journal/chart-meta.ts';
import type {
  IntakeReference,
  ReviewDecision,
  Reviewer,
  RevocationDecision,
} from '../contract/review/publish-review.ts';
import { type CommitEmission, commitOf, type EffectOutcome } from './commit-emission.ts';
import { messageOf, notProvided } from './effect.ts';

export const publishReviewVersion = 1;

export interface PublishReviewInput {
  readonly runtimeId: string;
  readonly reviewId: string;
  readonly intake: IntakeReference;
  readonly reviewer: Reviewer;
  readonly decision: ReviewDecision;
}

/** A withdrawal as it was asked for; kept so that a restarted host writes down the very same one. */
export interface RequestedRevocation {
  readonly reviewer: Reviewer;
  readonly revocation: RevocationDecision;
}

export type ReviewFailureCode = 'review_not_recorded' | 'revocation_not_recorded';

export interface PublishReviewContext extends PublishReviewInput {
  readonly revocation: RequestedRevocation | null;
  /** The first thing that could not be written down. */
  readonly failure: (Failure & { readonly code: ReviewFailureCode }) | null;
}

/** What an effect writes down. */
export type ReviewRecord = Omit<PublishReviewContext, 'failure'>;

export interface DecisionOutcome extends EffectOutcome {
  readonly approved: boolean;
}

export type PublishReviewEvent =
  | ({ readonly type: 'review.revoke' } & RequestedRevocation)
  | { readonly type: 'supervision.exhausted'; readonly message: string }
  | { readonly type: 'content.damaged'; readonly message: string };

/** Something is about to be written down: the actor layer journals it before the effect runs. */
export interface ReviewStartedEmission {
  readonly type: 'review.started' | 'revocation.started';
}

/** It could not be written down: the actor layer journals why. */
export interface ReviewFailedEmission {
  readonly type: 'review.failed' | 'revocation.failed';
  readonly reason: Failure;
}

export type PublishReviewEmission = CommitEmission | ReviewStartedEmission | ReviewFailedEmission;

const recordInput = ({ context: { failure, ...asked } }: { context: PublishReviewContext }): ReviewRecord => asked;

/** A person's review of one intake: the decision, and what may become of an approval. */
export const publishReviewMachine = setup({
  types: {
    context: {} as PublishReviewContext,
    events: {} as PublishReviewEvent,
    input: {} as PublishReviewInput,
    emitted: {} as PublishReviewEmission,
    meta: {} as ChartMeta,
  },
  actors: {
    recordDecision: fromPromise<DecisionOutcome, ReviewRecord>(notProvided('recordDecision')),
    recordRevocation: fromPromise<EffectOutcome, ReviewRecord>(notProvided('recordRevocation')),
  },
  guards: {
    isApproved: (_, params: { approved: boolean }) => params.approved,
  },
  actions: {
    commit: emit((_, params: EffectOutcome) => commitOf(params)),
    startDecision: emit({ type: 'review.started' }),
    startRevocation: emit({ type: 'revocation.started' }),
    reportDecisionFailed: emit(({ context }) => ({
      type: 'review.failed' as const,
      reason: context.failure ?? { code: 'review_not_recorded', message: 'no reason was recorded' },
    })),
    rememberRevocation: assign({ revocation: (_, params: RequestedRevocation) => params }),
    forgetRevocation: assign({ revocation: null }),
    reportRevocationFailed: emit((_, params: { message: string }) => ({
      type: 'revocation.failed' as const,
      reason: { code: 'revocation_not_recorded', message: failureMessage(params.message) },
    })),
    fail: assign({
      failure: ({ context }, params: { code: ReviewFailureCode; message: string }) =>
        context.failure ?? { code: params.code, message: failureMessage(params.message) },
    }),
  },
}).createMachine({
  id: 'publish-review',
  version: String(publishReviewVersion),
  context: ({ input }) => ({ ...input, revocation: null, failure: null }),
  description:
    'The review of one intake by the reviewer of this host: the decision, and the withdrawal of an approval.',
  meta: { mainWays: [['deciding', 'approved']] },
  initial: 'deciding',
  states: {
    deciding: {
      description: 'The host writes the receipt of the decision that the reviewer attested.',
      entry: 'startDecision',
      meta: { journal: ['publish.review.decision_started'] },
      invoke: {
        id: 'recordDecision',
        src: 'recordDecision',
        input: recordInput,
        onDone: [
          {
            guard: { type: 'isApproved', params: ({ event }) => ({ approved: event.output.approved }) },
            target: 'approved',
            actions: { type: 'commit', params: ({ event }) => event.output },
            meta: { journal: ['artifact.recorded', 'publish.review.decision_completed'] },
          },
          {
            target: 'rejected',
            actions: { type: 'commit', params: ({ event }) => event.output },
            meta: { journal: ['artifact.recorded', 'publish.review.decision_completed'] },
          },
        ],
        onError: {
          target: 'unrecorded',
          actions: {
            type: 'fail',
            params: ({ event }) => ({ code: 'review_not_recorded', message: messageOf(event.error) }),
          },
        },
      },
      on: {
        'supervision.exhausted': {
          target: 'unrecorded',
          actions: {
            type: 'fail',
            params: ({ event }) => ({ code: 'review_not_recorded', message: event.message }),
          },
        },
        'content.damaged': {
          target: 'unrecorded',
          actions: {
            type: 'fail',
            params: ({ event }) => ({ code: 'review_not_recorded', message: event.message }),
          },
        },
      },
    },
    approved: {
      description: 'The approval stands: captions may be made under it. A person can withdraw it at any time.',
      on: {
        'review.revoke': {
          target: 'revoking',
          actions: {
            type: 'rememberRevocation',
            params: ({ event }) => ({ reviewer: event.reviewer, revocation: event.revocation }),
          },
        },
      },
    },
    revoking: {
      description: 'The host writes the receipt of the withdrawal that the reviewer attested.',
      entry: 'startRevocation',
      meta: { journal: ['publish.review.revocation_started'] },
      invoke: {
        id: 'recordRevocation',
        src: 'recordRevocation',
        input: recordInput,
        onDone: {
          target: 'revoked',
          actions: { type: 'commit', params: ({ event }) => event.output },
          meta: { journal: ['artifact.recorded', 'publish.review.revocation_completed'] },
        },
        onError: {
          target: 'approved',
          actions: [
            { type: 'reportRevocationFailed', params: ({ event }) => ({ message: messageOf(event.error) }) },
            {
              type: 'fail',
              params: ({ event }) => ({ code: 'revocation_not_recorded', message: messageOf(event.error) }),
            },
            'forgetRevocation',
          ],
          meta: { journal: ['publish.review.revocation_failed'] },
        },
      },
      on: {
        'supervision.exhausted': {
          target: 'approved',
          actions: [
            { type: 'reportRevocationFailed', params: ({ event }) => ({ message: event.message }) },
            { type: 'fail', params: ({ event }) => ({ code: 'revocation_not_recorded', message: event.message }) },
            'forgetRevocation',
          ],
          meta: { journal: ['publish.review.revocation_failed'] },
        },
        'content.damaged': {
          target: 'approved',
          actions: [
            { type: 'reportRevocationFailed', params: ({ event }) => ({ message: event.message }) },
            { type: 'fail', params: ({ event }) => ({ code: 'revocation_not_recorded', message: event.message }) },
            'forgetRevocation',
          ],
          meta: { journal: ['publish.review.revocation_failed'] },
        },
      },
    },
    revoked: {
      type: 'final',
      description: 'The approval is withdrawn for good. A person who wants captions starts a new attempt of the study.',
    },
    rejected: {
      type: 'final',
      description:
        'The study is rejected for good. A person who wants another review starts a new attempt of the study.',
    },
    unrecorded: {
      type: 'final',
      description:
        'The decision could not be written down; the journal says why. A new attempt of the study can be reviewed.',
      entry: 'reportDecisionFailed',
      meta: { journal: ['publish.review.decision_failed'] },
    },
  },
});
