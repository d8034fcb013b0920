import { fromCallback } from 'xstate';
import type { EffectOutcome } from '../../machines/emission.ts';
import { studyMachine } from '../../machines/study.ts';
import { isTimeUp, type StudyContext, type StudyEvent, type StudyInput } from '../../machines/study-types.ts';
import type { StudyProgress, StudyStep } from '../../receipts/study/progress.ts';
import type { HostBasis } from '../host-basis.ts';
import type { LiveProgress } from '../reopening/live-progress.ts';
import { lifecycleOf, reasonOf, studyChart, studyPhase } from '../reopening/study-row.ts';
import { type ActorDefinition, type ChartPosition, effect } from '../supervision/actor-definition.ts';
import { type ActorRow, snapshotValue } from '../supervision/actor-row.ts';
import type { TimeBudgets } from '../supervision/time-budgets.ts';
import type { WorkQueue } from '../supervision/work-queue.ts';
import type { EvidenceSteps } from './evidence-steps.ts';
import type { GrantedStudyStep } from './granted-steps.ts';
import type { MediaSteps } from './media-steps.ts';
import { studyEmissionWrites } from './study-journal.ts';

export interface StudyDefinitionOptions extends Pick<HostBasis, 'ledger' | 'supervisor' | 'clock'> {
  readonly budgets: TimeBudgets;
  readonly queue: WorkQueue;
  readonly initialize: (input: StudyInput) => Promise<EffectOutcome>;
  readonly media: MediaSteps;
  readonly recognition: GrantedStudyStep;
  readonly screenText: GrantedStudyStep;
  readonly evidence: EvidenceSteps;
  readonly progress: LiveProgress;
  readonly committed: (runtimeId: string) => void;
}

/** The step that comes after each one. */
const nextSteps = {
  initialize: 'detect',
  detect: 'subtitles',
  subtitles: 'read',
  recognize: 'read',
  readScreen: 'read',
  read: 'assess',
  assess: 'decide',
  decide: 'admit',
} as const satisfies Record<Exclude<StudyStep, 'end'>, string>;

/** Where the journal of a study says that it stands. A step that found nothing left nothing there: it does no harm again. */
function standingOf({ done, openRecognition, openReading }: StudyProgress, row: ActorRow): ChartPosition | null {
  const { runtimeId, commandId } = row.input as StudyInput;
  const context: StudyContext = { runtimeId, commandId, reason: null };
  if (done === null) return { value: 'initializing', context };
  if (openRecognition !== null) return { value: { running: 'recognize' }, context };
  if (openReading !== null) return { value: { running: 'readScreen' }, context };
  return done === 'end' ? null : { value: { running: nextSteps[done] }, context };
}

/** A study that came to its end has released its windows before, and names what it stored. */
function releaseKept({ media }: StudyDefinitionOptions, runtimeId: string, row: ActorRow): void {
  if (lifecycleOf(snapshotValue(row)) === 'terminal') {
    media.completed(runtimeId);
    return;
  }
  const reason = reasonOf(row);
  void media.ended(runtimeId, { isTimeUp: reason !== null && isTimeUp(reason) });
}

/** Gives the runtime chart its effects, and the supervisor what it needs to know of runtimes. */
export function studyDefinition(options: StudyDefinitionOptions): ActorDefinition {
  const { ledger, supervisor, budgets, queue, clock, initialize, media, recognition, screenText, evidence, progress } =
    options;
  const effectOf = <Output>(run: (input: StudyInput, signal: AbortSignal) => Promise<Output>) =>
    effect<Output, StudyInput>(supervisor, ({ runtimeId }) => runtimeId, run);
  const machine = studyMachine.provide({
    actors: {
      initialize: effectOf(initialize),
      deadline: fromCallback<StudyEvent, StudyInput>(({ input, sendBack }) =>
        budgets.run(input.runtimeId, () => {
          // The end speaks of every step that was done: one that is on its way to the disk gets there first.
          const end = () => sendBack({ type: 'deadline.reached' });
          supervisor.settled(input.runtimeId).then(end, end);
        }),
      ),
      detect: effectOf((input, signal) => media.detect(input, signal)),
      subtitles: effectOf(async (input, signal) => ({
        ...(await media.subtitles(input, signal)),
        recognizes: recognition.isFor(input.runtimeId),
        readsScreen: screenText.isFor(input.runtimeId),
      })),
      recognize: effectOf(async (input, signal) => ({
        ...(await recognition.perform(input, signal)),
        readsScreen: screenText.isFor(input.runtimeId),
      })),
      readScreen: effectOf((input, signal) => screenText.perform(input, signal)),
      read: effectOf((input) => evidence.read(input)),
      assess: effectOf((input) => evidence.assess(input)),
      decide: effectOf((input) => evidence.decide(input)),
      admit: effectOf((input) => evidence.admit(input)),
    },
  });
  return {
    name: 'runtime',
    ...studyChart,
    machine,
    queue,
    hasJournal: true,
    phase: studyPhase,
    standing: async (row) => standingOf(progress.of((row.input as StudyInput).runtimeId), row),
    recall: (runtimeId) => progress.recall(runtimeId),
    writes: (change) => studyEmissionWrites({ ledger, clock, media, recognition, screenText, progress }, change),
    committed: (runtimeId, row) => {
      if (studyPhase(snapshotValue(row)) === 'ended') {
        progress.forget(runtimeId);
        releaseKept(options, runtimeId, row);
      }
      options.committed(runtimeId);
    },
  };
}
