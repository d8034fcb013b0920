import type { Metric, MetricSample } from '../../contract/operation.ts';

const metric =
  (type: Metric['type']) =>
  (name: string, help: string, samples: readonly MetricSample[]): Metric => ({ name, type, help, samples });

/** A metric whose numbers only rise while the process lives. */
export const counter = metric('counter');

/** A metric whose numbers rise and fall. */
export const gauge = metric('gauge');
