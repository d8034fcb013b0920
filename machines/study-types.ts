import type { ErrorActorEvent } from 'xstate';
import { type Failure, failureMessage } from '../contract/base/errors.ts';
import { cancellationMessage } from '../contract/study/cancellation.ts';
import type { StageName, studyStages } from '../contract/study/stages.ts';
import type { CommitEmission, EffectOutcome } from './emission.ts';

type StudyReasonCode =
  | 'initialization_failed'
  | 'executor_failed'
  | 'executor_interrupted'
  | 'stored_content_inconsistent';

/** The rejection of an effect that decides how the runtime has to end; any other rejection ends it as `failed`. */
export interface StudyFault {
  readonly lifecycle: 'failed' | 'interrupted';
  readonly code: StudyReasonCode;
  readonly message: string;
}

export interface StudyInput {
  readonly runtimeId: string;
  readonly commandId: string;
}

export interface StudyContext extends StudyInput {
  readonly reason: (Failure & { readonly code: StudyReasonCode }) | null;
}

/** The result of the work of a stage. */
export interface StageOutcome extends EffectOutcome {
  /** The conditional stages that its study has next: by its grants, and by what this stage found. */
  readonly leadsTo: readonly StageName[];
}

export type StudyEvent =
  | { readonly type: 'worker.granted' }
  | { readonly type: 'deadline.reached' }
  | { readonly type: 'study.cancel' }
  | { readonly type: 'supervision.exhausted'; readonly message: string }
  | { readonly type: 'content.damaged'; readonly message: string }
  | ErrorActorEvent;

/** A stage of which the journal says that it begins. */
export type AnnouncedStage = {
  [Name in StageName]: (typeof studyStages)[Name]['journal']['begins'] extends readonly [] ? never : Name;
}[StageName];

/** A step begins: the actor layer writes the events that must be in the journal before the effect runs. */
export interface StepStartedEmission {
  readonly type: 'step.started';
  readonly step: AnnouncedStage;
}

/** The runtime ends without a study: the actor layer journals the open operation's failure and the closing events. */
export interface StudyStoppedEmission {
  readonly type: 'runtime.stopped';
  readonly lifecycle: 'failed' | 'interrupted';
  readonly reason: Failure;
}

export type StudyEmission = CommitEmission | StepStartedEmission | StudyStoppedEmission;

/** How a study ends that has used up its time. */
export const deadlineFault: StudyFault = {
  lifecycle: 'failed',
  code: 'executor_failed',
  message: 'deadline: the study used up its time',
};

/**
 * True if a study ended because it had used up its time. A tool that ran into a limit of its own ends it with another message.
 */
export const isTimeUp = ({ code, message }: Failure): boolean =>
  code === deadlineFault.code && message === deadlineFault.message;

/** How a study ends that a client cancels. */
export const cancellationFault: StudyFault = {
  lifecycle: 'interrupted',
  code: 'executor_interrupted',
  message: cancellationMessage,
};

/** True if an effect rejected with a fault that decides how the runtime has to end. */
export const isFault = (error: unknown): error is StudyFault =>
  typeof error === 'object' && error !== null && 'lifecycle' in error && 'code' in error && 'message' in error;

const faultOf = (error: unknown, fallback: StudyReasonCode): StudyFault =>
  isFault(error)
    ? { lifecycle: error.lifecycle, code: error.code, message: failureMessage(error.message) }
    : {
        lifecycle: 'failed',
        code: fallback,
        message: failureMessage(error instanceof Error ? error.message : String(error)),
      };

/** The target of a rejecting effect: the one in its fault, else `failed` with the code of the phase. */
export const endings = (fallback: StudyReasonCode) =>
  [
    {
      guard: {
        type: 'interrupts',
        params: ({ event }: { event: ErrorActorEvent }) => ({ error: event.error }),
      },
      target: 'interrupted',
      actions: { type: 'stop', params: ({ event }: { event: ErrorActorEvent }) => faultOf(event.error, fallback) },
    },
    {
      target: 'failed',
      actions: { type: 'stop', params: ({ event }: { event: ErrorActorEvent }) => faultOf(event.error, fallback) },
    },
  ] as const;

/** The emission of a runtime that ends without a study. */
export const stoppedEmission = (lifecycle: 'failed' | 'interrupted', context: StudyContext): StudyStoppedEmission => ({
  type: 'runtime.stopped',
  lifecycle,
  reason: context.reason ?? { code: 'executor_failed', message: 'no reason was recorded' },
});
