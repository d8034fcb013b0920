import { failureCauseOf } from '../causes/stored-failures.ts';

/** The message of a study that a client canceled. Its first word is the cause. */
export const cancellationMessage = 'canceled: a client canceled the study';

/** True if a client ended the study. A person wanted that, so it does not count as a failure. */
export const isCanceled = (reason: { readonly code: string; readonly message: string } | null): boolean =>
  reason?.code === 'executor_interrupted' && failureCauseOf(reason, 'study').code === 'canceled';
