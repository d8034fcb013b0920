import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import { garbageCollection } from '../../contract/deletion.ts';
import { TestHost } from '../host/test-host.ts';
import { eventually } from '../patience.ts';
import { arrived, ingestRequest, ingests, octets, openIngest, reached } from './host/ingest-steps.ts';
import { humWav } from './host/media.ts';

const twoDaysMs = 2 * 24 * 60 * 60_000;

/** A clock that can be set forward while a host runs. */
function settableClock() {
  let aheadMs = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + aheadMs,
    setForward: (byMs: number) => {
      aheadMs += byMs;
    },
  };
}

async function collect(t: ExecutionContext, host: TestHost) {
  const answer = await host.post('/v1/garbage-collections', { dryRun: false });
  return host.granted(t, answer, 200, garbageCollection);
}

test('bug: with a clock two days ahead a collection removed the file of a stalled upload', async (t) => {
  const clock = settableClock();
  const host = await TestHost.open(t, { mediaTools: true, clock });
  const media = humWav(3);
  const ingestId = await openIngest(t, host, ingestRequest(media.length));
  const upload = host.request('PUT', `${ingests}/${ingestId}/media`, media.length, octets);
  upload.send(media.subarray(0, 1000));
  await arrived(host, ingestId);
  clock.setForward(twoDaysMs);
  const { removed, kept } = await collect(t, host);
  t.deepEqual([removed.inbox.files, kept.inbox.files], [0, 1]);
  upload.send(media.subarray(1000));
  t.is((await upload.answer()).status, 202);
  t.is((await reached(t, host, ingestId)).status, 'registered');
});

const tus = { 'Tus-Resumable': '1.0.0', 'Content-Type': 'application/offset+octet-stream' };

test('with a clock two days ahead a collection leaves the file of an upload in parts, at work or paused', async (t) => {
  const clock = settableClock();
  const host = await TestHost.open(t, { mediaTools: true, clock });
  const media = humWav(3);
  const ingestId = await openIngest(t, host, ingestRequest(media.length));
  const path = `${ingests}/${ingestId}/upload`;
  const part = host.request('PATCH', path, media.length, { ...tus, 'Upload-Offset': 0 });
  part.send(media.subarray(0, 1000));
  const kept = async () => {
    const found = await collect(t, host);
    t.is(found.removed.inbox.files, 0);
    return found.kept.inbox.files;
  };
  // No row counts these bytes yet.
  await eventually('the file of the part', async () => (await kept()) === 1, 5);
  clock.setForward(twoDaysMs);
  t.is(await kept(), 1);
  part.leave();
  const offset = async () => (await host.ask('HEAD', path, { headers: tus })).headers['upload-offset'];
  await eventually('the count of the bytes', async () => (await offset()) === '1000', 5);
  t.is(await kept(), 1);
  const rest = await host.ask('PATCH', path, {
    headers: { ...tus, 'Upload-Offset': 1000 },
    body: media.subarray(1000),
  });
  t.is(rest.status, 204);
  t.is((await reached(t, host, ingestId)).status, 'registered');
});
