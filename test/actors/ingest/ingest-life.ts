import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { IngestSealing } from '../../../actors/ingest/ingest-sealing.ts';
import { openOwnedIngests } from '../../../actors/ingest/owned/open-owned-ingests.ts';
import { notedParts } from '../../../actors/ingest/owned/upload-notes.ts';
import { SourceRegistry } from '../../../actors/sources/source-registry.ts';
import { UnusedMedia } from '../../../actors/sources/unused-media.ts';
import { ProgressBoard } from '../../../actors/supervision/progress-board.ts';
import { recover } from '../../../actors/supervision/recovery.ts';
import { Supervisor } from '../../../actors/supervision/supervisor.ts';
import { TimeBudgets } from '../../../actors/supervision/time-budgets.ts';
import { WorkQueue } from '../../../actors/supervision/work-queue.ts';
import type { ProbeResult } from '../../../contract/sources/probe-result.ts';
import type { ObjectStore, Receiving } from '../../../storage/objects/object-store.ts';
import { openObjectStore } from '../../../storage/objects/open-object-store.ts';
import { clipIngest } from '../../receipts/sources/sealed-clip.ts';
import { openScratchLedger, startOfTest } from '../../storage/ledger/scratch.ts';
import { GatedLedger } from '../supervision/gated-ledger.ts';
import { SimulatedClock } from '../supervision/simulated-clock.ts';

const media = Buffer.from('bytes that the probe believes');

/** A probe under way: it ends when the test says so. */
interface Probing {
  readonly signal: AbortSignal;
  resolve(result: ProbeResult): void;
  reject(error: Error): void;
}

/** One life of the ingests over a store of their own, with a probe that ends when the test says so. */
export async function openLife(t: ExecutionContext, root: string, now = startOfTest) {
  const clock = new SimulatedClock(now);
  let pause = (): Promise<void> => Promise.resolve();
  const objectStore = withPause(await openObjectStore({ root }), () => pause());
  const ledger = new GatedLedger(await openScratchLedger(t, join(root, 'ledger'), { clock }));
  await objectStore.sweep(await notedParts(ledger));
  const registry = new SourceRegistry();
  await registry.load(ledger);
  const budgets = new TimeBudgets(clock);
  const fatal = (error: Error) => t.fail(error.message);
  const report = (line: string) => t.log(line);
  const supervisor = new Supervisor({ ledger, clock, elapsed: clock.elapsed, budgets, fatal, report });
  const queue = new WorkQueue(2, (id) => void supervisor.send(id, { type: 'worker.granted' }));
  const probings: Probing[] = [];
  let ids = (await ledger.list('snapshot')).length;
  const unused = new UnusedMedia({
    ledger,
    objectStore,
    isRegistered: (contentId) => registry.holds(contentId),
    report,
  });
  await unused.load();
  const progress = new ProgressBoard({ clock, elapsed: clock.elapsed, report });
  const sealing = new IngestSealing({
    ledger,
    objectStore,
    registry,
    unused,
    progress,
    probe: (_, signal) => new Promise((resolve, reject) => probings.push({ signal, resolve, reject })),
    probeTools: clipIngest.tools,
  });
  const service = openOwnedIngests({
    ledger,
    objectStore,
    registry,
    supervisor,
    sealing,
    unused,
    progress,
    clock,
    queue,
    newId: () => {
      ids += 1;
      return `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
    },
    report,
    maximumBytes: 1_000_000,
  });
  await recover(supervisor, ledger);
  await service.resumeUploads();
  await unused.remove();
  queue.open();
  const close = async () => {
    supervisor.stop();
    await ledger.close();
  };
  t.teardown(close);
  const begin = (ingestId: string) => {
    const upload = service.beginUpload(ingestId, () => undefined);
    upload.connect({ pause: () => undefined, resume: () => undefined });
    upload.chunk(media);
    return upload;
  };
  return {
    /** Runs between the storing of received media and the moment at which its ingest hears of it. */
    onceStored: (run: () => Promise<void>) => {
      pause = run;
    },
    media,
    clock,
    service,
    registry,
    probings,
    close,
    begin,
    open: async (label = 'A clip') => {
      const body = {
        filename: 'clip.mp4',
        declaredBytes: media.length,
        rightsScope: 'local_processing',
        ownershipAttested: true,
        label,
        rightsHolder: 'Its owner',
      };
      return (await service.open(body)).ingestId;
    },
    send: (ingestId: string) => begin(ingestId).end(),
    /** Waits until an ingest stands where it is expected; a test that waits in vain times out. */
    reaches: async (ingestId: string, status: string) => {
      while (service.status(ingestId).status !== status) await new Promise((resolve) => setTimeout(resolve, 2));
      return service.status(ingestId);
    },
    /** Waits until a number of probes have begun. */
    probed: async (number: number) => {
      while (probings.length < number) await new Promise((resolve) => setTimeout(resolve, 2));
    },
    /** Waits until the files under the data root are as many as expected. */
    holds: async (objects: number) => {
      const isSo = async () => {
        const stored = await filesIn(join(root, 'objects'));
        return stored.length === objects && (await filesIn(join(root, 'inbox'))).length === 0;
      };
      while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 2));
      t.deepEqual(await filesIn(join(root, 'inbox')), []);
    },
    uploadNotes: async () => (await ledger.list('record', 'upload/')).length,
    notes: async () => (await ledger.list('record', 'unused/')).length,
  };
}

/** The real object store, with a pause between the storing of received media and the moment at which its sender hears of it. */
const withPause = (objectStore: ObjectStore, pause: () => Promise<void>): ObjectStore =>
  new Proxy(objectStore, {
    get: (target, name) => {
      if (name === 'receive') {
        return async (...file: Parameters<ObjectStore['receive']>): Promise<Receiving> => {
          const receiving = await target.receive(...file);
          const finish = async () => {
            const stored = await receiving.finish();
            await pause();
            return stored;
          };
          return { ...receiving, finish };
        };
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((e) => e.isFile()).map(({ name }) => name);
