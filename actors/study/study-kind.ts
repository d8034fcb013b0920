import { fromCallback } from 'xstate';
import type { Clock } from '../../contract/base/clock.ts';
import type { EffectOutcome } from '../../machines/commit-fact.ts';
import { runtimeMachine, runtimeVersion } from '../../machines/runtime.ts';
import type { RuntimeContext, RuntimeEvent, RuntimeInput } from '../../machines/runtime-types.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import { type ActorKind, effect, type Standing } from '../supervision/actor-kind.ts';
import type { ActorRow } from '../supervision/actor-row.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import type { TimeBudgets } from '../supervision/time-budgets.ts';
import type { WorkerLine } from '../supervision/worker-line.ts';
import type { EvidenceSteps } from './evidence-steps.ts';
import type { MediaSteps } from './media-steps.ts';
import { studyFactWrites } from './study-journal.ts';
import { lifecycleOf, runtimePhase, stepKey } from './study-row.ts';

export interface StudyKindOptions {
  readonly ledger: Ledger;
  readonly supervisor: Supervisor;
  readonly budgets: TimeBudgets;
  readonly line: WorkerLine;
  readonly clock: Clock;
  readonly initialize: (input: RuntimeInput) => Promise<EffectOutcome>;
  readonly media: MediaSteps;
  readonly evidence: EvidenceSteps;
  readonly committed: (runtimeId: string) => void;
}

const steps = ['detect', 'subtitles', 'read', 'assess', 'decide', 'admit'] as const;

/** Where the rows of its steps say that a runtime stands; each was committed with the events of its step. */
function standingOf(ledger: Ledger, row: ActorRow): Standing | null {
  const { runtimeId, commandId } = row.input as RuntimeInput;
  const context: RuntimeContext = { runtimeId, commandId, reason: null };
  const isDone = (step: string) => ledger.get('record', stepKey(runtimeId, step)) !== undefined;
  if (!isDone('initialize')) return { value: 'initializing', context };
  if (isDone('admit')) return null;
  const next = steps.findLastIndex(isDone) + 1;
  return { value: { running: steps[next] ?? 'admit' }, context };
}

/** Gives the runtime chart its effects, and the supervisor what it needs to know of runtimes. */
export function studyKind(options: StudyKindOptions): ActorKind {
  const { ledger, supervisor, budgets, line, clock, initialize, media, evidence } = options;
  const barrier = {
    clock: supervisor.clock,
    settled: (input: RuntimeInput) => supervisor.settled(input.runtimeId),
    lifetime: (input: RuntimeInput) => supervisor.lifetime(input.runtimeId),
  };
  const machine = runtimeMachine.provide({
    actors: {
      initialize: effect(barrier, initialize),
      deadline: fromCallback<RuntimeEvent, RuntimeInput>(({ input, sendBack }) =>
        budgets.run(input.runtimeId, () => {
          // The end speaks of every step that was done: one that is on its way to the disk gets there first.
          const end = () => sendBack({ type: 'deadline.reached' });
          supervisor.settled(input.runtimeId).then(end, end);
        }),
      ),
      detect: effect(barrier, (input: RuntimeInput, signal) => media.detect(input, signal)),
      subtitles: effect(barrier, (input: RuntimeInput, signal) => media.subtitles(input, signal)),
      read: effect(barrier, (input: RuntimeInput) => evidence.read(input)),
      assess: effect(barrier, (input: RuntimeInput) => evidence.assess(input)),
      decide: effect(barrier, (input: RuntimeInput) => evidence.decide(input)),
      admit: effect(barrier, (input: RuntimeInput) => evidence.admit(input)),
    },
  });
  return {
    name: 'runtime',
    version: runtimeVersion,
    machine,
    line,
    hasJournal: true,
    status: lifecycleOf,
    phase: runtimePhase,
    standing: async (row) => standingOf(ledger, row),
    recall: (runtimeId) => media.recall(runtimeId),
    writes: (change) => studyFactWrites({ ledger, clock, media }, change),
    committed: options.committed,
  };
}
