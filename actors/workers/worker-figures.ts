import type { Metric } from '../../contract/operation.ts';
import { counter } from '../operation/metrics.ts';

const outcomes = ['taken', 'failed', 'refused', 'disagreeing'] as const;
export type OutcomeVerdict = (typeof outcomes)[number];

/** What became of the outcomes that workers delivered, since the start of the host. */
export class WorkerFigures {
  readonly #counts = new Map<OutcomeVerdict, number>(outcomes.map((verdict) => [verdict, 0]));

  count(verdict: OutcomeVerdict): void {
    this.#counts.set(verdict, this.of(verdict) + 1);
  }

  of(verdict: OutcomeVerdict): number {
    return this.#counts.get(verdict) ?? 0;
  }

  metric(): Metric {
    return counter(
      'media_study_worker_outcomes_total',
      'outcomes of workers: taken, failed, refused, or disagreeing with the first result under their operation key',
      [...this.#counts].map(([verdict, value]) => ({ labels: { verdict }, value })),
    );
  }
}
