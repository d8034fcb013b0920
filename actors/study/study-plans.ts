import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { RuntimeRequest } from '../../contract/study/plan.ts';
import { checkStudyBounds, planStudy, type StudyPlan } from '../../receipts/study/plan.ts';
import type { HostBasis } from '../host-basis.ts';
import { demandIntact } from '../sources/source-records.ts';
import { absentSource, refuseDeleted } from '../supervision/deletion-rows.ts';
import type { StudyCalibration } from './calibration.ts';

export interface StudyPlansOptions extends Pick<HostBasis, 'ledger' | 'objectStore' | 'registry'> {
  /** The longest range of a study now. */
  readonly maximumRangeMs: () => number;
  /** The observations behind forecasts; absent if they state the least work alone. */
  readonly calibration?: Pick<StudyCalibration, 'of'> | undefined;
}

/** Plans over the sources of this host, with the forecasts that it makes of them now. */
export class StudyPlans {
  readonly #options: StudyPlansOptions;

  constructor(options: StudyPlansOptions) {
    this.#options = options;
  }

  /** The plan of a request, and its source, whose files are whole. */
  async planned(request: RuntimeRequest): Promise<{ readonly source: RegisteredSource; readonly plan: StudyPlan }> {
    const { ledger, objectStore } = this.#options;
    const source = this.currentSource(request);
    refuseDeleted(ledger, planStudy(source, request).runtimeId);
    await demandIntact(objectStore, source);
    return { source, plan: await this.of(source, request) };
  }

  /** The plan with the forecast that holds now; all else in it follows from the request alone. */
  async of(source: RegisteredSource, request: RuntimeRequest): Promise<StudyPlan> {
    const plan = planStudy(source, request);
    const finished = await this.#options.calibration?.of(source, plan.analysisRequest);
    return finished === undefined ? plan : planStudy(source, request, finished);
  }

  /** The source that a request names, where it may be studied as the request says. Throws the codes of requests. */
  currentSource(request: RuntimeRequest): RegisteredSource {
    const { registry, ledger, maximumRangeMs } = this.#options;
    const source = registry.current(request.sourceSessionId);
    if (source === undefined) throw absentSource(ledger, request.sourceSessionId);
    checkStudyBounds(source, request, maximumRangeMs());
    return source;
  }
}
