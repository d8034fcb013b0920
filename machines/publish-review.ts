import { assign, emit, fromPromise, setup } from 'xstate';
import { type Failure, failureMessage } from '../contract/failure.ts';
import type { IntakeReference, ReviewDecision, Reviewer, RevocationDecision } from '../contract/publish-review.ts';
import { type CommitFact, commitOf, type EffectOutcome } from './commit-fact.ts';
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
export interface ReviewStartedFact {
  readonly type: 'review.started' | 'revocation.started';
}

/** It could not be written down: the actor layer journals why. */
export interface ReviewFailedFact {
  readonly type: 'review.failed' | 'revocation.failed';
  readonly reason: Failure;
}

export type PublishReviewFact = CommitFact | ReviewStartedFact | ReviewFailedFact;

const recordInput = ({ context: { failure, ...asked } }: { context: PublishReviewContext }): ReviewRecord => asked;

/** A person's review of one intake: the decision, and what may become of an approval. */
export const publishReviewMachine = setup({
  types: {
    context: {} as PublishReviewContext,
    events: {} as PublishReviewEvent,
    input: {} as PublishReviewInput,
    emitted: {} as PublishReviewFact,
  },
  actors: {
    recordDecision: fromPromise<DecisionOutcome, ReviewRecord>(notProvided('recordDecision')),
    recordRevocation: fromPromise<EffectOutcome, ReviewRecord>(notProvided('recordRevocation')),
  },
  guards: {
    isApproved: (_, params: { approved: boolean }) => params.approved,
  },
  actions: {
    rememberRevocation: assign({ revocation: (_, params: RequestedRevocation) => params }),
    forgetRevocation: assign({ revocation: null }),
    tellRevocationFailed: emit((_, params: { message: string }) => ({
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
  initial: 'deciding',
  states: {
    deciding: {
      entry: emit({ type: 'review.started' }),
      invoke: {
        id: 'recordDecision',
        src: 'recordDecision',
        input: recordInput,
        onDone: [
          {
            guard: { type: 'isApproved', params: ({ event }) => ({ approved: event.output.approved }) },
            target: 'approved',
            actions: emit(({ event }) => commitOf(event.output)),
          },
          { target: 'rejected', actions: emit(({ event }) => commitOf(event.output)) },
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
      entry: emit({ type: 'revocation.started' }),
      invoke: {
        id: 'recordRevocation',
        src: 'recordRevocation',
        input: recordInput,
        onDone: { target: 'revoked', actions: emit(({ event }) => commitOf(event.output)) },
        onError: {
          target: 'approved',
          actions: [
            { type: 'tellRevocationFailed', params: ({ event }) => ({ message: messageOf(event.error) }) },
            {
              type: 'fail',
              params: ({ event }) => ({ code: 'revocation_not_recorded', message: messageOf(event.error) }),
            },
            'forgetRevocation',
          ],
        },
      },
      on: {
        'supervision.exhausted': {
          target: 'approved',
          actions: [
            { type: 'tellRevocationFailed', params: ({ event }) => ({ message: event.message }) },
            { type: 'fail', params: ({ event }) => ({ code: 'revocation_not_recorded', message: event.message }) },
            'forgetRevocation',
          ],
        },
        'content.damaged': {
          target: 'approved',
          actions: [
            { type: 'tellRevocationFailed', params: ({ event }) => ({ message: event.message }) },
            { type: 'fail', params: ({ event }) => ({ code: 'revocation_not_recorded', message: event.message }) },
            'forgetRevocation',
          ],
        },
      },
    },
    revoked: { type: 'final' },
    rejected: { type: 'final' },
    unrecorded: {
      type: 'final',
      entry: emit(({ context }) => ({
        type: 'review.failed',
        reason: context.failure ?? { code: 'review_not_recorded', message: 'no reason was recorded' },
      })),
    },
  },
});
