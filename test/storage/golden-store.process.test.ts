import { cp } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { openHost } from '../../actors/host.ts';
import { ownedIngestStatus } from '../../contract/ingest.ts';
import { runtimeEvents } from '../../contract/journal.ts';
import { runtimeStatus } from '../../contract/study/status.ts';
import { endedIngest, goldenHost, sendMedia } from '../../fixtures/golden-store/contents.ts';
import names from '../../fixtures/golden-store/names.json' with { type: 'json' };
import { scratchFolder } from './ledger/scratch.ts';

const golden = fileURLToPath(new URL('../../fixtures/golden-store/format-1', import.meta.url));
const json = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString('utf8'));

test('this build opens a data root of format 1, reads all of it and goes on with what waits', async (t) => {
  const dataRoot = await scratchFolder(t);
  await cp(golden, dataRoot, { recursive: true });
  const reported: string[] = [];
  const host = await openHost({
    features: [],
    dataRoot,
    ...goldenHost,
    report: (line) => reported.push(line),
    onFatal: (error) => t.fail(error.message),
  });
  t.teardown(() => host.close());
  t.true(reported.includes('resumed 0 and queued 1 of an earlier run'), reported.join('\n'));

  const labels = host.sources.list().rows.map(({ label }) => label);
  t.deepEqual(labels, ['Golden clip']);
  t.is(ownedIngestStatus.parse(host.ownedIngests.status(names.ingestId)).status, 'registered');

  const status = runtimeStatus.parse(json((await host.studies.status(names.runtimeId)).bytes));
  t.is(status.lifecycle, 'terminal');
  const page = runtimeEvents.parse(json((await host.studies.events(names.runtimeId, 0, 200)).bytes));
  t.is(page.events.length, status.journalHead);
  t.true(page.reachedHead);
  const { evidence } = await host.audits.evidence(names.runtimeId, null);
  t.true(evidence.some(({ kind, state }) => kind === 'speech_activity' && state === 'available'));
  t.is((await host.audits.decisions(names.runtimeId)).decisions[0]?.outcome, 'proceed_to_publish_review');

  t.is(host.ownedIngests.status(names.waitingIngestId).status, 'queued');
  host.begin();
  await sendMedia(host, names.waitingIngestId, Buffer.from('hello'));
  t.is((await endedIngest(host, names.waitingIngestId)).failure?.code, 'probe_failed');
});
