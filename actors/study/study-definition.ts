import { fromCallback } from 'xstate';
import type { Clock } from '../../contract/base/clock.ts';
import type { EffectOutcome } from '../../machines/commit-emission.ts';
import { studyMachine } from '../../machines/study.ts';
import type { StudyContext, StudyEvent, StudyInput } from '../../machines/study-types.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import { type ActorDefinition, effect, type Standing } from '../supervision/actor-definition.ts';
import type { ActorRow } from '../supervision/actor-row.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import type { TimeBudgets } from '../supervision/time-budgets.ts';
import type { WorkQueue } from '../supervision/work-queue.ts';
import type { EvidenceSteps } from './evidence-steps.ts';
import type { MediaSteps } from './media-steps.ts';
import { studyEmissionWrites } from './study-journal.ts';
import { stepKey, studyChart, studyPhase } from './study-row.ts';

export interface StudyDefinitionOptions {
  readonly ledger: Ledger;
  readonly supervisor: Supervisor;
  readonly budgets: TimeBudgets;
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly initialize: (input: StudyInput) => Promise<EffectOutcome>;
  readonly media: MediaSteps;
  readonly evidence: EvidenceSteps;
  readonly committed: (runtimeId: string) => void;
}

const steps = ['detect', 'subtitles', 'read', 'assess', 'decide', 'admit'] as const;

/** Where the rows of its steps say that a runtime stands; each was committed with the events of its step. */
function standingOf(ledger: Ledger, row: ActorRow): Standing | null {
  const { runtimeId, commandId } = row.input as StudyInput;
  const context: StudyContext = { runtimeId, commandId, reason: null };
  const isDone = (step: string) => ledger.get('record', stepKey(runtimeId, step)) !== undefined;
  if (!isDone('initialize')) return { value: 'initializing', context };
  if (isDone('admit')) return null;
  const next = steps.findLastIndex(isDone) + 1;
  return { value: { running: steps[next] ?? 'admit' }, context };
}

/** Gives the runtime chart its effects, and the supervisor what it needs to know of runtimes. */
export function studyDefinition(options: StudyDefinitionOptions): ActorDefinition {
  const { ledger, supervisor, budgets, queue, clock, initialize, media, evidence } = options;
  const barrier = {
    clock: supervisor.clock,
    settled: (input: StudyInput) => supervisor.settled(input.runtimeId),
    lifetime: (input: StudyInput) => supervisor.lifetime(input.runtimeId),
  };
  const machine = studyMachine.provide({
    actors: {
      initialize: effect(barrier, initialize),
      deadline: fromCallback<StudyEvent, StudyInput>(({ input, sendBack }) =>
        budgets.run(input.runtimeId, () => {
          // The end speaks of every step that was done: one that is on its way to the disk gets there first.
          const end = () => sendBack({ type: 'deadline.reached' });
          supervisor.settled(input.runtimeId).then(end, end);
        }),
      ),
      detect: effect(barrier, (input: StudyInput, signal) => media.detect(input, signal)),
      subtitles: effect(barrier, (input: StudyInput, signal) => media.subtitles(input, signal)),
      read: effect(barrier, (input: StudyInput) => evidence.read(input)),
      assess: effect(barrier, (input: StudyInput) => evidence.assess(input)),
      decide: effect(barrier, (input: StudyInput) => evidence.decide(input)),
      admit: effect(barrier, (input: StudyInput) => evidence.admit(input)),
    },
  });
  return {
    name: 'runtime',
    ...studyChart,
    machine,
    queue,
    hasJournal: true,
    phase: studyPhase,
    standing: async (row) => standingOf(ledger, row),
    recall: (runtimeId) => media.recall(runtimeId),
    writes: (change) => studyEmissionWrites({ ledger, clock, media }, change),
    committed: options.committed,
  };
}
