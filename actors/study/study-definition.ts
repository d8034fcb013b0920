import { fromCallback } from 'xstate';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import {
  isOptional,
  type OptionalStage,
  optionalStages,
  type StageName,
  stageNames,
  stagesAfter,
  studyStages,
} from '../../contract/study/stages.ts';
import type { EffectOutcome } from '../../machines/emission.ts';
import { studyMachine } from '../../machines/study.ts';
import {
  isTimeUp,
  type StageOutcome,
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
import { openStudy } from '../../receipts/stages/opening.ts';
import { stageNamed } from '../../receipts/stages/run-stages.ts';
import { rememberSealed } from '../../receipts/stored-records.ts';
import { type StudyProgress, stageOf } from '../../receipts/study/progress.ts';
import { type StepResult, type StudyRun, stepOf } from '../../receipts/study-run.ts';
import type { EventDraft, Write } from '../../storage/ledger/ledger.ts';
import type { HostBasis } from '../host-basis.ts';
import type { LiveProgress } from '../reopening/live-progress.ts';
import { queuedWrites } from '../reopening/review-rows.ts';
import { lifecycleOf, reasonOf, resumesOf, studyBudgetMs, studyChart, studyPhase } from '../reopening/study-row.ts';
import { sourceIsIntact } from '../sources/source-files.ts';
import { type ActorChange, type ActorDefinition, type ChartPosition, effect } from '../supervision/actor-definition.ts';
import { type RowOf, snapshotValue } from '../supervision/actor-row.ts';
import { TimeSlices } from '../supervision/system-clock.ts';
import type { TimeBudgets } from '../supervision/time-budgets.ts';
import type { WorkQueue } from '../supervision/work-queue.ts';
import type { GrantedStudyStep } from './granted-steps.ts';
import type { MediaSteps } from './media-steps.ts';

interface StudyOpeningOptions extends Pick<HostBasis, 'objectStore' | 'registry' | 'clock'> {
  readonly progress: Pick<LiveProgress, 'study'>;
  /** Lets the tools that this source will need come up while the opening is written. */
  readonly warm: (source: RegisteredSource) => void;
}

/** Opens a study: checks that its source is still whole and writes the first events of its journal. */
export function studyOpening({ progress, objectStore, registry, clock, warm }: StudyOpeningOptions) {
  return async ({ runtimeId }: StudyInput): Promise<EffectOutcome> => {
    const study = progress.study(runtimeId);
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
  readonly granted: Readonly<Record<OptionalStage, Pick<GrantedStudyStep, 'started' | 'stopped'>>>;
  readonly progress: LiveProgress;
}

/** The writes that the emissions of one transition of a runtime add to its commit. */
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
      const study = options.progress.study(runtimeId);
      const { step } = emission;
      const events = isOptional(step)
        ? options.granted[step].started(study)
        : [operationStarted(study, options.media.operation(study, step))];
      return { events, writes: [] };
    }
    case 'runtime.stopped':
      return { events: stopped(options, runtimeId, emission), writes: [] };
  }
}

/** The failure of what was open, then the end; nothing for a runtime whose journal was never opened. */
function stopped(
  { ledger, clock, progress, granted }: StudyJournalOptions,
  runtimeId: string,
  { lifecycle, reason }: StudyStoppedEmission,
): readonly EventDraft[] {
  const { startedAt, operationIds, openPass } = progress.of(runtimeId);
  if (startedAt === null) return [];
  const study = progress.study(runtimeId);
  const finishedAt = new Date(clock.now()).toISOString();
  const span = { startedAt, finishedAt, resumes: resumesOf(ledger, runtimeId), operationIds };
  const failed = openPass === null ? [] : [operationFailed(study, openPass, reason)];
  const unfound = optionalStages.flatMap((name) => granted[name].stopped(study, reason));
  return [...failed, ...unfound, ...stopStudy(study, { lifecycle, reason, span })];
}

interface StudyDefinitionOptions extends Pick<HostBasis, 'ledger' | 'supervisor' | 'clock'> {
  readonly budgets: TimeBudgets;
  readonly queue: WorkQueue;
  readonly initialize: (input: StudyInput) => Promise<EffectOutcome>;
  readonly media: MediaSteps;
  readonly granted: Readonly<Record<OptionalStage, GrantedStudyStep>>;
  readonly evidence: EvidenceSteps;
  readonly progress: LiveProgress;
  readonly committed: (runtimeId: string) => void;
}

/** The state of a study in its journal; null after its end. */
function storedPositionOf(progress: StudyProgress, row: RowOf<'runtime'>): ChartPosition | null {
  const { runtimeId, commandId } = row.input;
  const context: StudyContext = { runtimeId, commandId, reason: null };
  const stage = stageOf(progress);
  if (stage === null) return null;
  return { value: stage === 'initialize' ? 'initializing' : { running: stage }, context };
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

/** The work of one stage; `leadsTo` are the stages that follow from what it found. */
type StageWork = (
  input: StudyInput,
  signal: AbortSignal,
) => Promise<EffectOutcome & { readonly leadsTo?: readonly StageName[] }>;

/** Gives the runtime chart its effects, and the supervisor what it needs to know of runtimes. */
export function studyDefinition(options: StudyDefinitionOptions): ActorDefinition<'runtime'> {
  const { ledger, supervisor, budgets, queue, clock, initialize, media, granted, evidence, progress } = options;
  /** The stages whose work is an effect; all others derive their results of what was found. */
  const effects: Readonly<Partial<Record<StageName, StageWork>>> = {
    initialize,
    detect: (input, signal) => media.detect(input, signal),
    subtitles: (input, signal) => media.subtitles(input, signal),
    ...Object.fromEntries(
      optionalStages.map((name): [OptionalStage, StageWork] => [
        name,
        (input, signal) => granted[name].perform(input, signal),
      ]),
    ),
    admit: (input) => evidence.admit(input),
  };
  const workOf = (name: StageName): StageWork => effects[name] ?? ((input) => evidence.derive(name, input));
  const effectOf = (name: StageName) =>
    effect<StageOutcome, StudyInput>(
      supervisor,
      ({ runtimeId }) => runtimeId,
      async (input, signal) => {
        const outcome = await workOf(name)(input, signal);
        const byGrant = optionalStages.filter((each) => granted[each].isFor(input.runtimeId));
        const next = stagesAfter(name).find((each) => !isOptional(each) || byGrant.includes(each));
        if (next !== undefined && isOptional(next)) await granted[next].open(input.runtimeId);
        return { ...outcome, leadsTo: [...byGrant, ...(outcome.leadsTo ?? [])] };
      },
    );
  const machine = studyMachine.provide({
    actors: {
      ...(Object.fromEntries(stageNames.map((name) => [name, effectOf(name)])) as Record<
        StageName,
        ReturnType<typeof effectOf>
      >),
      deadline: fromCallback<StudyEvent, StudyInput>(({ input, sendBack }) =>
        budgets.run(input.runtimeId, () => {
          // The end speaks of every step that was done: one that is on its way to the disk gets there first.
          const end = () => sendBack({ type: 'deadline.reached' });
          supervisor.settled(input.runtimeId).then(end, end);
        }),
      ),
    },
  });
  return {
    name: 'runtime',
    ...studyChart,
    machine,
    queue,
    hasJournal: true,
    phase: studyPhase,
    storedPosition: async (row) => storedPositionOf(progress.of(row.input.runtimeId), row),
    recall: (runtimeId) => progress.recall(runtimeId),
    writes: (change) => studyEmissionWrites({ ledger, clock, media, granted, progress }, change),
    committed: (runtimeId, row) => {
      if (studyPhase(snapshotValue(row)) === 'ended') {
        releaseKept(options, runtimeId, row);
        progress.forget(runtimeId);
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

  /** The result that a stage derives from the findings. */
  async derive(name: StageName, { runtimeId }: StudyInput): ReturnType<StageWork> {
    const { derived } = stageNamed(name);
    if (derived === null) throw new RangeError(`the stage ${name} needs an effect`);
    const { run, source, study } = await this.#underWay(runtimeId);
    const result = await this.#inSlices(derived(run, source, study.findings));
    const dependent = stagesAfter(name).filter((each) => studyStages[each].condition?.by === 'result');
    return { ...(await this.#stored(result)), leadsTo: result.refs.length > 0 ? dependent : [] };
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
    const { objectStore, runtimes } = this.#options;
    await objectStore.putAll(objects);
    rememberSealed(runtimes.content(), objects);
    return { events, writes: [] };
  }
}

const damaged = ({ message }: EvidenceChainError): StudyFault => ({
  lifecycle: 'failed',
  code: 'stored_content_inconsistent',
  message,
});
