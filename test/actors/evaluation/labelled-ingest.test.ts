import { join } from 'node:path';
import test from 'ava';
import { type ItemIngests, ingestItem } from '../../../actors/evaluation/labelled-ingest.ts';
import { Upload } from '../../../actors/ingest/owned/upload.ts';
import { EvaluationFault } from '../../../contract/evaluation/evaluation-fault.ts';
import type { OwnedIngestStatus } from '../../../contract/ingest/owned-ingest.ts';
import { sampleMedia } from '../../../fixtures/sample/gold.ts';
import type { Receiving } from '../../../storage/objects/object-store.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';
import { briefItem, samplePack } from './labelled-packs.ts';

const queued: OwnedIngestStatus = {
  schema: 'studio.owned-media-ingest.v1',
  ingestId: 'owned-ingest:00000000-0000-4000-8000-000000000000',
  status: 'queued',
  updatedAt: '2026-01-02T03:04:05.671Z',
  source: null,
  failure: null,
};

/** A service whose disk takes one block and then no more; `told` hears what becomes of the upload. */
function stalledIngests(told: (event: 'written' | 'discarded' | 'released') => void): ItemIngests {
  const receiving: Receiving = {
    failure: null,
    write: () => {
      told('written');
      return false;
    },
    onDrain: () => undefined,
    finish: () => Promise.reject(new Error('the upload never ends')),
    discard: async () => told('discarded'),
  };
  const outcome = {
    received: () => Promise.reject(new Error('the upload never ends')),
    faulted: async () => undefined,
    arrived: () => undefined,
    released: () => told('released'),
  };
  return {
    open: async () => queued,
    status: () => queued,
    watch: () => () => undefined,
    beginUpload: (ingestId) => new Upload({ receive: async () => receiving }, ingestId, 1_000_000, outcome),
  };
}

const item = briefItem({ speech: [] });

test('an upload that is stopped on its way is given up, with the reason', async (t) => {
  const stop = new AbortController();
  const reason = new EvaluationFault('evaluation_stopped', 'a test');
  const events: string[] = [];
  const ingests = stalledIngests((event) => {
    events.push(event);
    if (event === 'written') stop.abort(reason);
  });
  t.is(await t.throwsAsync(ingestItem(ingests, samplePack, item, sampleMedia, stop.signal)), reason);
  t.deepEqual(events, ['written', 'discarded', 'released']);
});

test('a file that cannot be read any more gives its upload up', async (t) => {
  const events: string[] = [];
  const ingests = stalledIngests((event) => events.push(event));
  const gone = join(await scratchFolder(t), 'gone.mp4');
  const { signal } = new AbortController();
  await t.throwsAsync(ingestItem(ingests, samplePack, item, gone, signal), { code: 'ENOENT' });
  t.deepEqual(events, ['discarded', 'released']);
});
