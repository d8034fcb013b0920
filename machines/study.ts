import { assign, type DoneActorEvent, emit, fromCallback, fromPromise, setup } from 'xstate';
import type { ChartMeta, EventType } from '../contract/journal.ts';
import { committedTo, type EffectOutcome, emissionOf, notProvided } from './emission.ts';
import {
  type AssessOutcome,
  cancellationFault,
  deadlineFault,
  endings,
  isFault,
  type RecognizeOutcome,
  type StepStartedEmission,
  type StudyContext,
  type StudyEmission,
  type StudyEvent,
  type StudyFault,
  type StudyInput,
  type SubtitlesOutcome,
  stoppedEmission,
  studyJournal,
} from './study-types.ts';

export const studyMachineVersion = 2;

const stepInput = ({ context }: { context: StudyContext }): StudyInput => ({
  runtimeId: context.runtimeId,
  commandId: context.commandId,
});

/** The effect of a state, and where its end leads. */
const step = <const Name extends string, const Done>(name: Name, onDone: Done) => ({
  invoke: { id: name, src: name, input: stepInput, onDone },
});

/** The same of a step of which the journal says that it began. */
const operation = <const Name extends StepStartedEmission['step'], const Done>(
  name: Name,
  started: EventType,
  onDone: Done,
) =>
  ({
    entry: { type: 'startOperation', params: { step: name } },
    meta: { journal: [started] },
    ...step(name, onDone),
  }) as const;

const recognizes = {
  type: 'recognizes',
  params: ({ event }: { event: DoneActorEvent<SubtitlesOutcome> }) => ({ recognizes: event.output.recognizes }),
} as const;

const readsScreen = {
  type: 'readsScreen',
  params: ({ event }: { event: DoneActorEvent<RecognizeOutcome> }) => ({ readsScreen: event.output.readsScreen }),
} as const;

const hasClaims = {
  type: 'hasClaims',
  params: ({ event }: { event: DoneActorEvent<AssessOutcome> }) => ({ claimCount: event.output.claimCount }),
} as const;

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
    commit: emit((_, params: EffectOutcome) => emissionOf(params)),
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
      ...step('initialize', committedTo('running', studyJournal.opened)),
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
          ...operation('detect', 'media.operation_started', committedTo('subtitles', studyJournal.measured)),
        },
        subtitles: {
          description: 'The host reads the embedded text tracks and identifies their languages.',
          ...operation('subtitles', 'media.operation_started', [
            { guard: recognizes, ...committedTo('recognize', studyJournal.measured) },
            { guard: readsScreen, ...committedTo('readScreen', studyJournal.measured) },
            committedTo('read', studyJournal.measured),
          ]),
        },
        recognize: {
          description:
            'A recogniser is given the detected speech, region by region, and gates judge its lines; only on a host with one.',
          ...operation('recognize', 'semantic.evidence_started', [
            { guard: readsScreen, ...committedTo('readScreen', studyJournal.recognized) },
            committedTo('read', studyJournal.recognized),
          ]),
        },
        readScreen: {
          description:
            'The text on the screen is read from keyframes and sampled pictures, and gates judge it; only on a host with an engine for it.',
          ...operation('readScreen', 'screen.text_started', committedTo('read', studyJournal.readOnScreen)),
        },
        read: {
          description: 'The host reads the evidence in windows and writes a receipt of each.',
          ...step('read', committedTo('assess', studyJournal.read)),
        },
        assess: {
          description: 'The host makes claims of what was read, each with its citations.',
          ...step('assess', [
            { guard: hasClaims, ...committedTo('decide', studyJournal.assessed) },
            committedTo('admit'),
          ]),
        },
        decide: {
          description: 'The host decides whether every claim is supported.',
          ...step('decide', committedTo('admit', studyJournal.decided)),
        },
        admit: {
          description: 'The host writes the study record, ends the execution and admits the study to the review queue.',
          ...step('admit', committedTo('#runtime.terminal', studyJournal.admitted)),
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
