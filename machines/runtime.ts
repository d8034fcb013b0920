import { assign, type ErrorActorEvent, emit, fromCallback, fromPromise, raise, setup } from 'xstate';
import { failureMessage } from '../contract/failure.ts';
import { commitOf, type EffectOutcome } from './commit-fact.ts';
import { notProvided } from './effect.ts';
import type {
  AssessOutcome,
  Availability,
  DetectMeasured,
  DetectOutcome,
  DetectParts,
  RuntimeContext,
  RuntimeEvent,
  RuntimeFact,
  RuntimeInput,
  RuntimeReasonCode,
  RuntimeStoppedFact,
  StudyFault,
} from './runtime-types.ts';

export const runtimeVersion = 1;

const deadlineFault: StudyFault = {
  lifecycle: 'failed',
  code: 'executor_failed',
  message: 'deadline: the study used up its time',
};

const isFault = (error: unknown): error is StudyFault =>
  typeof error === 'object' && error !== null && 'lifecycle' in error && 'code' in error && 'message' in error;

const faultOf = (error: unknown, fallback: RuntimeReasonCode): StudyFault =>
  isFault(error)
    ? { lifecycle: error.lifecycle, code: error.code, message: failureMessage(error.message) }
    : {
        lifecycle: 'failed',
        code: fallback,
        message: failureMessage(error instanceof Error ? error.message : String(error)),
      };

const stepInput = ({ context }: { context: RuntimeContext }): RuntimeInput => ({
  runtimeId: context.runtimeId,
  commandId: context.commandId,
});

const stoppedFact = (lifecycle: 'failed' | 'interrupted', context: RuntimeContext): RuntimeStoppedFact => ({
  type: 'runtime.stopped',
  lifecycle,
  reason: context.reason ?? { code: 'executor_failed', message: 'no reason was recorded' },
});

/** One part of the detection: its evidence exists, or the reason why it cannot. */
const part = <const Kind extends keyof DetectParts>(kind: Kind) =>
  ({
    initial: 'measuring',
    states: {
      measuring: {
        on: {
          'detect.measured': [
            {
              guard: {
                type: 'isAvailable',
                params: ({ event }: { event: DetectMeasured }) => ({ state: event[kind] }),
              },
              target: 'available',
            },
            { target: 'unavailable' },
          ],
        },
      },
      available: { type: 'final' },
      unavailable: { type: 'final' },
    },
  }) as const;

/** Where a rejecting effect leads: what its fault says, else `failed` with the code of the phase. */
const endings = (fallback: RuntimeReasonCode) =>
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

/** One bounded study of one range, from its acceptance to a closed journal. */
export const runtimeMachine = setup({
  types: {
    context: {} as RuntimeContext,
    events: {} as RuntimeEvent,
    input: {} as RuntimeInput,
    emitted: {} as RuntimeFact,
  },
  actors: {
    initialize: fromPromise<EffectOutcome, RuntimeInput>(notProvided('initialize')),
    deadline: fromCallback<RuntimeEvent, RuntimeInput>(() => undefined),
    detect: fromPromise<DetectOutcome, RuntimeInput>(notProvided('detect')),
    subtitles: fromPromise<EffectOutcome, RuntimeInput>(notProvided('subtitles')),
    read: fromPromise<EffectOutcome, RuntimeInput>(notProvided('read')),
    assess: fromPromise<AssessOutcome, RuntimeInput>(notProvided('assess')),
    decide: fromPromise<EffectOutcome, RuntimeInput>(notProvided('decide')),
    admit: fromPromise<EffectOutcome, RuntimeInput>(notProvided('admit')),
  },
  guards: {
    interrupts: (_, params: { error: unknown }) => isFault(params.error) && params.error.lifecycle === 'interrupted',
    hasClaims: (_, params: { claimCount: number }) => params.claimCount > 0,
    isAvailable: (_, params: { state: Availability }) => params.state === 'available',
  },
  actions: {
    // The first reason stays: whatever fails later is a consequence.
    stop: assign({
      reason: ({ context }, params: StudyFault) => context.reason ?? { code: params.code, message: params.message },
    }),
  },
}).createMachine({
  id: 'runtime',
  version: String(runtimeVersion),
  context: ({ input }) => ({ runtimeId: input.runtimeId, commandId: input.commandId, reason: null }),
  initial: 'accepted',
  states: {
    accepted: { on: { 'worker.granted': 'initializing' } },
    initializing: {
      invoke: {
        id: 'initialize',
        src: 'initialize',
        input: stepInput,
        onDone: { target: 'running', actions: emit(({ event }) => commitOf(event.output)) },
      },
      on: { 'xstate.error.actor.*': endings('initialization_failed') },
    },
    running: {
      initial: 'detect',
      invoke: { id: 'deadline', src: 'deadline', input: stepInput },
      states: {
        detect: {
          entry: emit({ type: 'step.started', step: 'detect' }),
          type: 'parallel',
          invoke: {
            id: 'detect',
            src: 'detect',
            input: stepInput,
            onDone: {
              actions: [
                emit(({ event }) => commitOf(event.output)),
                raise(({ event }) => ({ ...event.output.measured, type: 'detect.measured' })),
              ],
            },
          },
          states: {
            speech: part('speech'),
            silence: part('silence'),
            loudness: part('loudness'),
            shots: part('shots'),
          },
          onDone: 'subtitles',
        },
        subtitles: {
          entry: emit({ type: 'step.started', step: 'subtitles' }),
          invoke: {
            id: 'subtitles',
            src: 'subtitles',
            input: stepInput,
            onDone: { target: 'read', actions: emit(({ event }) => commitOf(event.output)) },
          },
        },
        read: {
          invoke: {
            id: 'read',
            src: 'read',
            input: stepInput,
            onDone: { target: 'assess', actions: emit(({ event }) => commitOf(event.output)) },
          },
        },
        assess: {
          invoke: {
            id: 'assess',
            src: 'assess',
            input: stepInput,
            onDone: [
              {
                guard: { type: 'hasClaims', params: ({ event }) => ({ claimCount: event.output.claimCount }) },
                target: 'decide',
                actions: emit(({ event }) => commitOf(event.output)),
              },
              { target: 'admit', actions: emit(({ event }) => commitOf(event.output)) },
            ],
          },
        },
        decide: {
          invoke: {
            id: 'decide',
            src: 'decide',
            input: stepInput,
            onDone: { target: 'admit', actions: emit(({ event }) => commitOf(event.output)) },
          },
        },
        admit: {
          invoke: {
            id: 'admit',
            src: 'admit',
            input: stepInput,
            onDone: { target: '#runtime.terminal', actions: emit(({ event }) => commitOf(event.output)) },
          },
        },
      },
      on: {
        'deadline.reached': {
          target: 'failed',
          actions: { type: 'stop', params: deadlineFault },
        },
        'xstate.error.actor.*': endings('executor_failed'),
      },
    },
    terminal: { type: 'final' },
    failed: { type: 'final', entry: emit(({ context }) => stoppedFact('failed', context)) },
    interrupted: { type: 'final', entry: emit(({ context }) => stoppedFact('interrupted', context)) },
  },
  on: {
    'content.damaged': {
      target: '.failed',
      actions: {
        type: 'stop',
        params: ({ event }) => ({ lifecycle: 'failed', code: 'stored_content_inconsistent', message: event.message }),
      },
    },
    'supervision.exhausted': {
      target: '.interrupted',
      actions: {
        type: 'stop',
        params: ({ event }) => ({ lifecycle: 'interrupted', code: 'executor_interrupted', message: event.message }),
      },
    },
  },
});
