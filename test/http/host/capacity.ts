import test from 'ava';
import { openIngestLimit } from '../../../actors/ingest/ingest-service.ts';
import { ownedIngests } from '../../../contract/ingest/owned-ingest.ts';
import type { HostContract } from './contract.ts';
import { ingestRequest, ingests, openIngest } from './ingest-steps.ts';

/** How many ingests may be open at once. */
export function capacity(contract: HostContract): void {
  test.serial(contract.title('no more ingests are open than may be, however many are asked for at once'), async (t) => {
    const known = contract.granted(t, await contract.get(`${ingests}?limit=200`), 200, ownedIngests);
    const room = openIngestLimit - known.ingests.filter(({ status }) => status === 'queued').length;
    const post = (times: number) =>
      Promise.all(Array.from({ length: times }, () => contract.post(ingests, ingestRequest(5))));
    const all = await post(room - 1);
    t.true(all.every(({ status }) => status === 202));
    // They arrive together where there is room for one.
    const together = await post(30);
    t.is(together.filter(({ status }) => status === 202).length, 1);
    for (const answer of together) if (answer.status !== 202) contract.refused(t, answer, 'ingest_capacity');
    const opened = all[0]?.body.toString() ?? '';
    await contract.post(`${ingests}/${JSON.parse(opened).ingestId}/cancellations`, {});
    await openIngest(t, contract, ingestRequest(5));
    contract.refused(t, await contract.post(ingests, ingestRequest(5)), 'ingest_capacity');
  });
}
