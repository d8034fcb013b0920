import test, { type ExecutionContext } from 'ava';
import { type OwnedIngestList, ownedIngests } from '../../../contract/ingest/owned-ingest.ts';
import { type Runtimes, runtimes } from '../../../contract/study/runtimes.ts';
import type { HostContract } from './contract.ts';
import { ingestRequest, ingests, openIngest, statusOf } from './ingest-steps.ts';
import { followed, runtimeOf, sampleRow, startStudy, studyRequest } from './study-steps.ts';

const none = 'runtime-list-of-nobody';

/** The lists of studies and of ingests, newest first. */
export function lists(contract: HostContract): void {
  const listed = async (t: ExecutionContext, query = ''): Promise<Runtimes> =>
    contract.granted(t, await contract.get(`/v1/runtimes${query}`), 200, runtimes);

  const listedIngests = async (t: ExecutionContext, query = ''): Promise<OwnedIngestList> =>
    contract.granted(t, await contract.get(`${ingests}${query}`), 200, ownedIngests);

  async function started(t: ExecutionContext, startMs: number): Promise<string> {
    const request = studyRequest(await sampleRow(t, contract), { range: { startMs, endMs: startMs + 600 } });
    return (await startStudy(t, contract, request)).runtimeId;
  }

  test.serial(contract.title('studies are listed with where they stand, newest first'), async (t) => {
    await contract.gate.close();
    const ids = [await started(t, 6000), await started(t, 6001), await started(t, 6002)];
    const [row] = (await listed(t, '?limit=1')).runtimes;
    const { commandId, lifecycle, acceptedAt, lastTransitionAt, sourceSessionId } = await runtimeOf(
      t,
      contract,
      ids[2] ?? '',
    );
    t.like(row, { runtimeId: ids[2], commandId, lifecycle, acceptedAt, lastTransitionAt, sourceSessionId });
    t.like(row, {
      label: 'Reading room (sample)',
      range: { startMs: 6002, endMs: 6602 },
      reason: null,
      terminal: false,
    });
    t.deepEqual(
      (await listed(t)).runtimes.slice(0, 3).map(({ runtimeId }) => runtimeId),
      ids.toReversed(),
    );
    await contract.gate.open();
    for (const runtimeId of ids) await followed(t, contract, runtimeId);
    t.like((await listed(t, '?limit=1')).runtimes[0], { runtimeId: ids[2], lifecycle: 'terminal', terminal: true });
  });

  test.serial(contract.title('a list is read page by page, and what comes meanwhile moves no page'), async (t) => {
    const all = (await listed(t, '?limit=200')).runtimes.map(({ runtimeId }) => runtimeId);
    const paged: string[] = [];
    let page = await listed(t, '?limit=2');
    const newest = await started(t, 6100);
    for (;;) {
      paged.push(...page.runtimes.map(({ runtimeId }) => runtimeId));
      if (page.nextCursor === null) break;
      page = await listed(t, `?limit=2&after=${encodeURIComponent(page.nextCursor)}`);
    }
    t.deepEqual(paged, all);
    t.is(new Set(paged).size, paged.length);
    t.is((await listed(t, '?limit=1')).runtimes[0]?.runtimeId, newest);
    await followed(t, contract, newest);
  });

  test.serial(
    contract.title('a list has only the studies of a source, a lifecycle or a label that is asked for'),
    async (t) => {
      const { sourceSessionId } = await sampleRow(t, contract);
      const all = (await listed(t, '?limit=200')).runtimes;
      const ofSource = (await listed(t, `?limit=200&source=${encodeURIComponent(sourceSessionId)}`)).runtimes;
      t.deepEqual(
        ofSource,
        all.filter((row) => row.sourceSessionId === sourceSessionId),
      );
      t.deepEqual(
        (await listed(t, '?limit=200&lifecycle=interrupted')).runtimes,
        all.filter(({ lifecycle }) => lifecycle === 'interrupted'),
      );
      const label = 'Reading room (sample)';
      t.deepEqual(
        (await listed(t, `?limit=200&label=${encodeURIComponent(label)}`)).runtimes,
        all.filter((row) => row.label === label),
      );
      t.deepEqual((await listed(t, '?label=none')).runtimes, []);
      contract.refused(t, await contract.get(`/v1/runtimes?source=${none}`), 'unknown_source_session');
      contract.refused(t, await contract.get('/v1/runtimes?lifecycle=done'), 'invalid_filter');
      contract.refused(t, await contract.get('/v1/runtimes?after=1'), 'invalid_cursor');
      contract.refused(t, await contract.get('/v1/runtimes?limit=0'), 'invalid_cursor');
      contract.refused(t, await contract.get('/v1/runtimes?limit=201'), 'invalid_limit');
    },
  );

  test.serial(
    contract.title('ingests are listed with what they were opened with, newest first, page by page'),
    async (t) => {
      const first = await openIngest(t, contract, ingestRequest(5, { label: 'The first', filename: 'first.mp4' }));
      const second = await openIngest(t, contract, ingestRequest(6, { label: 'The second' }));
      const page = await listedIngests(t, '?limit=1');
      t.like(page.ingests[0], { ingestId: second, label: 'The second', declaredBytes: 6, status: 'queued' });
      const [row] = (await listedIngests(t, `?limit=1&after=${encodeURIComponent(page.nextCursor ?? '')}`)).ingests;
      const { schema: _, ...status } = await statusOf(t, contract, first);
      t.like(row, { ...status, label: 'The first', filename: 'first.mp4', declaredBytes: 5 });
      for (const ingestId of [first, second]) await contract.post(`${ingests}/${ingestId}/cancellations`, {});
      contract.refused(t, await contract.get(`${ingests}?after=x`), 'invalid_cursor');
    },
  );

  test.serial(contract.title('the lists are the same after the host was killed'), async (t) => {
    const before = [await listed(t), await listedIngests(t)];
    await contract.kill();
    await contract.start();
    t.deepEqual([await listed(t), await listedIngests(t)], before);
  });
}
