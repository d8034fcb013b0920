import { assign, type ErrorActorEvent, emit, fromPromise, setup } from 'xstate';
import {
  ExplanationFailure,
  type ExplanationFailureReason,
  explanationFailureOf,
} from '../contract/explanations/explanation.ts';
import type { ChartMeta } from '../contract/journal.ts';
import { laterStages } from '../contract/study/stages.ts';
import { type CommitEmission, committedTo, type EffectOutcome, emissionOf, notProvided } from './emission.ts';

const { explanation } = laterStages.explanation.acts;

export const languageExplanationVersion = 1;

/** The attempt itself, with all that it rests on, is in the journal before the chart begins. */
export interface LanguageExplanationInput {
  readonly runtimeId: string;
  readonly jobId: string;
}

export interface LanguageExplanationContext extends LanguageExplanationInput {
  readonly failure: ExplanationFailureReason | null;
}

type LanguageExplanationEvent =
  | { readonly type: 'authority.revoked' }
  | { readonly type: 'explanation.cut' }
  | { readonly type: 'supervision.exhausted'; readonly message: string }
  | { readonly type: 'content.damaged'; readonly message: string };

/** The attempt is over without an explanation: the actor layer journals why. */
interface ExplanationFailedEmission {
  readonly type: 'explanation.failed';
  readonly reason: ExplanationFailureReason;
}

export type LanguageExplanationEmission = CommitEmission | ExplanationFailedEmission;

const reasonOf = (error: unknown): ExplanationFailureReason =>
  error instanceof ExplanationFailure
    ? error.reason
    : explanationFailureOf('not_recorded', 'it could not be written down');

interface MessageEvent {
  readonly event: { readonly message: string };
}

/** Gives the attempt up; what brought the event gives the reason. */
const failedFor = <Given>(reasonIn: (given: Given) => ExplanationFailureReason) =>
  ({ target: 'failed', actions: { type: 'fail', params: (given: Given) => ({ reason: reasonIn(given) }) } }) as const;

/**
 * One attempt at an explanation. It is never resumed: one that was cut short is over, and the same question never goes to a model
 * twice.
 */
export const languageExplanationMachine = setup({
  types: {
    context: {} as LanguageExplanationContext,
    events: {} as LanguageExplanationEvent,
    input: {} as LanguageExplanationInput,
    emitted: {} as LanguageExplanationEmission,
    meta: {} as ChartMeta,
  },
  actors: {
    explain: fromPromise<EffectOutcome, LanguageExplanationInput>(notProvided('explain')),
  },
  actions: {
    commit: emit((_, params: EffectOutcome) => emissionOf(params)),
    reportExplanationFailed: emit(({ context }) => ({
      type: 'explanation.failed' as const,
      reason: context.failure ?? explanationFailureOf('interrupted', 'no reason was recorded'),
    })),
    fail: assign({ failure: (_, params: { reason: ExplanationFailureReason }) => params.reason }),
  },
}).createMachine({
  id: 'language-explanation',
  version: String(languageExplanationVersion),
  context: ({ input }) => ({ ...input, failure: null }),
  description: 'One attempt at an explanation of a caption line by the model that the host was started with.',
  meta: { mainWays: [['started', 'completed']] },
  initial: 'started',
  states: {
    started: {
      description: 'The host asks the model once, checks the answer and stores it with its receipt.',
      // The service that starts the actor adds it to the first commit.
      meta: { journal: explanation.begins },
      invoke: {
        id: 'explain',
        src: 'explain',
        input: ({ context: { runtimeId, jobId } }) => ({ runtimeId, jobId }),
        onDone: committedTo('completed', explanation.ends),
        onError: failedFor(({ event }: { event: ErrorActorEvent }) => reasonOf(event.error)),
      },
      on: {
        'authority.revoked': failedFor(() =>
          explanationFailureOf('revoked', 'the approval of the captions was withdrawn'),
        ),
        'explanation.cut': failedFor(() => explanationFailureOf('interrupted', 'the attempt was cut short')),
        'supervision.exhausted': failedFor(({ event }: MessageEvent) =>
          explanationFailureOf('interrupted', event.message),
        ),
        'content.damaged': failedFor(({ event }: MessageEvent) => explanationFailureOf('damaged', event.message)),
      },
    },
    completed: { type: 'final', description: 'The explanation is stored and can be read.' },
    failed: {
      type: 'final',
      description: 'There is no explanation; the journal says why. A client may ask again, three times in all.',
      entry: 'reportExplanationFailed',
      meta: { journal: explanation.fails },
    },
  },
});
