import { setup, transition } from 'xstate';
import type { ChartMeta } from '../contract/journal.ts';
import { laterStages } from '../contract/study/stages.ts';
import { takenIds } from './machine-chart.ts';

const { decision, revocation } = laterStages.review.acts;

/** The possible events of a review; each is one entry of the journal, with the artifact that it names. */
export interface PublishReviewEvent {
  readonly type:
    | 'decision.started'
    | 'decision.approved'
    | 'decision.rejected'
    | 'decision.failed'
    | 'revocation.started'
    | 'revocation.completed'
    | 'revocation.failed';
}

/**
 * A person's review of one intake. No actor runs it. The journal has the state of the review, and a command continues from there to
 * the next resting state, in one commit.
 */
export const publishReviewMachine = setup({
  types: { events: {} as PublishReviewEvent, meta: {} as ChartMeta },
}).createMachine({
  id: 'publish-review',
  version: '2',
  description:
    'The review of one intake by the reviewer of this host: the decision, and the withdrawal of an approval.',
  meta: { mainWays: [['queued', 'deciding', 'approved']] },
  initial: 'queued',
  states: {
    queued: {
      description: 'The study waits for the decision of the reviewer.',
      on: { 'decision.started': 'deciding' },
    },
    deciding: {
      description:
        'The host writes the receipt of the decision that the reviewer attested. Start and end are one commit.',
      meta: { journal: decision.begins },
      on: {
        'decision.approved': {
          target: 'approved',
          meta: { journal: decision.ends },
        },
        'decision.rejected': {
          target: 'rejected',
          meta: { journal: decision.ends },
        },
        'decision.failed': { target: 'queued', meta: { journal: decision.fails } },
      },
    },
    approved: {
      description: 'The approval is valid: captions may be made under it. A person can withdraw it at any time.',
      on: { 'revocation.started': 'revoking' },
    },
    revoking: {
      description:
        'The host writes the receipt of the withdrawal that the reviewer attested. Start and end are one commit.',
      meta: { journal: revocation.begins },
      on: {
        'revocation.completed': {
          target: 'revoked',
          meta: { journal: revocation.ends },
        },
        'revocation.failed': { target: 'approved', meta: { journal: revocation.fails } },
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
  },
});

export type PublishReviewState = ReturnType<(typeof publishReviewMachine)['resolveState']>['value'];

/** The state to which one event takes a review, and the ids of the chart's transitions that it takes; null if it cannot come. */
export function reviewStep(
  from: PublishReviewState,
  type: PublishReviewEvent['type'],
): { readonly state: PublishReviewState; readonly taken: readonly string[] } | null {
  const before = publishReviewMachine.resolveState({ value: from });
  if (!before.can({ type })) return null;
  const [{ value }] = transition(publishReviewMachine, before, { type });
  return {
    state: value,
    taken: takenIds(publishReviewMachine, publishReviewMachine.getTransitionData(before, { type })),
  };
}

/** Where events take a review, one after the other; null where one of them cannot come. */
export function reviewAfter(
  state: PublishReviewState,
  events: readonly PublishReviewEvent['type'][],
): PublishReviewState | null {
  let reached: PublishReviewState | null = state;
  for (const type of events) reached = reached === null ? null : (reviewStep(reached, type)?.state ?? null);
  return reached;
}
