import { assign, type ErrorActorEvent, emit, fromPromise, setup } from 'xstate';
import { type Failure, failureMessage } from '../contract/base/errors.ts';
import type { CaptionClassification } from '../contract/captions/caption-line.ts';
import type { CaptionAllowance } from '../contract/captions/caption-production.ts';
import type { ChartMeta } from '../contract/journal.ts';
import type { ApprovalReference } from '../contract/review.ts';
import { laterStages } from '../contract/study/stages.ts';
import {
  type CommitEmission,
  committedTo,
  type EffectOutcome,
  emissionOf,
  notProvided,
  thrownMessage,
} from './emission.ts';

const { production, check } = laterStages.captions.acts;

export const captionProductionVersion = 1;

export interface CaptionProductionInput {
  readonly runtimeId: string;
  readonly jobId: string;
  readonly approval: ApprovalReference;
  /** Counted from 0. */
  readonly attempt: number;
  readonly classification: CaptionClassification;
  /** The allowance of the host, for long captions; absent for captions within the limits that hold everywhere. */
  readonly allowance?: CaptionAllowance | undefined;
}

export interface CaptionProductionContext extends CaptionProductionInput {
  /** The first thing that went wrong. */
  readonly failure: Failure | null;
}

type CaptionProductionEvent =
  | { readonly type: 'authority.revoked' }
  | { readonly type: 'production.cut' }
  | { readonly type: 'quality.check' }
  | { readonly type: 'supervision.exhausted'; readonly message: string }
  | { readonly type: 'content.damaged'; readonly message: string };

/** The attempt is over without captions: the actor layer journals why. */
interface ProductionFailedEmission {
  readonly type: 'production.failed';
  readonly reason: Failure;
}

export type CaptionProductionEmission = CommitEmission | ProductionFailedEmission;

const effectInput = ({
  context: { failure, ...input },
}: {
  context: CaptionProductionContext;
}): CaptionProductionInput => input;

interface MessageEvent {
  readonly event: { readonly message: string };
}

const thrown = ({ event }: { event: ErrorActorEvent }): string => thrownMessage(event.error);

/** Gives up what is under way; what brought the event gives the message. */
const failedAs = <const Target extends string, Given>(
  target: Target,
  code: string,
  messageIn: (given: Given) => string,
) => ({ target, actions: { type: 'fail', params: (given: Given) => ({ code, message: messageIn(given) }) } }) as const;

/**
 * One attempt to make captions under an approval, and their check. The attempt is never resumed: one that was cut
 * short is over, and the approval free for the next. The check may be repeated until it is written down.
 */
export const captionProductionMachine = setup({
  types: {
    context: {} as CaptionProductionContext,
    events: {} as CaptionProductionEvent,
    input: {} as CaptionProductionInput,
    emitted: {} as CaptionProductionEmission,
    meta: {} as ChartMeta,
  },
  actors: {
    produceCaptions: fromPromise<EffectOutcome, CaptionProductionInput>(notProvided('produceCaptions')),
    checkCaptions: fromPromise<EffectOutcome, CaptionProductionInput>(notProvided('checkCaptions')),
  },
  actions: {
    commit: emit((_, params: EffectOutcome) => emissionOf(params)),
    reportProductionFailed: emit(({ context }) => ({
      type: 'production.failed' as const,
      reason: context.failure ?? { code: 'caption_not_produced', message: 'interrupted: no reason was recorded' },
    })),
    fail: assign({
      failure: ({ context }, params: { code: string; message: string }) =>
        context.failure ?? { code: params.code, message: failureMessage(params.message) },
    }),
  },
}).createMachine({
  id: 'caption-production',
  version: String(captionProductionVersion),
  context: ({ input }) => ({ ...input, failure: null }),
  description: 'One attempt to make captions under an approval, and the check of their structure.',
  meta: { mainWays: [['producing', 'checking', 'checked']] },
  initial: 'producing',
  states: {
    producing: {
      description: 'The caption executor makes lines, and the host stores them with their receipt.',
      // The service that starts the actor adds it to the first commit.
      meta: { journal: production.begins },
      invoke: {
        id: 'produceCaptions',
        src: 'produceCaptions',
        input: effectInput,
        onDone: committedTo('checking', production.ends),
        onError: failedAs('failed', 'caption_not_produced', thrown),
      },
      on: {
        'authority.revoked': failedAs('failed', 'caption_not_produced', () => 'revoked: the approval was withdrawn'),
        'production.cut': failedAs('failed', 'caption_not_produced', () => 'interrupted: the attempt was cut short'),
        'supervision.exhausted': failedAs(
          'failed',
          'caption_not_produced',
          ({ event }: MessageEvent) => `interrupted: ${event.message}`,
        ),
        'content.damaged': failedAs(
          'failed',
          'stored_content_inconsistent',
          ({ event }: MessageEvent) => event.message,
        ),
      },
    },
    checking: {
      description: 'The host checks the structure of the stored captions and writes the receipt of the check.',
      invoke: {
        id: 'checkCaptions',
        src: 'checkCaptions',
        input: effectInput,
        onDone: committedTo('checked', check.ends),
        onError: failedAs('unchecked', 'caption_not_checked', thrown),
      },
      on: {
        'supervision.exhausted': failedAs(
          'unchecked',
          'caption_not_checked',
          ({ event }: MessageEvent) => event.message,
        ),
        'content.damaged': failedAs(
          'unchecked',
          'stored_content_inconsistent',
          ({ event }: MessageEvent) => event.message,
        ),
      },
    },
    unchecked: {
      description: 'The captions are stored, their check is not. A client asks for the check again.',
      on: { 'quality.check': 'checking' },
    },
    checked: {
      type: 'final',
      description: 'The check is written down: it accepted the captions or withheld them.',
    },
    failed: {
      type: 'final',
      description:
        'No captions were made; the journal has the reason. A client may try again, three times in all, while the approval is valid.',
      entry: 'reportProductionFailed',
      meta: { journal: production.fails },
    },
  },
});
