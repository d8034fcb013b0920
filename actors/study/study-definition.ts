import { fromCallback } from 'xstate';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { EffectOutcome } from '../../machines/emission.ts';
import { studyMachine } from '../../machines/study.ts';
import {
  type AssessOutcome,
  isTimeUp,
  type StudyContext,
  type StudyEmission,
  type StudyEvent,
  type StudyFault,
  type StudyInput,
  type StudyStoppedEmission,
} from '../../machines/study-types.ts';
import { operationFailed, operationStarted } from '../../receipts/evidence/media-operation.ts';
import { EvidenceChainError } from '../../receipts/evidence-chain.ts';
import type { VerifiedStudy } from '../../receipts/fold.ts';
import type { VerifiedSource } from '../../receipts/sources/reopen-source.ts';
import { endStudy, stopStudy, studyFindingsOf } from '../../receipts/stages/admit.ts';
import { eachAssessment, performDecision } from '../../receipts/stages/assess.ts';
import { openStudy } from '../../receipts/stages/opening.ts';
import { eachRead, readableOf } from '../../receipts/stages/read.ts';
import type { StudyProgress, StudyStep } from '../../receipts/study/progress.ts';
import { type StepResult, type StudyRun, stepOf } from '../../receipts/study-run.ts';
import type { EventDraft, Write } from '../../storage/ledger/ledger.ts';
import type { HostBasis } from '../host-basis.ts';
import type { LiveProgress } from '../reopening/live-progress.ts';
import { queuedWrites } from '../reopening/review-rows.ts';
import {
  lifecycleOf,
  readStudy,
  reasonOf,
  resumesOf,
  studyBudgetMs,
  studyChart,
  studyPhase,
} from '../reopening/study-row.ts';
import { sourceIsIntact } from '../sources/source-files.ts';
import { type ActorChange, type ActorDefinition, type ChartPosition, effect } from '../supervision/actor-definition.ts';
import { type RowOf, snapshotValue } from '../supervision/actor-row.ts';
import { TimeSlices } from '../supervision/system-clock.ts';
import type { TimeBudgets } from '../supervision/time-budgets.ts';
import type { WorkQueue } from '../supervision/work-queue.ts';
import type { GrantedStudyStep } from './granted-steps.ts';
import type { MediaSteps } from './media-steps.ts';

interface StudyOpeningOptions extends Pick<HostBasis, 'ledger' | 'objectStore' | 'registry' | 'clock'> {
  /** Lets the tools that this source will need come up while the opening is written. */
  readonly warm: (source: RegisteredSource) => void;
}

/** Opens a study: checks that its source is still whole and writes the first events of its journal. */
export function studyOpening({ ledger, objectStore, registry, clock, warm }: StudyOpeningOptions) {
  return async ({ runtimeId }: StudyInput): Promise<EffectOutcome> => {
    const study = readStudy(ledger, runtimeId);
    const { analysisRequest, sourceSession } = study.record;
    const source = registry.revision(sourceSession.revisionId);
    if (source === undefined || !(await sourceIsIntact(objectStore, source))) throw sourceChanged;
    warm(source);
    const startedAt = new Date(clock.now()).toISOString();
    const opening = openStudy({ ...study, source, maxWallMs: studyBudgetMs(analysisRequest.range), startedAt });
    return { events: opening.events, writes: [] };
  };
}

const sourceChanged: StudyFault = {
  lifecycle: 'interrupted',
  code: 'stored_content_inconsistent',
  message: 'the sealed files of the source are gone or have changed',
};

interface StudyJournalOptions extends Pick<HostBasis, 'ledger' | 'clock'> {
  readonly media: Pick<MediaSteps, 'operation'>;
  readonly recognition: Pick<GrantedStudyStep, 'started' | 'stopped'>;
  readonly screenText: Pick<GrantedStudyStep, 'started' | 'stopped'>;
  readonly progress: LiveProgress;
}

/** What the emissions of one transition of a runtime add to its commit. */
function studyEmissionWrites(options: StudyJournalOptions, { id, emissions }: ActorChange<'runtime'>): Write[] {
  return emissions.flatMap((emission) => {
    const { events, writes } = contentOf(options, id, emission);
    const appended = options.progress.append(id, events);
    return [...(appended.length === 0 ? [] : [{ append: id, events: appended }]), ...writes];
  });
}

interface Added {
  readonly events: readonly EventDraft[];
  readonly writes: readonly Write[];
}

function contentOf(options: StudyJournalOptions, runtimeId: string, emission: StudyEmission): Added {
  switch (emission.type) {
    case 'commit':
      return emission;
    case 'step.started': {
      const study = readStudy(options.ledger, runtimeId);
      if (emission.step === 'recognize') return { events: options.recognition.started(study), writes: [] };
      if (emission.step === 'readScreen') return { events: options.screenText.started(study), writes: [] };
      return { events: [operationStarted(study, options.media.operation(study, emission.step))], writes: [] };
    }
    case 'runtime.stopped':
      return { events: stopped(options, runtimeId, emission), writes: [] };
  }
}

/** The failure of what was open, then the end; nothing for a runtime whose journal was never opened. */
function stopped(
  { ledger, clock, progress, recognition, screenText }: StudyJournalOptions,
  runtimeId: string,
  { lifecycle, reason }: StudyStoppedEmission,
): readonly EventDraft[] {
  const { startedAt, operationIds, openPass } = progress.of(runtimeId);
  if (startedAt === null) return [];
  const study = readStudy(ledger, runtimeId);
  const finishedAt = new Date(clock.now()).toISOString();
  const span = { startedAt, finishedAt, resumes: resumesOf(ledger, runtimeId), operationIds };
  const failed = openPass === null ? [] : [operationFailed(study, openPass, reason)];
  const unfound = [recognition, screenText].flatMap((step) => step.stopped(study, reason));
  return [...failed, ...unfound, ...stopStudy(study, { lifecycle, reason, span })];
}

interface StudyDefinitionOptions extends Pick<HostBasis, 'ledger' | 'supervisor' | 'clock'> {
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
function standingOf(
  { done, openRecognition, openReading }: StudyProgress,
  row: RowOf<'runtime'>,
): ChartPosition | null {
  const { runtimeId, commandId } = row.input;
  const context: StudyContext = { runtimeId, commandId, reason: null };
  if (done === null) return { value: 'initializing', context };
  if (openRecognition !== null) return { value: { running: 'recognize' }, context };
  if (openReading !== null) return { value: { running: 'readScreen' }, context };
  return done === 'end' ? null : { value: { running: nextSteps[done] }, context };
}

/** A study that came to its end has released its windows before, and names what it stored. */
function releaseKept({ media }: StudyDefinitionOptions, runtimeId: string, row: RowOf<'runtime'>): void {
  if (lifecycleOf(snapshotValue(row)) === 'terminal') {
    media.completed(runtimeId);
    return;
  }
  const reason = reasonOf(row);
  void media.ended(runtimeId, { isTimeUp: reason !== null && isTimeUp(reason) });
}

/** Gives the runtime chart its effects, and the supervisor what it needs to know of runtimes. */
export function studyDefinition(options: StudyDefinitionOptions): ActorDefinition<'runtime'> {
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
    standing: async (row) => standingOf(progress.of(row.input.runtimeId), row),
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

type EvidenceStepsOptions = Pick<HostBasis, 'ledger' | 'objectStore' | 'runtimes' | 'clock'>;

/** A study under way, as far as its journal says. */
interface StudyUnderWay {
  readonly run: StudyRun;
  readonly source: VerifiedSource;
  readonly startedAt: string;
  readonly study: VerifiedStudy;
}

/** The steps that turn evidence into a decision. Each goes on from the fold, which reopens what the steps before it stored. */
export class EvidenceSteps {
  readonly #options: EvidenceStepsOptions;
  readonly #slices = new TimeSlices();

  constructor(options: EvidenceStepsOptions) {
    this.#options = options;
  }

  async read({ runtimeId }: StudyInput): Promise<EffectOutcome> {
    const { run, source, study } = await this.#underWay(runtimeId);
    return this.#stored(await this.#inSlices(eachRead(run, readableOf(source, runtimeId, study.findings))));
  }

  async assess({ runtimeId }: StudyInput): Promise<AssessOutcome> {
    const { run, study } = await this.#underWay(runtimeId);
    const result = await this.#inSlices(eachAssessment(run, studyFindingsOf(study.findings).reads));
    return { ...(await this.#stored(result)), claimCount: result.refs.length };
  }

  async decide({ runtimeId }: StudyInput): Promise<EffectOutcome> {
    const { run, study } = await this.#underWay(runtimeId);
    return this.#stored(performDecision(run, studyFindingsOf(study.findings).assessments));
  }

  /** Concludes the study and enters it into the review queue: its record, the end of the execution, readiness, intake. */
  async admit({ runtimeId }: StudyInput): Promise<EffectOutcome> {
    const { ledger, clock } = this.#options;
    const { run, startedAt, study } = await this.#underWay(runtimeId);
    const finishedAt = new Date(clock.now()).toISOString();
    const { operationIds } = study.progress;
    const span = { startedAt, finishedAt, resumes: resumesOf(ledger, runtimeId), operationIds };
    const ended = endStudy(run, studyFindingsOf(study.findings), span);
    const { intake, outcome } = ended.refs.admission;
    const review = { runtimeId, intakeId: intake.intakeId };
    const writes = outcome === 'queued' ? queuedWrites(review, clock.now()) : [];
    return { ...(await this.#stored(ended)), writes };
  }

  /** Anything damaged ends the study as inconsistent. */
  async #underWay(runtimeId: string): Promise<StudyUnderWay> {
    try {
      const { execution, source } = await this.#options.runtimes.read(runtimeId);
      if (execution === null) throw new Error('a study that has steps was opened');
      const { run, startedAt } = execution.opened;
      return { run, source, startedAt, study: execution.study };
    } catch (error) {
      throw error instanceof EvidenceChainError ? damaged(error) : error;
    }
  }

  /** Lets others work between the parts of a step that a long study has many of. */
  async #inSlices<Reference>(results: Iterable<StepResult<Reference>>): Promise<StepResult<Reference[]>> {
    const done: StepResult<Reference>[] = [];
    for (const result of results) {
      done.push(result);
      await this.#slices.pause();
    }
    return stepOf(done);
  }

  async #stored({ objects, events }: StepResult<unknown>): Promise<EffectOutcome> {
    await this.#options.objectStore.putAll(objects);
    return { events, writes: [] };
  }
}

const damaged = ({ message }: EvidenceChainError): StudyFault => ({
  lifecycle: 'failed',
  code: 'stored_content_inconsistent',
  message,
});
