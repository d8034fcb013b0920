import type { EffectOutcome } from '../../machines/emission.ts';
import type { AssessOutcome, StudyFault, StudyInput } from '../../machines/study-types.ts';
import { eachAssessment, performDecision } from '../../receipts/evidence/assessment.ts';
import { eachRead, readableOf } from '../../receipts/evidence/reads.ts';
import { EvidenceChainError } from '../../receipts/evidence-chain.ts';
import type { VerifiedStudy } from '../../receipts/fold.ts';
import type { VerifiedSource } from '../../receipts/sources/reopen-source.ts';
import { endStudy, studyFindingsOf } from '../../receipts/study/conclusion.ts';
import { type StepResult, type StudyRun, stepOf } from '../../receipts/study-run.ts';
import type { HostBasis } from '../host-basis.ts';
import { queuedWrites } from '../reopening/review-rows.ts';
import { resumesOf } from '../reopening/study-row.ts';
import { TimeSlices } from '../supervision/time-slices.ts';

export type EvidenceStepsOptions = Pick<HostBasis, 'ledger' | 'objectStore' | 'runtimes' | 'clock'>;

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
