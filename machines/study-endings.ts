import type { ErrorActorEvent } from 'xstate';
import { type Failure, failureMessage } from '../contract/base/errors.ts';
import type { StudyContext, StudyFault, StudyReasonCode, StudyStoppedEmission } from './study-types.ts';

/** How a study ends that has used up its time. */
export const deadlineFault: StudyFault = {
  lifecycle: 'failed',
  code: 'executor_failed',
  message: 'deadline: the study used up its time',
};

/** Whether a study ended because it had used up its time. A tool that ran into a limit of its own ends it with another message. */
export const isTimeUp = ({ code, message }: Failure): boolean =>
  code === deadlineFault.code && message === deadlineFault.message;

/** How a study ends that a client cancels. */
export const cancellationFault: StudyFault = {
  lifecycle: 'interrupted',
  code: 'executor_interrupted',
  message: 'canceled: a client canceled the study',
};

/** Whether an effect rejected with a fault that says how the runtime has to end. */
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

/** Where a rejecting effect leads: what its fault says, else `failed` with the code of the phase. */
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

/** What a runtime emits that ends without a study. */
export const stoppedEmission = (lifecycle: 'failed' | 'interrupted', context: StudyContext): StudyStoppedEmission => ({
  type: 'runtime.stopped',
  lifecycle,
  reason: context.reason ?? { code: 'executor_failed', message: 'no reason was recorded' },
});
