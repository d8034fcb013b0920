import { type Histogram, type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metric, MetricSample } from '../../contract/operation.ts';
import type { LiveActors } from '../supervision/live-actors.ts';
import type { WorkQueue } from '../supervision/work-queue.ts';
import { counter, DurationHistogram, gauge, type StateDurations } from './metrics.ts';

/** How often the delay of the event loop is sampled, in milliseconds. */
const samplingMs = 20;

interface HostFiguresOptions {
  readonly supervisor: Pick<LiveActors, 'census'>;
  readonly queues: Readonly<Record<string, Pick<WorkQueue, 'waiting' | 'working'>>>;
  readonly durations: StateDurations;
  readonly commits: CommitFigures;
  readonly launcher: { readonly running: number };
  readonly freeBytes: () => Promise<number>;
  /** The metrics that other parts of the host count by themselves. */
  readonly others: () => readonly Metric[];
}

/** The cost of commits, measured by the points of the ledger: one batch is on its way at a time. */
export class CommitFigures {
  readonly #durations = new DurationHistogram(
    'media_study_commit_seconds',
    'time of one synced batch of the ledger; commits that wait together share a batch',
  );
  readonly #now: () => number;
  #begun = 0;

  /** `now` is in milliseconds and never runs back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes every point that the ledger passes. */
  readonly point = (name: string): void => {
    if (name === 'commit:before') this.#begun = this.#now();
    else if (name === 'commit:after') this.#durations.observe((this.#now() - this.#begun) / 1000);
  };

  /** The same, in front of other listeners to the points. */
  before(points: (name: string) => void): (name: string) => void {
    return (name) => {
      this.point(name);
      points(name);
    };
  }

  metric = (): Metric => this.#durations.metric();
}

/** How many samples are at most so many nanoseconds: the histogram tells only the value of a share of them. */
function samplesUpTo(samples: Histogram, ns: number): number {
  let [low, high] = [0, samples.count];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (samples.percentile((100 * middle) / samples.count) <= ns) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * The pauses of the host's thread, counted for as long as its process lives: how long one piece of work let everything else
 * wait. A delay is the time between two samples, so a pause is what it exceeds the interval by.
 */
export class EventLoopPauses {
  readonly #pauses = new DurationHistogram(
    'media_study_event_loop_pause_seconds',
    `how long everything else waited for work in the thread of the host, sampled every ${samplingMs} ms from the first read on`,
  );

  /** Adds the delays since the last read, in nanoseconds. */
  add(delays: Histogram): void {
    if (delays.count === 0) return;
    const sum = Math.max(0, (delays.mean / 1e9 - samplingMs / 1000) * delays.count);
    const upTo = (seconds: number): number => samplesUpTo(delays, seconds * 1e9 + samplingMs * 1e6);
    this.#pauses.add({ count: delays.count, sum, upTo });
  }

  metric = (): Metric => this.#pauses.metric();
}

/** Nothing if no file descriptor is left to ask the system with: all other metrics show more than none. */
function residentMemory(): MetricSample[] {
  try {
    return [{ value: process.memoryUsage.rss() }];
  } catch {
    return [];
  }
}

/** The metrics of a host below HTTP. Unread numbers cost nothing beyond a few counters. */
export class HostFigures {
  readonly #options: HostFiguresOptions;
  readonly #pauses = new EventLoopPauses();
  #loopDelay: IntervalHistogram | null = null;

  constructor(options: HostFiguresOptions) {
    this.#options = options;
  }

  async metrics(): Promise<readonly Metric[]> {
    const { supervisor, queues, durations, commits, launcher, freeBytes, others } = this.#options;
    const queued = Object.entries(queues);
    const { user, system } = process.cpuUsage();
    return [
      gauge(
        'media_study_queue_waiting',
        'work that waits for a worker',
        queued.map(([queue, { waiting }]) => ({ labels: { queue }, value: waiting })),
      ),
      gauge(
        'media_study_queue_working',
        'busy workers',
        queued.map(([queue, { working }]) => ({ labels: { queue }, value: working })),
      ),
      gauge(
        'media_study_actors',
        'actors that have not ended, by kind and state',
        supervisor.census().map(({ actor, state, count }) => ({ labels: { actor, state }, value: count })),
      ),
      durations.metric(),
      commits.metric(),
      ...others(),
      gauge('media_study_external_processes', 'external processes that run now', [{ value: launcher.running }]),
      gauge('media_study_data_root_free_bytes', 'bytes that this user can still store on the volume of the data root', [
        { value: await freeBytes() },
      ]),
      this.#eventLoopDelay(),
      this.#pauses.metric(),
      gauge('process_resident_memory_bytes', 'resident memory of the host', residentMemory()),
      counter('process_cpu_seconds_total', 'time that the host spent on processors', [
        { value: (user + system) / 1e6 },
      ]),
      gauge('process_start_time_seconds', 'start of the host in seconds since 1970', [
        { value: performance.timeOrigin / 1000 },
      ]),
    ];
  }

  /** The sampling begins with the first read, so that it does not wake a host whose metrics no client reads. */
  #eventLoopDelay(): Metric {
    const delay = this.#loopDelay ?? monitorEventLoopDelay({ resolution: samplingMs });
    this.#pauses.add(delay);
    const samples =
      delay.count === 0
        ? []
        : [
            { labels: { quantile: '0.5' }, value: delay.percentile(50) / 1e9 },
            { labels: { quantile: '0.99' }, value: delay.percentile(99) / 1e9 },
            { labels: { quantile: '1' }, value: delay.max / 1e9 },
          ];
    if (this.#loopDelay === null) delay.enable();
    else delay.reset();
    this.#loopDelay = delay;
    return gauge(
      'media_study_event_loop_delay_seconds',
      `delay of the event loop since the last read, sampled every ${samplingMs} ms`,
      samples,
    );
  }

  close(): void {
    this.#loopDelay?.disable();
  }
}
