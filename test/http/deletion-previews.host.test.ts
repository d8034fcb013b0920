import test from 'ava';
import { deletionPreview, deletionReceipt } from '../../contract/deletion.ts';
import { sourceSessionList } from '../../contract/sources/source-session.ts';
import { TestHost } from '../host/test-host.ts';

test('a preview of a deletion is its receipt or its refusal, and changes nothing', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const runtime = `/v1/runtimes/${host.known.studies.oneSecond}`;
  const previewed = host.granted(t, await host.get(`${runtime}/deletion-preview`), 200, deletionPreview);
  t.deepEqual(host.granted(t, await host.get(`${runtime}/deletion-preview`), 200, deletionPreview), previewed);
  const receipt = host.granted(t, await host.ask('DELETE', runtime), 200, deletionReceipt);
  t.deepEqual([previewed.deleted, previewed.erased], [receipt.deleted, receipt.erased]);
  host.refused(t, await host.get(`${runtime}/deletion-preview`), 'runtime_deleted');
  host.refused(t, await host.get(`/v1/runtimes/runtime:${'0'.repeat(64)}/deletion-preview`), 'unknown_runtime');

  const { sourceSessions: rows } = host.granted(t, await host.get('/v1/source-sessions'), 200, sourceSessionList);
  const own = rows.find(({ rightsScope }) => rightsScope !== 'redistribution')?.sourceSessionId ?? '';
  const sample = rows.find(({ rightsScope }) => rightsScope === 'redistribution')?.sourceSessionId ?? '';
  host.refused(t, await host.get(`/v1/source-sessions/${sample}/deletion-preview`), 'source_read_in_place');
  const source = `/v1/source-sessions/${own}`;
  t.is(host.granted(t, await host.get(`${source}/deletion-preview`), 200, deletionPreview).deleted.kind, 'source');
  host.granted(t, await host.ask('DELETE', source), 200, deletionReceipt);
  host.refused(t, await host.get(`${source}/deletion-preview`), 'source_deleted');
});
