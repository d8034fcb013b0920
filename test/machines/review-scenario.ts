import type { AnyEventObject } from 'xstate';
import type { ReviewDecision } from '../../contract/review/publish-review.ts';
import {
  type PublishReviewContext,
  type PublishReviewInput,
  publishReviewMachine,
} from '../../machines/publish-review.ts';
import type { Ending } from './path-tests.ts';
import type { Scenario } from './scenario.ts';

const hex = (digit: string) => digit.repeat(64);

const reviewer = { id: 'reviewer:one', label: 'Reviewer one' };

export const revocation = {
  reviewer,
  revocation: { reasonCodes: ['new_review_required' as const], note: null },
};

const outcome = (step: string) => ({
  events: [{ producer: { kind: 'host', id: step }, causationId: null, correlationId: null, type: step, data: {} }],
  writes: [{ put: 'record', key: step, value: { step } }],
});

const approval = { ...outcome('approval'), approved: true };
const rejection = { ...outcome('rejection'), approved: false };
const withdrawal = outcome('withdrawal');

const commit = ({ events, writes }: ReturnType<typeof outcome>) => ({ type: 'commit', events, writes });

const inputOf = (decision: ReviewDecision): PublishReviewInput => ({
  runtimeId: 'runtime:one',
  reviewId: `publish-review:${hex('1')}`,
  intake: {
    intakeId: `publish-review-intake:${hex('2')}`,
    artifactId: `artifact:${hex('3')}`,
    receiptId: `publish-review-intake-receipt:${hex('4')}`,
    receiptContentId: `sha256:${hex('5')}`,
  },
  reviewer,
  decision,
});

const failureOf = ({ type, message, error }: AnyEventObject, code: string) => ({
  code,
  message: message ?? (error instanceof Error ? error.message : `no message came with ${type}`),
});

const stops = ['xstate.error.actor.recordDecision', 'supervision.exhausted', 'content.damaged'];

/** A review with this decision, and what every path through it has to end in. */
export function reviewScenario(decision: ReviewDecision): {
  scenario: Scenario;
  endingOf: (events: readonly AnyEventObject[]) => Ending;
} {
  const input = inputOf(decision);
  const decided = { ...input, revocation: null };
  const scenario: Scenario = {
    machine: publishReviewMachine,
    input,
    effects: {
      recordDecision: { input: decided, outputs: [approval, rejection], errors: [new Error('the disk is gone')] },
      recordRevocation: {
        input: { ...decided, revocation },
        outputs: [withdrawal],
        errors: [new Error('the disk is gone')],
      },
    },
    timers: {},
    outside: [
      { type: 'review.revoke', ...revocation },
      { type: 'supervision.exhausted', message: 'it crashed again and again' },
      { type: 'content.damaged', message: 'the journal is damaged' },
    ],
    distinguish: (context) => (context as PublishReviewContext).failure,
  };
  const endingOf = (events: readonly AnyEventObject[]): Ending => {
    const emissions: unknown[] = [{ type: 'review.started' }];
    let failure: PublishReviewContext['failure'] = null;
    let value = 'deciding';
    let asked = false;
    for (const event of events) {
      if (event.type === 'xstate.done.actor.recordDecision') {
        emissions.push(commit(event.output));
        value = event.output.approved ? 'approved' : 'rejected';
      } else if (value === 'deciding' && stops.includes(event.type)) {
        failure = failureOf(event, 'review_not_recorded') as PublishReviewContext['failure'];
        emissions.push({ type: 'review.failed', reason: failure });
        value = 'unrecorded';
      } else if (event.type === 'review.revoke') {
        emissions.push({ type: 'revocation.started' });
        value = 'revoking';
        asked = true;
      } else if (event.type === 'xstate.done.actor.recordRevocation') {
        emissions.push(commit(withdrawal));
        value = 'revoked';
      } else {
        const reason = failureOf(event, 'revocation_not_recorded');
        failure ??= reason as PublishReviewContext['failure'];
        emissions.push({ type: 'revocation.failed', reason });
        value = 'approved';
        asked = false;
      }
    }
    return { value, context: { ...input, revocation: asked ? revocation : null, failure }, emissions };
  };
  return { scenario, endingOf };
}
