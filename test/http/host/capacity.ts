import test from 'ava';
import { openIngestLimit } from '../../../actors/owned-ingests.ts';
import type { HostContract } from './contract.ts';
import { ingestRequest, ingests, openIngest, statusOf } from './ingest-steps.ts';

/** How many ingests may be open at once. */
export function capacity(contract: HostContract): void {
  test.serial(contract.title('no more ingests are open than may be, however many are asked for at once'), async (t) => {
    const known = await Promise.all(contract.opened.map((ingestId) => statusOf(t, contract, ingestId)));
    const room = openIngestLimit - known.filter(({ status }) => status === 'queued').length;
    const asked = Array.from({ length: openIngestLimit + 60 }, () => contract.post(ingests, ingestRequest(5)));
    const answers = await Promise.all(asked);
    t.is(answers.filter(({ status }) => status === 202).length, room);
    for (const answer of answers.filter(({ status }) => status !== 202)) {
      contract.refused(t, answer, 'ingest_capacity');
    }
    const opened = answers.find(({ status }) => status === 202)?.body.toString() ?? '';
    await contract.post(`${ingests}/${JSON.parse(opened).ingestId}/cancellations`, {});
    await openIngest(t, contract, ingestRequest(5));
    contract.refused(t, await contract.post(ingests, ingestRequest(5)), 'ingest_capacity');
  });
}
