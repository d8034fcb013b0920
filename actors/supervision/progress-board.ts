import type { Clock } from '../../contract/base/clock.ts';
import { progressPauseMs, type WorkProgress, type WorkStage, workStage } from '../../contract/operation.ts';
import { stateNameOf } from '../../machines/migrations.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import { type ActorRow, snapshotValue } from './actor-row.ts';
import { absentIngest, absentRuntime } from './deletion-rows.ts';
import { CommitListeners } from './live-actors.ts';
import { readStored } from './reads.ts';
import { phaseOf } from './row-state.ts';
import type { Supervisor } from './supervisor.ts';

/** How far a stage has come. `bytes` is given where something else than bytes is counted. */
interface StageProgress {
  readonly stage: WorkStage;
  readonly completed: number;
  readonly total: number;
  readonly unit: 'bytes' | 'milliseconds';
  readonly bytes?: number;
}

/** The shortest time, in ms, that a pace can be measured over. */
const leastMs = 1000;

/** Measures the pace of one stage from its first measure on. */
export class StageMeter {
  readonly #first: StageProgress;
  readonly #since: number;
  #last: StageProgress;
  #at: number;

  /** `now` is in ms of a clock that is never set. */
  constructor(first: StageProgress, now: number) {
    this.#first = first;
    this.#last = first;
    this.#since = now;
    this.#at = now;
  }

  get stage(): WorkStage {
    return this.#first.stage;
  }

  /** True if a measure continues those before. Each other count of a stage has a pace of its own. */
  measures({ stage, unit }: StageProgress): boolean {
    return stage === this.#first.stage && unit === this.#first.unit;
  }

  add(measure: StageProgress, now: number): void {
    this.#last = measure;
    this.#at = now;
  }

  read(): Pick<WorkProgress, 'completed' | 'total' | 'unit' | 'bytes' | 'bytesPerSecond' | 'etaMs'> {
    const { completed, total, unit } = this.#last;
    const pace = this.#pace(completed - this.#first.completed);
    const bytes = bytesOf(this.#last);
    const speed = bytes === null ? null : this.#pace(bytes - (bytesOf(this.#first) ?? 0));
    return {
      completed: Math.min(completed, total),
      total,
      unit,
      bytes,
      bytesPerSecond: speed === null ? null : Math.round(speed * 1000),
      etaMs: pace === null ? null : Math.round(Math.max(0, total - completed) / pace),
    };
  }

  /** The work done in a millisecond; null while nothing or too little was seen of it. */
  #pace(done: number): number | null {
    const elapsed = this.#at - this.#since;
    return elapsed < leastMs || done <= 0 ? null : done / elapsed;
  }
}

const bytesOf = ({ unit, completed, bytes }: StageProgress): number | null =>
  unit === 'bytes' ? completed : (bytes ?? null);

interface ProgressBoardOptions {
  readonly clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  /** Milliseconds that have passed, on a clock that is never set. */
  readonly elapsed: () => number;
  readonly report: (line: string) => void;
}

/** The stages of states that have another name. */
const stages: Readonly<Record<string, WorkStage>> = {
  'queued.awaitingMedia': 'upload',
  'queued.awaitingWorker': 'queued',
  accepted: 'queued',
  resolving: 'resolve',
  downloading: 'download',
  probing: 'probe',
  sealing: 'seal',
  initializing: 'initialize',
};

interface Notice {
  announcedAt: number;
  timer: unknown;
  /** True if it waited in its queue at the last read. */
  isQueued: boolean;
}

/** How far ingests and studies have come, in memory alone. */
export class ProgressBoard {
  readonly #clock: ProgressBoardOptions['clock'];
  readonly #elapsed: () => number;
  readonly #listeners: CommitListeners;
  readonly #meters = new Map<string, StageMeter>();
  /** The reasons why pieces of work wait, in words for people. */
  readonly #waits = new Map<string, string>();
  /** The watched work, with the last notice to the watchers. */
  readonly #notices = new Map<string, Notice>();
  #supervisor: Supervisor | null = null;
  #ledger: Pick<Ledger, 'get'> = { get: () => undefined };

  constructor({ clock, elapsed, report }: ProgressBoardOptions) {
    this.#clock = clock;
    this.#elapsed = elapsed;
    this.#listeners = new CommitListeners(report);
  }

  /** Sets the supervisor of the work, and the ledger that lists deletions, once they exist. */
  follow(supervisor: Supervisor, ledger: Pick<Ledger, 'get'>): void {
    this.#supervisor = supervisor;
    this.#ledger = ledger;
  }

  /** Takes a measure of a stage that is under way. */
  note(id: string, measure: StageProgress): void {
    const now = this.#elapsed();
    const meter = this.#meters.get(id);
    if (meter?.measures(measure) === true) meter.add(measure, now);
    else this.#meters.set(id, new StageMeter(measure, now));
    this.#changed(id);
  }

  /** The measurements of a stage end with it. */
  forget(id: string): void {
    if (this.#meters.delete(id)) this.#changed(id);
  }

  /** Notes what work that is under way waits for; null once it waits no more. */
  waits(id: string, reason: string | null): void {
    if (this.waitingFor(id) === reason) return;
    if (reason === null) this.#waits.delete(id);
    else this.#waits.set(id, reason);
    this.#changed(id);
  }

  /** The reason why work under way waits; null if it does not wait. */
  waitingFor(id: string): string | null {
    return this.#waits.get(id) ?? null;
  }

  /** A transition is on disk. It may have moved others forward in their queue. */
  readonly committed = (id: string): void => {
    if (this.#notices.has(id)) this.#changed(id);
    for (const [other, notice] of this.#notices) if (other !== id && notice.isQueued) this.#changed(other);
  };

  /** How far a study is. Throws `unknown_runtime` and `runtime_deleted`. */
  runtime(runtimeId: string): WorkProgress {
    return this.#of(runtimeId, ['runtime'], absentRuntime);
  }

  /** How far an ingest of these kinds is. Throws `unknown_ingest` and `source_deleted`. */
  ingest(ingestId: string, kinds: readonly string[]): WorkProgress {
    return this.#of(ingestId, kinds, absentIngest);
  }

  /** Calls back when something may have changed, at most ten times a second, until the returned function is called. */
  watch(id: string, listener: () => void): () => void {
    const forget = this.#listeners.add(id, listener);
    if (!this.#notices.has(id))
      this.#notices.set(id, { announcedAt: Number.NEGATIVE_INFINITY, timer: null, isQueued: false });
    return () => {
      forget();
      const notice = this.#notices.get(id);
      if (this.#listeners.has(id) || notice === undefined) return;
      this.#clock.clearTimeout(notice.timer);
      this.#notices.delete(id);
    };
  }

  #of(id: string, kinds: readonly string[], absent: typeof absentRuntime): WorkProgress {
    const row = readStored(() => this.#supervisor?.read(id));
    if (row === undefined || !kinds.includes(row.kind)) throw absent(this.#ledger, id);
    const stage = this.#waits.has(id) ? 'queued' : this.#stageOf(row);
    const notice = this.#notices.get(id);
    if (notice !== undefined) notice.isQueued = stage === 'queued';
    const meter = this.#meters.get(id);
    const nothing = { completed: null, total: null, unit: null, bytes: null, bytesPerSecond: null, etaMs: null };
    return {
      schema: 'studio.local-work-progress.v1',
      id,
      stage,
      ...(meter?.stage === stage ? meter.read() : nothing),
      queuePosition: stage === 'queued' ? this.#positionOf(id, row) : null,
    };
  }

  #stageOf(row: ActorRow): WorkStage {
    const definition = this.#supervisor?.definition(row.kind);
    if (definition !== undefined && phaseOf(definition, row) === 'ended') return 'ended';
    const state = stateNameOf(snapshotValue(row));
    const [outer = '', inner = ''] = state.split('.');
    const stage = stages[state] ?? stages[outer] ?? (outer === 'running' ? inner : outer);
    return workStage.parse(stage);
  }

  #positionOf(id: string, row: ActorRow): number | null {
    return this.#supervisor?.definition(row.kind)?.queue.placeOf(id) ?? null;
  }

  #changed(id: string): void {
    const notice = this.#notices.get(id);
    if (notice === undefined || notice.timer !== null) return;
    const left = notice.announcedAt + progressPauseMs - this.#elapsed();
    const notify = () => {
      notice.timer = null;
      notice.announcedAt = this.#elapsed();
      this.#listeners.notify(id);
    };
    if (left > 0) notice.timer = this.#clock.setTimeout(notify, left);
    else notify();
  }
}
