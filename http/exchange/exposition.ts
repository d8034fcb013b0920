import type { Metric, MetricSample } from '../../contract/operation/metric.ts';

/** The media type of the Prometheus text format. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

/** Metrics in the Prometheus text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). */
export const exposition = (metrics: readonly Metric[]): string => metrics.map(textOf).join('');

function textOf({ name, type, help, samples }: Metric): string {
  const lines = samples.map((sample) => `${name}${sample.suffix ?? ''}${labelsOf(sample)} ${numberOf(sample.value)}\n`);
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelsOf({ labels = {} }: MetricSample): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

function numberOf(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
