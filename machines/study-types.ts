import type { ErrorActorEvent } from 'xstate';
import type { Failure } from '../contract/base/errors.ts';
import type { CommitEmission, EffectOutcome } from './commit-emission.ts';

export type StudyReasonCode =
  | 'initialization_failed'
  | 'executor_failed'
  | 'executor_interrupted'
  | 'stored_content_inconsistent';

/** What an effect rejects with when it decides how the runtime has to end; anything else ends it as `failed`. */
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

export interface RecognizeOutcome extends EffectOutcome {
  /** Whether the text on the screen of this study is to be read. */
  readonly readsScreen: boolean;
}

export interface SubtitlesOutcome extends RecognizeOutcome {
  /** Whether the speech of this study is to be recognised. */
  readonly recognizes: boolean;
}

export interface AssessOutcome extends EffectOutcome {
  readonly claimCount: number;
}

export type StudyEvent =
  | { readonly type: 'worker.granted' }
  | { readonly type: 'deadline.reached' }
  | { readonly type: 'study.cancel' }
  | { readonly type: 'supervision.exhausted'; readonly message: string }
  | { readonly type: 'content.damaged'; readonly message: string }
  | ErrorActorEvent;

/** A step begins: the actor layer journals what has to stand before the effect runs. */
export interface StepStartedEmission {
  readonly type: 'step.started';
  readonly step: 'detect' | 'subtitles' | 'recognize' | 'readScreen';
}

/** The runtime ends without a study: the actor layer journals the open operation's failure and the closing events. */
export interface StudyStoppedEmission {
  readonly type: 'runtime.stopped';
  readonly lifecycle: 'failed' | 'interrupted';
  readonly reason: Failure;
}

export type StudyEmission = CommitEmission | StepStartedEmission | StudyStoppedEmission;
