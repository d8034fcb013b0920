import { useHost } from '../host/use-host.ts';
import { useEvery, useRemote } from '../host/use-remote.ts';
import { RemotePart } from '../parts/remote-part.tsx';
import { type MetricFamily, parsedExposition } from './exposition.ts';
import { MetricTable } from './metric-table.tsx';

const everyMs = 5_000;

/** The longest family by far, and the least telling. */
const isOfRequests = ({ name }: MetricFamily): boolean => name.endsWith('_http_requests_total');

/** What the host measures of itself, as it is now. */
export function Figures() {
  const host = useHost();
  const { remote, reload, poll } = useRemote(async () => parsedExposition(await host.metrics()), [host]);
  useEvery(everyMs, true, poll);
  return (
    <section aria-labelledby="figures">
      <h2 id="figures">What the host measures</h2>
      <RemotePart of={remote} what="the figures of the host" onRetry={reload}>
        {(metrics) => (
          <>
            <MetricTable label="Figures of the host" metrics={metrics.filter((metric) => !isOfRequests(metric))} />
            <details>
              <summary>Requests by path and status</summary>
              <MetricTable label="Requests" metrics={metrics.filter(isOfRequests)} />
            </details>
          </>
        )}
      </RemotePart>
    </section>
  );
}
