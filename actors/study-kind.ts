import { fromCallback } from 'xstate';
import type { Clock } from '../contract/clock.ts';
import type { EffectOutcome } from '../machines/commit-fact.ts';
import { runtimeMachine, runtimeVersion } from '../machines/runtime.ts';
import type { RuntimeEvent, RuntimeInput } from '../machines/runtime-types.ts';
import type { Ledger } from '../storage/ledger.ts';
import { type ActorKind, effect } from './actor-kind.ts';
import type { EvidenceSteps } from './evidence-steps.ts';
import type { MediaSteps } from './media-steps.ts';
import { studyFactWrites } from './study-journal.ts';
import { lifecycleOf, runtimePhase } from './study-row.ts';
import type { Supervisor } from './supervisor.ts';
import type { TimeBudgets } from './time-budgets.ts';
import type { WorkerLine } from './worker-line.ts';

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

/** Gives the runtime chart its effects, and the supervisor what it needs to know of runtimes. */
export function studyKind(options: StudyKindOptions): ActorKind {
  const { ledger, supervisor, budgets, line, clock, initialize, media, evidence } = options;
  const barrier = {
    settled: (input: RuntimeInput) => supervisor.settled(input.runtimeId),
    lifetime: (input: RuntimeInput) => supervisor.lifetime(input.runtimeId),
  };
  const machine = runtimeMachine.provide({
    actors: {
      initialize: effect(barrier, initialize),
      deadline: fromCallback<RuntimeEvent, RuntimeInput>(({ input, sendBack }) =>
        budgets.run(input.runtimeId, () => sendBack({ type: 'deadline.reached' })),
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
    writes: (change) => studyFactWrites({ ledger, clock, media }, change),
    committed: options.committed,
  };
}
