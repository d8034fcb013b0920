import type { WorkProgress, WorkStage } from '../../contract/operation.ts';

/** How far a stage has come. `bytes` is given where something else than bytes is counted. */
export interface StageProgress {
  readonly stage: WorkStage;
  readonly completed: number;
  readonly total: number;
  readonly unit: 'bytes' | 'milliseconds';
  readonly bytes?: number;
}

/** A pace over less time than this says nothing, in ms. */
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

  /** Whether a measure goes on from those before. What else a stage counts has a pace of its own. */
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

  /** What was done in a millisecond; null while nothing or too little was seen of it. */
  #pace(done: number): number | null {
    const elapsed = this.#at - this.#since;
    return elapsed < leastMs || done <= 0 ? null : done / elapsed;
  }
}

const bytesOf = ({ unit, completed, bytes }: StageProgress): number | null =>
  unit === 'bytes' ? completed : (bytes ?? null);
