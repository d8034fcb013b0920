import { useHost } from '../host/use-host.ts';
import { useEvery, useRemote } from '../host/use-remote.ts';
import { RemotePart } from '../parts/remote-part.tsx';
import { Backup } from './backup.tsx';
import { type MetricFamily, parsedExposition } from './exposition.ts';
import { MetricTable } from './metric-table.tsx';

const everyMs = 5_000;

/** The longest family by far, and the least telling. */
const isOfRequests = ({ name }: MetricFamily): boolean => name.endsWith('_http_requests_total');

/** How the host is: what it measures of itself, and a copy of its ledger for a backup. */
export function OperationsView() {
  const host = useHost();
  const { remote, reload } = useRemote(async () => {
    const [health, metrics] = await Promise.all([host.health(), host.metrics()]);
    return { health, metrics: parsedExposition(metrics) };
  }, [host]);
  useEvery(everyMs, true, reload);
  return (
    <div class="page">
      <h1>Operations</h1>
      <div class="split">
        <section aria-labelledby="figures">
          <h2 id="figures">What the host measures</h2>
          <RemotePart of={remote} what="the figures of the host" onRetry={reload}>
            {({ metrics }) => (
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
        <aside aria-labelledby="care">
          <h2 id="care">Care</h2>
          <Backup />
          <section class="panel" aria-labelledby="more-checks">
            <h3 id="more-checks">What only the command line can check</h3>
            <p>
              Tools, free space, permissions and the whole ledger need the machine itself:{' '}
              <code>npm run media-study doctor</code>. It reads and changes nothing.
            </p>
          </section>
        </aside>
      </div>
    </div>
  );
}
