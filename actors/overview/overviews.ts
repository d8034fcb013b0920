import { ServiceError } from '../../contract/base/errors.ts';
import type { RuntimeOverview } from '../../contract/overview.ts';
import { runtimeOverviewBySteps } from '../../receipts/overview/overview.ts';
import type { HostAbilities, StudyActorState } from '../../receipts/overview/parts.ts';
import type { HostBasis } from '../host-basis.ts';
import { checkedRuntimeRow, lifecycleOf, reasonOf } from '../reopening/study-row.ts';
import type { SourceRegistry } from '../sources/source-registry.ts';
import { isRowOf, type RowOf, snapshotValue } from '../supervision/actor-row.ts';
import { absentRuntime } from '../supervision/deletion-rows.ts';
import type { ProgressBoard } from '../supervision/progress-board.ts';
import { readStored } from '../supervision/reads.ts';
import { TimeSlices } from '../supervision/system-clock.ts';
import type { TimeBudgets } from '../supervision/time-budgets.ts';

interface OverviewsOptions extends Pick<HostBasis, 'ledger' | 'supervisor' | 'runtimes'> {
  readonly budgets: TimeBudgets;
  readonly board: Pick<ProgressBoard, 'waitingFor'>;
  readonly registry: Pick<SourceRegistry, 'current' | 'labelOf'>;
  readonly host: Omit<HostAbilities, 'sourceIsCurrent'>;
}

/** The service behind overviews of runtimes. */
export class Overviews {
  readonly #options: OverviewsOptions;
  readonly #slices = new TimeSlices();

  constructor(options: OverviewsOptions) {
    this.#options = options;
  }

  /** A runtime as a whole, reopened. Throws `unknown_runtime` and `stored_content_inconsistent`. */
  async of(runtimeId: string): Promise<RuntimeOverview> {
    // The row is read before the journal, so that the journal is never older.
    const actorState = this.#actorState(runtimeId);
    const runtime = await this.#options.runtimes.read(runtimeId);
    if (actorState === null) throw absentRuntime(this.#options.ledger, runtimeId);
    const { sessionId, revisionId } = runtime.accepted.record.sourceSession;
    const { host, registry } = this.#options;
    const sourceIsCurrent = registry.current(sessionId)?.session.revisionId === revisionId;
    const overview = await this.#slices.run(runtimeOverviewBySteps(runtime, actorState, { ...host, sourceIsCurrent }));
    // A person may have given the source another name since it was sealed.
    return { ...overview, source: { ...overview.source, label: registry.labelOf(runtime.source.registered) } };
  }

  /** Null for a row that is missing or damaged: the reopening of the runtime reports which, and the consequence. */
  #actorState(runtimeId: string): StudyActorState | null {
    const { budgets, board } = this.#options;
    const row = this.#row(runtimeId);
    if (row === null) return null;
    return {
      lifecycle: lifecycleOf(snapshotValue(row)),
      reason: reasonOf(row),
      resumes: row.totalResumes,
      deadlineLeftMs: budgets.remaining(runtimeId) ?? row.remainingMs,
      waitsFor: board.waitingFor(runtimeId),
    };
  }

  #row(runtimeId: string): RowOf<'runtime'> | null {
    const { supervisor } = this.#options;
    try {
      const row = readStored(() => supervisor.read(runtimeId));
      return isRowOf(row, 'runtime') ? readStored(() => checkedRuntimeRow(row)) : null;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'stored_content_inconsistent') return null;
      throw error;
    }
  }
}
