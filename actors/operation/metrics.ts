import type { Metric, MetricSample } from '../../contract/operation.ts';
import { stateNameOf } from '../../machines/migrations.ts';
import { type ActorRow, snapshotValue } from '../supervision/actor-row.ts';

const metric =
  (type: Metric['type']) =>
  (name: string, help: string, samples: readonly MetricSample[]): Metric => ({ name, type, help, samples });

/** A metric whose numbers only rise while the process lives. */
export const counter = metric('counter');

/** A metric whose numbers rise and fall. */
export const gauge = metric('gauge');

/** Upper bounds of the buckets in seconds: from one sync of a fast disk to the longest step of a study. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800] as const;

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Durations by their labels, counted in fixed buckets: memory depends on the labels alone. */
export class DurationHistogram {
  readonly #name: string;
  readonly #help: string;
  readonly #series = new Map<string, Series>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  #seriesOf(labels: Readonly<Record<string, string>>): Series {
    const key = Object.values(labels).join('\n');
    const series = this.#series.get(key) ?? { labels, counts: bounds.map(() => 0), sum: 0, count: 0 };
    this.#series.set(key, series);
    return series;
  }

  /** Adds durations that another histogram counted: `upTo` tells how many of them are at most so many seconds. */
  add({ count, sum, upTo }: { readonly count: number; readonly sum: number; upTo(seconds: number): number }): void {
    const series = this.#seriesOf({});
    let below = 0;
    for (const [place, bound] of bounds.entries()) {
      const reached = upTo(bound);
      series.counts[place] = (series.counts[place] ?? 0) + reached - below;
      below = reached;
    }
    series.sum += sum;
    series.count += count;
  }

  observe(seconds: number, labels: Readonly<Record<string, string>> = {}): void {
    const series = this.#seriesOf(labels);
    const place = bounds.findIndex((bound) => seconds <= bound);
    if (place !== -1) series.counts[place] = (series.counts[place] ?? 0) + 1;
    series.sum += seconds;
    series.count += 1;
  }

  metric(): Metric {
    const samples = [...this.#series.values()].flatMap(samplesOf);
    return { name: this.#name, type: 'histogram', help: this.#help, samples };
  }
}

/** Buckets are cumulative: each counts everything up to its bound. */
function samplesOf({ labels, counts, sum, count }: Series): MetricSample[] {
  let below = 0;
  const buckets = bounds.map((bound, at): MetricSample => {
    below += counts[at] ?? 0;
    return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: below };
  });
  return [
    ...buckets,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ];
}

interface Stay {
  readonly state: string;
  readonly since: number;
}

/**
 * How long actors stay in each state of their chart, from the commit that entered it to the commit that left it. A state
 * that was entered in an earlier process is not measured: the host was down in between.
 */
export class StateDurations {
  readonly #now: () => number;
  readonly #stays = new Map<string, Stay>();
  readonly #durations = new DurationHistogram(
    'media_study_step_seconds',
    'time that actors spent in a state of their chart before they left it',
  );

  /** `now` is in milliseconds and never runs back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** A row of an actor is on disk; `isOver` where no interpreter is left. */
  readonly committed = (id: string, row: ActorRow, isOver: boolean): void => {
    const state = stateNameOf(snapshotValue(row));
    const stay = this.#stays.get(id);
    if (stay !== undefined && stay.state === state && !isOver) return;
    const now = this.#now();
    if (stay !== undefined) this.#durations.observe((now - stay.since) / 1000, { actor: row.kind, state: stay.state });
    if (isOver) this.#stays.delete(id);
    else this.#stays.set(id, { state, since: now });
  };

  metric = () => this.#durations.metric();
}
