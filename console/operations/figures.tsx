import { useState } from 'preact/hooks';
import { useHost } from '../host/session.ts';
import { useEvery, useRemote } from '../host/use-remote.ts';
import { RemotePart } from '../parts/notice.tsx';
import { moment, size } from '../words/numbers.ts';
import { type MetricFamily, parsedExposition, type Sample } from './exposition.ts';

/** A value with the unit that the name of its family ends with. */
function valueWords(name: string, value: number): string {
  if (name.endsWith('_start_time_seconds')) return moment(new Date(value * 1000).toISOString());
  if (/_bytes(_total)?$/.test(name)) return size(value);
  if (/_seconds(_total)?$/.test(name)) return `${Number(value.toPrecision(4)).toLocaleString()} s`;
  return Number(value.toPrecision(6)).toLocaleString();
}

const title = (name: string): string =>
  name
    .replace(/^media_study_/, '')
    .replace(/_(total|seconds|bytes)(?=_|$)/g, '')
    .replaceAll('_', ' ');

/** A histogram as its count and mean. */
function summaryOf({ samples }: MetricFamily): readonly Sample[] {
  const keyOf = ({ part: _, le: __, ...labels }: Readonly<Record<string, string>>) => JSON.stringify(labels);
  const counts = samples.filter(({ labels }) => labels.part === 'count');
  return counts
    .filter(({ value }) => value > 0)
    .map(({ labels, value }) => {
      const sum = samples.find((each) => each.labels.part === 'sum' && keyOf(each.labels) === keyOf(labels));
      const { part: _, ...own } = labels;
      return { labels: { ...own, count: String(value), mean: '' }, value: (sum?.value ?? 0) / value };
    });
}

const shownOf = (family: MetricFamily): readonly Sample[] =>
  family.type === 'histogram' ? summaryOf(family) : family.samples;

const labelWords = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => (value === '' ? name : `${name} ${value}`))
    .join(', ');

interface MetricTableProps {
  readonly label: string;
  readonly metrics: readonly MetricFamily[];
}

function MetricTable({ label, metrics }: MetricTableProps) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table class="metrics">
        <thead>
          <tr>
            <th scope="col">Figure</th>
            <th scope="col">Of</th>
            <th scope="col" class="number">
              Value
            </th>
          </tr>
        </thead>
        {metrics.map((family) => {
          const samples = shownOf(family);
          if (samples.length === 0) return null;
          return (
            <tbody key={family.name}>
              {samples.map(({ labels, value }, at) => (
                <tr key={labelWords(labels)}>
                  {at === 0 && (
                    <th scope="rowgroup" rowSpan={samples.length}>
                      {title(family.name)}
                      <p class="hint">{family.help}</p>
                    </th>
                  )}
                  <td class="mono">{labelWords(labels)}</td>
                  <td class="number mono">{valueWords(family.name, value)}</td>
                </tr>
              ))}
            </tbody>
          );
        })}
      </table>
    </div>
  );
}

const everyMs = 5_000;

/** The longest family by far, and the least telling. */
const isOfRequests = ({ name }: MetricFamily): boolean => name.endsWith('_http_requests_total');

/** The metrics of the host, read when a person opens them. */
export function Figures() {
  const [isOpen, setOpen] = useState(false);
  return (
    <section aria-labelledby="figures">
      <h2 id="figures">Measurements</h2>
      <details class="panel" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Metrics</summary>
        {isOpen && <FiguresNow />}
      </details>
    </section>
  );
}

function FiguresNow() {
  const host = useHost();
  const { remote, reload, poll } = useRemote(async () => parsedExposition(await host.metrics()), [host]);
  useEvery(everyMs, true, poll);
  return (
    <RemotePart of={remote} what="the measurements" onRetry={reload}>
      {(metrics) => (
        <>
          <MetricTable label="Measurements" metrics={metrics.filter((metric) => !isOfRequests(metric))} />
          <details>
            <summary>Requests by path and status</summary>
            <MetricTable label="Requests" metrics={metrics.filter(isOfRequests)} />
          </details>
        </>
      )}
    </RemotePart>
  );
}
