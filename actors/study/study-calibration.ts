import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { TimedOperation } from '../../contract/study/forecast.ts';
import type { AnalysisRequest } from '../../contract/study/plan.ts';
import type { MediaOperation } from '../../receipts/evidence/media-operation.ts';
import type { Calibration } from '../../rules/forecast.ts';
import type { Write } from '../../storage/ledger/ledger.ts';
import type { HostBasis } from '../host-basis.ts';
import { readMediaProbe } from '../sources/source-records.ts';
import { FinishedOperations } from './finished-operations.ts';
import type { MediaPasses } from './media-passes.ts';
import { mediaOperationOf, mediaStepNames, mediaTaskOf } from './media-task.ts';
import { workCohortOf } from './work-cohort.ts';

export interface StudyCalibrationOptions extends Pick<HostBasis, 'ledger' | 'objectStore'> {
  readonly passes: Pick<MediaPasses, 'identity'>;
}

/** What this host knows of the time that its operations take: every study adds to it, and forecasts may be made of it. */
export class StudyCalibration {
  readonly #options: StudyCalibrationOptions;
  readonly #finished: FinishedOperations;

  constructor(options: StudyCalibrationOptions) {
    this.#options = options;
    this.#finished = new FinishedOperations(options.ledger);
  }

  /** The row of an operation that really ran, for the commit of its result. Throws `source_revalidation_failed`. */
  async noted(source: RegisteredSource, operation: MediaOperation, timed: TimedOperation): Promise<Write> {
    const probe = await readMediaProbe(this.#options.objectStore, source);
    return this.#finished.noted(workCohortOf(operation, probe), timed);
  }

  /** The finished operations like those of a study, newest first. Throws `source_revalidation_failed`. */
  async of(source: RegisteredSource, request: AnalysisRequest): Promise<Calibration> {
    const { objectStore, passes } = this.#options;
    const probe = await readMediaProbe(objectStore, source);
    return Promise.all(
      mediaStepNames.map(async (step) => {
        const cohort = workCohortOf(mediaOperationOf(passes, mediaTaskOf(step, source, request)), probe);
        return { cohort, observations: await this.#finished.of(cohort) };
      }),
    );
  }
}
