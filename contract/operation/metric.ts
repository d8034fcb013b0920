/** One measured number, with the labels that tell it from others of its metric. */
export interface MetricSample {
  readonly labels?: Readonly<Record<string, string>>;
  /** Follows the name of the metric: a histogram has samples of three kinds. */
  readonly suffix?: '_bucket' | '_sum' | '_count';
  readonly value: number;
}

/** One metric of a host in the terms of the Prometheus text format. Names end with their unit; times are in seconds. */
export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One clause for people. */
  readonly help: string;
  readonly samples: readonly MetricSample[];
}
