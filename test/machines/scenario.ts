import type { AnyEventObject, AnyStateMachine } from 'xstate';

/** What an effect has to be given, and how it can end: what it may resolve to and what it may reject with. */
export interface EffectPlan {
  readonly input: unknown;
  readonly outputs: readonly unknown[];
  readonly errors: readonly unknown[];
}

/** `dueAt` is given the time at which the effect starts; both in ms. */
export interface TimerPlan {
  readonly input: unknown;
  readonly event: AnyEventObject;
  dueAt(now: number): number;
}

/** A machine with everything that can happen to it. */
export interface Scenario {
  readonly machine: AnyStateMachine;
  readonly input: unknown;
  /** Effects that end, by the name under which the machine invokes them. */
  readonly effects: Readonly<Record<string, EffectPlan>>;
  /** Effects that send one event when their time is over, by the name under which the machine invokes them. */
  readonly timers: Readonly<Record<string, TimerPlan>>;
  /** Events from outside the machine. */
  readonly outside: readonly AnyEventObject[];
  /** What tells two snapshots with the same state value apart. */
  distinguish(context: unknown): unknown;
}
