import { useState } from 'preact/hooks';
import type { LedgerSnapshot } from '../../../contract/operation.ts';
import { useDeed } from '../host/use-deed.ts';
import { useHost } from '../host/use-host.ts';
import { Facts } from '../parts/facts.tsx';
import { Failed } from '../parts/notice.tsx';

/** Copies the ledger while the host works. */
export function Backup() {
  const host = useHost();
  const { deed, run } = useDeed();
  const [taken, setTaken] = useState<LedgerSnapshot | null>(null);
  const take = () => run(async () => setTaken(await host.snapshotLedger()));
  return (
    <section class="panel" aria-labelledby="backup">
      <h3 id="backup">Copy of the ledger</h3>
      <p>
        The host copies its ledger as it is now into the data root. A whole backup, with all media and evidence, is{' '}
        <code>npm run media-study backup FOLDER</code>.
      </p>
      <button type="button" disabled={deed.state === 'busy'} onClick={take}>
        {deed.state === 'busy' ? 'Copying' : 'Copy the ledger'}
      </button>
      {deed.state === 'failed' && <Failed error={deed.error} />}
      {taken !== null && (
        <Facts
          of={[
            ['Copied to', <span class="mono">{taken.folder}</span>],
            ['Up to commit', taken.commit],
            ['Format', taken.format],
          ]}
        />
      )}
    </section>
  );
}
