import { assign, emit, fromCallback, fromPromise, setup } from 'xstate';
import type { ChartMeta } from '../contract/journal/chart-meta.ts';
import { commitOf, commitOutcome, type EffectOutcome } from './commit-emission.ts';
import { notProvided } from './effect.ts';
import { cancellationFault, deadlineFault, endings, isFault, stoppedEmission } from './study-endings.ts';
import { studyJournal } from './study-journal.ts';
import type {
  AssessOutcome,
  RecognizeOutcome,
  StepStartedEmission,
  StudyContext,
  StudyEmission,
  StudyEvent,
  StudyFault,
  StudyInput,
  SubtitlesOutcome,
} from './study-types.ts';

export const studyMachineVersion = 2;

const stepInput = ({ context }: { context: StudyContext }): StudyInput => ({
  runtimeId: context.runtimeId,
  commandId: context.commandId,
});

/** One bounded study of one range, from its acceptance to a closed journal. */
export const studyMachine = setup({
  types: {
    context: {} as StudyContext,
    events: {} as StudyEvent,
    input: {} as StudyInput,
    emitted: {} as StudyEmission,
    meta: {} as ChartMeta,
  },
  actors: {
    initialize: fromPromise<EffectOutcome, StudyInput>(notProvided('initialize')),
    deadline: fromCallback<StudyEvent, StudyInput>(() => undefined),
    detect: fromPromise<EffectOutcome, StudyInput>(notProvided('detect')),
    subtitles: fromPromise<SubtitlesOutcome, StudyInput>(notProvided('subtitles')),
    recognize: fromPromise<RecognizeOutcome, StudyInput>(notProvided('recognize')),
    readScreen: fromPromise<EffectOutcome, StudyInput>(notProvided('readScreen')),
    read: fromPromise<EffectOutcome, StudyInput>(notProvided('read')),
    assess: fromPromise<AssessOutcome, StudyInput>(notProvided('assess')),
    decide: fromPromise<EffectOutcome, StudyInput>(notProvided('decide')),
    admit: fromPromise<EffectOutcome, StudyInput>(notProvided('admit')),
  },
  guards: {
    interrupts: (_, params: { error: unknown }) => isFault(params.error) && params.error.lifecycle === 'interrupted',
    recognizes: (_, params: { recognizes: boolean }) => params.recognizes,
    readsScreen: (_, params: { readsScreen: boolean }) => params.readsScreen,
    hasClaims: (_, params: { claimCount: number }) => params.claimCount > 0,
  },
  actions: {
    commit: emit((_, params: EffectOutcome) => commitOf(params)),
    startOperation: emit((_, params: Pick<StepStartedEmission, 'step'>) => ({
      type: 'step.started' as const,
      step: params.step,
    })),
    closeJournal: emit(({ context }, params: { lifecycle: 'failed' | 'interrupted' }) =>
      stoppedEmission(params.lifecycle, context),
    ),
    // The first reason stays: whatever fails later is a consequence.
    stop: assign({
      reason: ({ context }, params: StudyFault) => context.reason ?? { code: params.code, message: params.message },
    }),
  },
}).createMachine({
  id: 'runtime',
  version: String(studyMachineVersion),
  context: ({ input }) => ({ runtimeId: input.runtimeId, commandId: input.commandId, reason: null }),
  description: 'One bounded study of one range of a source, from its acceptance to a closed journal.',
  meta: {
    mainWays: [
      [
        'accepted',
        'initializing',
        'running.detect',
        'running.subtitles',
        'running.read',
        'running.assess',
        'running.decide',
        'running.admit',
        'terminal',
      ],
    ],
  },
  initial: 'accepted',
  states: {
    accepted: {
      description: 'The study is on disk and waits until a worker is free.',
      on: { 'worker.granted': 'initializing' },
    },
    initializing: {
      description: 'The host verifies the source, warms the detector and opens the journal.',
      invoke: {
        id: 'initialize',
        src: 'initialize',
        input: stepInput,
        onDone: {
          target: 'running',
          actions: commitOutcome,
          meta: { journal: studyJournal.opened },
        },
      },
      on: { 'xstate.error.actor.*': endings('initialization_failed') },
    },
    running: {
      description: 'The study works, step by step; its deadline counts only the time that a host is up.',
      initial: 'detect',
      invoke: { id: 'deadline', src: 'deadline', input: stepInput },
      states: {
        detect: {
          description:
            'One decode pass measures speech, silence, loudness and shot changes, and ends with all of them.',
          entry: { type: 'startOperation', params: { step: 'detect' } },
          meta: { journal: ['media.operation_started'] },
          invoke: {
            id: 'detect',
            src: 'detect',
            input: stepInput,
            onDone: {
              target: 'subtitles',
              actions: commitOutcome,
              meta: { journal: ['artifact.recorded', 'media.operation_completed'] },
            },
          },
        },
        subtitles: {
          description: 'The host reads the embedded text tracks and identifies their languages.',
          entry: { type: 'startOperation', params: { step: 'subtitles' } },
          meta: { journal: ['media.operation_started'] },
          invoke: {
            id: 'subtitles',
            src: 'subtitles',
            input: stepInput,
            onDone: [
              {
                guard: { type: 'recognizes', params: ({ event }) => ({ recognizes: event.output.recognizes }) },
                target: 'recognize',
                actions: commitOutcome,
                meta: { journal: ['artifact.recorded', 'media.operation_completed'] },
              },
              {
                guard: { type: 'readsScreen', params: ({ event }) => ({ readsScreen: event.output.readsScreen }) },
                target: 'readScreen',
                actions: commitOutcome,
                meta: { journal: ['artifact.recorded', 'media.operation_completed'] },
              },
              {
                target: 'read',
                actions: commitOutcome,
                meta: { journal: ['artifact.recorded', 'media.operation_completed'] },
              },
            ],
          },
        },
        recognize: {
          description:
            'A recogniser is given the detected speech, region by region, and gates judge its lines; only on a host with one.',
          entry: { type: 'startOperation', params: { step: 'recognize' } },
          meta: { journal: ['semantic.evidence_started'] },
          invoke: {
            id: 'recognize',
            src: 'recognize',
            input: stepInput,
            onDone: [
              {
                guard: { type: 'readsScreen', params: ({ event }) => ({ readsScreen: event.output.readsScreen }) },
                target: 'readScreen',
                actions: commitOutcome,
                meta: { journal: ['artifact.recorded', 'semantic.evidence_completed'] },
              },
              {
                target: 'read',
                actions: commitOutcome,
                meta: { journal: ['artifact.recorded', 'semantic.evidence_completed'] },
              },
            ],
          },
        },
        readScreen: {
          description:
            'The text on the screen is read from keyframes and sampled pictures, and gates judge it; only on a host with an engine for it.',
          entry: { type: 'startOperation', params: { step: 'readScreen' } },
          meta: { journal: ['screen.text_started'] },
          invoke: {
            id: 'readScreen',
            src: 'readScreen',
            input: stepInput,
            onDone: {
              target: 'read',
              actions: commitOutcome,
              meta: { journal: ['artifact.recorded', 'screen.text_completed'] },
            },
          },
        },
        read: {
          description: 'The host reads the evidence in windows and writes a receipt of each.',
          invoke: {
            id: 'read',
            src: 'read',
            input: stepInput,
            onDone: {
              target: 'assess',
              actions: commitOutcome,
              meta: { journal: ['evidence.read_started', 'evidence.read_completed'] },
            },
          },
        },
        assess: {
          description: 'The host makes claims of what was read, each with its citations.',
          invoke: {
            id: 'assess',
            src: 'assess',
            input: stepInput,
            onDone: [
              {
                guard: { type: 'hasClaims', params: ({ event }) => ({ claimCount: event.output.claimCount }) },
                target: 'decide',
                actions: commitOutcome,
                meta: { journal: studyJournal.assessed },
              },
              { target: 'admit', actions: commitOutcome },
            ],
          },
        },
        decide: {
          description: 'The host decides whether every claim is supported.',
          invoke: {
            id: 'decide',
            src: 'decide',
            input: stepInput,
            onDone: {
              target: 'admit',
              actions: commitOutcome,
              meta: { journal: studyJournal.decided },
            },
          },
        },
        admit: {
          description: 'The host writes the study record, ends the execution and admits the study to the review queue.',
          invoke: {
            id: 'admit',
            src: 'admit',
            input: stepInput,
            onDone: {
              target: '#runtime.terminal',
              actions: commitOutcome,
              meta: { journal: studyJournal.admitted },
            },
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
    terminal: {
      type: 'final',
      description: 'The study is done and its journal closed. A person may now review it, if it was admitted.',
    },
    failed: {
      type: 'final',
      description:
        'The study failed; reason and journal say why. A client starts a new attempt with a clientRequestId.',
      entry: { type: 'closeJournal', params: { lifecycle: 'failed' } },
      meta: { journal: ['media.operation_failed', 'executor.finished', 'task.transitioned'] },
    },
    interrupted: {
      type: 'final',
      description:
        'The study was stopped; reason and journal say why. A client starts a new attempt with a clientRequestId.',
      entry: { type: 'closeJournal', params: { lifecycle: 'interrupted' } },
      meta: { journal: ['media.operation_failed', 'runtime.interrupted', 'executor.finished', 'task.transitioned'] },
    },
  },
  on: {
    'study.cancel': { target: '.interrupted', actions: { type: 'stop', params: cancellationFault } },
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
