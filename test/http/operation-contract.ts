import test from 'ava';
import { type AdapterFlag, HostContract } from './host/contract.ts';
import { planWarningsOfHost } from './host/plan-warnings.ts';
import { actorsOfHost } from './lifecycles/actors.ts';
import { chartsOfHost } from './lifecycles/charts.ts';
import { deletions } from './operation/deletions.ts';
import { health } from './operation/health.ts';
import { checksOfHost } from './operation/host-checks.ts';
import { metrics } from './operation/metrics.ts';
import { pairingOfPages } from './operation/pairings.ts';
import { snapshots } from './operation/snapshots.ts';

/** What whoever runs a host may ask of it, on one adapter. */
export function operationContract(adapter: AdapterFlag): void {
  const contract = new HostContract(adapter);
  test.before(() => contract.open());
  test.after.always(() => contract.close());
  health(contract);
  checksOfHost(contract);
  metrics(contract);
  snapshots(contract);
  pairingOfPages(contract);
  chartsOfHost(contract);
  deletions(contract);
  actorsOfHost(contract);
  planWarningsOfHost(contract);
}
