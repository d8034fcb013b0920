import { assign, type DoneActorEvent, emit, fromCallback, fromPromise, type PromiseActorLogic, setup } from 'xstate';
import type { ChartMeta, EventType } from '../contract/journal.ts';
import { isOptional, type StageName, stageNames, stagesAfter, studyStages } from '../contract/study/stages.ts';
import { commitOutcome, committedTo, type EffectOutcome, emissionOf, notProvided } from './emission.ts';
import {
  type AnnouncedStage,
  cancellationFault,
  deadlineFault,
  endings,
  isFault,
  type StageOutcome,
  type StepStartedEmission,
  type StudyContext,
  type StudyEmission,
  type StudyEvent,
  type StudyFault,
  type StudyInput,
  stoppedEmission,
} from './study-types.ts';

export const studyMachineVersion = 2;

const stepInput = ({ context }: { context: StudyContext }): StudyInput => ({
  runtimeId: context.runtimeId,
  commandId: context.commandId,
});

type ConditionGuard = Extract<(typeof studyStages)[StageName]['condition'], { readonly guard: string }>['guard'];

/** The conditions under which a study has a stage, by their names in the chart. */
const guards = Object.fromEntries(
  stageNames.flatMap((name) => {
    const { condition } = studyStages[name];
    return condition === null ? [] : [[condition.guard, (_: unknown, { holds }: { holds: boolean }) => holds] as const];
  }),
) as Record<ConditionGuard, (_: unknown, params: { holds: boolean }) => boolean>;

/** The target of the end of a stage's work: the first of the stages after it whose condition holds. */
function transitionsFrom(name: StageName) {
  const journal: readonly EventType[] = studyStages[name].journal.ends;
  const next = stagesAfter(name);
  if (next.length === 0) return [{ target: '#runtime.terminal', actions: commitOutcome, meta: { journal } }];
  // A stage without a result for its dependent stage leaves nothing in the journal either.
  const dependsOnResult = next.some((each) => studyStages[each].condition?.by === 'result');
  return next.map((target) => {
    const { condition } = studyStages[target];
    if (condition === null) {
      return { target, actions: commitOutcome, meta: { journal: dependsOnResult ? [] : journal } };
    }
    const guard = {
      type: condition.guard,
      params: ({ event }: { event: DoneActorEvent<StageOutcome> }) => ({
        holds: event.output.leadsTo.includes(target),
      }),
    };
    return { target, guard, actions: commitOutcome, meta: { journal } };
  });
}

// The type of an invocation follows from the name of its logic, and all stages have the same logic.
const sameLogic = (name: StageName) => name as 'detect';

/** The state of a stage: what the journal says before its work, the work, and where its end leads. */
function stateOf(name: StageName) {
  const { description, journal } = studyStages[name];
  const { begins } = journal;
  const announced =
    begins.length === 0
      ? {}
      : {
          entry: { type: 'startOperation', params: { step: name as AnnouncedStage } } as const,
          meta: { journal: begins },
        };
  return {
    description,
    ...announced,
    invoke: { id: name, src: sameLogic(name), input: stepInput, onDone: transitionsFrom(name) },
  };
}

type WorkedStage = Exclude<StageName, 'initialize'>;

/** The stages of a running study, in their order. */
const worked = stageNames.filter((name): name is WorkedStage => name !== 'initialize');

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
    ...(Object.fromEntries(
      stageNames.map((name) => [name, fromPromise<StageOutcome, StudyInput>(notProvided(name))]),
    ) as Record<StageName, PromiseActorLogic<StageOutcome, StudyInput>>),
    deadline: fromCallback<StudyEvent, StudyInput>(() => undefined),
  },
  guards: {
    interrupts: (_, params: { error: unknown }) => isFault(params.error) && params.error.lifecycle === 'interrupted',
    ...guards,
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
        ...worked.filter((name) => !isOptional(name)).map((name) => `running.${name}`),
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
      description: studyStages.initialize.description,
      invoke: {
        id: 'initialize',
        src: 'initialize',
        input: stepInput,
        onDone: committedTo('running', studyStages.initialize.journal.ends),
      },
      on: { 'xstate.error.actor.*': endings('initialization_failed') },
    },
    running: {
      description: 'The study works, step by step; its deadline counts only the time that a host is up.',
      initial: 'detect',
      invoke: { id: 'deadline', src: 'deadline', input: stepInput },
      states: Object.fromEntries(worked.map((name) => [name, stateOf(name)])) as Record<
        WorkedStage,
        ReturnType<typeof stateOf>
      >,
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
