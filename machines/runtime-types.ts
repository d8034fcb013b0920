import type { ErrorActorEvent } from 'xstate';
import type { Failure } from '../contract/base/failure.ts';
import type { CommitFact, EffectOutcome } from './commit-fact.ts';

export type RuntimeReasonCode =
  | 'initialization_failed'
  | 'executor_failed'
  | 'executor_interrupted'
  | 'stored_content_inconsistent';

/** What an effect rejects with when it knows how the runtime has to end; anything else ends it as `failed`. */
export interface StudyFault {
  readonly lifecycle: 'failed' | 'interrupted';
  readonly code: RuntimeReasonCode;
  readonly message: string;
}

export interface RuntimeInput {
  readonly runtimeId: string;
  readonly commandId: string;
}

export interface RuntimeContext extends RuntimeInput {
  readonly reason: (Failure & { readonly code: RuntimeReasonCode }) | null;
}

export type Availability = 'available' | 'unavailable';

export type DetectParts = Readonly<Record<'speech' | 'silence' | 'loudness' | 'shots', Availability>>;

export interface DetectOutcome extends EffectOutcome {
  readonly measured: DetectParts;
}

export interface AssessOutcome extends EffectOutcome {
  readonly claimCount: number;
}

export type DetectMeasured = DetectParts & { readonly type: 'detect.measured' };

export type RuntimeEvent =
  | { readonly type: 'worker.granted' }
  | { readonly type: 'deadline.reached' }
  | { readonly type: 'supervision.exhausted'; readonly message: string }
  | { readonly type: 'content.damaged'; readonly message: string }
  | DetectMeasured
  | ErrorActorEvent;

/** A step begins: the actor layer journals what has to stand before the effect runs. */
export interface StepStartedFact {
  readonly type: 'step.started';
  readonly step: 'detect' | 'subtitles';
}

/** The runtime ends without a study: the actor layer journals the open operation's failure and the closing events. */
export interface RuntimeStoppedFact {
  readonly type: 'runtime.stopped';
  readonly lifecycle: 'failed' | 'interrupted';
  readonly reason: Failure;
}

export type RuntimeFact = CommitFact | StepStartedFact | RuntimeStoppedFact;
