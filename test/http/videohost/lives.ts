import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { videohostIngests } from '../../../contract/ingest/videohost-ingest.ts';
import { sourceSessionList } from '../../../contract/sources/source-session-list.ts';
import { processesOf } from '../../crash/processes.ts';
import { eventually } from '../../patience.ts';
import type { HostContract } from '../host/contract.ts';
import { storedFiles } from '../host/ingest-steps.ts';
import { followed, startStudy, studyRequest } from '../host/study-steps.ts';
import { askRange, cancel, comesTo, rangeRequest, standing, videoIngests, workFolders, writes } from './steps.ts';

/** What becomes of ranges, with the real downloader and a video host on this machine. */
export function lives(contract: HostContract, origin: () => string): void {
  const address = (path: string) => `${origin()}${path}`;

  for (const form of ['/page.html', '/structured.html', '/media.mp4', '/hls/index.m3u8']) {
    test.serial(contract.title(`a range of ${form} becomes a source of exactly its length`), async (t) => {
      const ingestId = await askRange(t, contract, rangeRequest(address(form)));
      const { source, failure } = await comesTo(t, contract, ingestId);
      t.is(failure, null);
      t.like(source, { sourceKind: 'videohost_local', rightsScope: 'local_processing' });
      // One frame of the sample, which has 25 a second, or one of its sound.
      t.true(Math.abs((source?.durationMs ?? 0) - 4000) <= 60, `${source?.durationMs}`);
      const list = contract.granted(t, await contract.get('/v1/source-sessions'), 200, sourceSessionList);
      t.deepEqual(
        list.sourceSessions.find(({ sourceRevisionId }) => sourceRevisionId === source?.sourceRevisionId),
        source ?? undefined,
      );
      t.deepEqual(await workFolders(contract), []);
    });
  }

  test.serial(contract.title('what cannot be fetched ends with a closed reason, and leaves nothing'), async (t) => {
    const before = await storedFiles(contract);
    const rows: [path: string, code: string, message: RegExp, others?: object][] = [
      ['/nothing.mp4', 'resolution_failed', /^host_refused: .*404/],
      ['/bad/forbidden.mp4', 'resolution_failed', /^host_refused: .*403/],
      ['/bad/empty.html', 'resolution_failed', /^[a-z_]+: /],
      ['/bad/redirect?address=http://127.0.0.1:9/', 'resolution_failed', /^address_refused: /],
      ['/page.html', 'resolution_failed', /^range_past_end: /, { startMs: 48_000, endMs: 52_000 }],
    ];
    for (const [path, code, message, others] of rows) {
      const ingestId = await askRange(t, contract, rangeRequest(address(path), others));
      const { failure } = await comesTo(t, contract, ingestId);
      t.is(failure?.code, code, path);
      t.regex(failure?.message ?? '', message, path);
    }
    const page = contract.granted(t, await contract.get(`${videoIngests}?limit=2`), 200, videohostIngests);
    t.like(page.ingests[0], {
      url: address('/page.html'),
      range: { startMs: 48_000, endMs: 52_000 },
      status: 'failed',
    });
    t.is(page.ingests[1]?.url, address(rows[3]?.[0] ?? ''));
    t.deepEqual(await storedFiles(contract), before);
    t.deepEqual(await workFolders(contract), []);
  });

  test.serial(
    contract.title('a range can be given up while it waits and while it is fetched, and only once'),
    async (t) => {
      const before = await storedFiles(contract);
      await contract.gate.close();
      const first = await askRange(t, contract, rangeRequest(address('/page.html')));
      const second = await askRange(t, contract, rangeRequest(address('/page.html')));
      await comesTo(t, contract, first, ['downloading']);
      await writes(contract);
      t.is((await standing(t, contract, second)).status, 'queued');
      for (const ingestId of [second, first]) {
        const canceled = await cancel(t, contract, ingestId);
        t.like(canceled, { status: 'failed', failure: { code: 'canceled', message: 'canceled by the client' } });
        const again = await contract.post(`${videoIngests}/${ingestId}/cancellations`, {});
        contract.refused(t, again, 'ingest_already_terminal');
        t.deepEqual(await standing(t, contract, ingestId), canceled);
      }
      await t.notThrowsAsync(eventually('no folder', async () => (await workFolders(contract)).length === 0, 50));
      t.deepEqual(await storedFiles(contract), before);
      await contract.gate.open();
      const third = await askRange(t, contract, rangeRequest(address('/page.html')));
      t.is((await comesTo(t, contract, third)).status, 'registered');
    },
  );

  for (const how of ['stop', 'kill'] as const) {
    test.serial(contract.title(`after a ${how} in the middle of a download the range is fetched anew`), async (t) => {
      await contract.gate.close();
      const request = rangeRequest(address('/media.mp4'), { startMs: how === 'stop' ? 1000 : 500 });
      const ids = [await askRange(t, contract, request), await askRange(t, contract, request)];
      await comesTo(t, contract, ids[0] ?? '', ['downloading']);
      await writes(contract);
      const before = await Promise.all(ids.map((id) => standing(t, contract, id)));
      await contract[how]();
      await t.notThrowsAsync(eventually('nothing left', async () => (await left(contract)).length === 0, 50));
      await contract.start();
      if (how === 'kill') t.regex(contract.host.stderr, /^removed a leftover of an earlier run: work\/download-/m);
      t.deepEqual(await Promise.all(ids.map((id) => standing(t, contract, id))), before);
      await contract.gate.open();
      for (const ingestId of ids) t.is((await comesTo(t, contract, ingestId)).status, 'registered');
      t.deepEqual(await workFolders(contract), []);
      t.deepEqual(await readdir(join(contract.dataRoot, 'inbox')), []);
    });
  }

  test.serial(contract.title('a study over a range ends with evidence that reopens'), async (t) => {
    const ingestId = await askRange(t, contract, rangeRequest(address('/page.html')));
    const { source } = await comesTo(t, contract, ingestId);
    if (source === null) throw new Error('the range was not registered');
    const { runtimeId } = await startStudy(t, contract, studyRequest(source));
    const { last } = await followed(t, contract, runtimeId);
    t.like(last, { lifecycle: 'terminal', reason: null });
    t.is((await contract.get(`/v1/runtimes/${runtimeId}/evidence`)).status, 200);
  });
}

const left = async (contract: HostContract) => processesOf(contract.dataRoot);
