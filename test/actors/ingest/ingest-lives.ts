import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { IngestSealing } from '../../../actors/ingest/ingest-sealing.ts';
import { openOwnedIngests } from '../../../actors/ingest/owned/owned-ingests.ts';
import { notedParts } from '../../../actors/ingest/owned/uploads.ts';
import { SourceRegistry } from '../../../actors/sources/source-registry.ts';
import { UnusedMedia } from '../../../actors/sources/unused-media.ts';
import { ProgressBoard } from '../../../actors/supervision/progress-board.ts';
import { recover } from '../../../actors/supervision/recovery.ts';
import { WorkQueue } from '../../../actors/supervision/work-queue.ts';
import type { ProbeResult } from '../../../contract/sources/media-probe.ts';
import type { ResolvedTool } from '../../../executors/process/tools.ts';
import type { IncomingFile, ObjectStore } from '../../../storage/objects/object-store.ts';
import { openObjectStore } from '../../../storage/objects/open-object-store.ts';
import { clipIngest } from '../../receipts/sources/sealed-clip.ts';
import { openScratchLedger, scratchFolder, startOfTest } from '../../storage/ledger/scratch.ts';
import { openSupervisor } from '../supervision/bench.ts';
import { SimulatedClock } from '../supervision/simulated-clock.ts';

const media = Buffer.from('bytes that the probe believes');

/** A step under way: it ends when the test says so. */
export interface Step<Request, Result> {
  readonly request: Request;
  readonly signal: AbortSignal;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Performs a step until the test ends it, or its ingest ends. */
export const step =
  <Request, Result>(steps: Step<Request, Result>[]) =>
  (request: Request, signal: AbortSignal): Promise<Result> =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      steps.push({ request, signal, resolve, reject });
    });

/** Waits until something is so; a test that waits in vain times out. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 2));
}

export const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((e) => e.isFile()).map(({ name }) => name);

/** The base of ingests of both kinds in one life: a store of their own, and a probe that ends on command of the test. */
export async function openStores(
  t: ExecutionContext,
  root: string,
  objectStore: ObjectStore,
  { now, workers, probeTools }: { now: number; workers: number; probeTools: readonly ResolvedTool['identity'][] },
) {
  const clock = new SimulatedClock(now);
  const opened = openSupervisor(t, await openScratchLedger(t, join(root, 'ledger'), { clock }), clock);
  const { ledger, supervisor, report, close } = opened;
  const swept = await objectStore.sweep(await notedParts(ledger));
  const registry = new SourceRegistry();
  await registry.load(ledger);
  const queue = new WorkQueue(workers, (id) => void supervisor.send(id, { type: 'worker.granted' }));
  const isRegistered = (contentId: string) => registry.holds(contentId);
  const unused = new UnusedMedia({ ledger, objectStore, isRegistered, report });
  await unused.load();
  const progress = new ProgressBoard({ clock, elapsed: clock.elapsed, report });
  const probings: Step<string, ProbeResult>[] = [];
  const given = { ledger, objectStore, registry, unused, progress };
  const sealing = new IngestSealing({ ...given, probe: step(probings), probeTools });
  let ids = (await ledger.list('snapshot')).length;
  const newId = () => {
    ids += 1;
    return `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
  };
  return {
    /** Arguments of the services of both kinds. */
    given: { ...given, supervisor, sealing, clock, queue, newId },
    /** Takes up what the life before left. */
    begin: async (resumeUploads: () => Promise<unknown> = async () => undefined) => {
      const recovered = await recover(supervisor, ledger);
      await resumeUploads();
      await unused.remove();
      queue.open();
      return recovered;
    },
    /** Tools of a test of either kind. */
    life: {
      clock,
      ledger,
      registry,
      progress,
      swept,
      probings,
      close,
      until,
      put: (bytes: Uint8Array) => objectStore.put(bytes),
      objects: () => filesIn(join(root, 'objects')),
      inbox: () => filesIn(join(root, 'inbox')),
      notes: async () => (await ledger.list('record', 'unused/')).length,
    },
    report,
  };
}

/** Waits until an ingest reaches the expected state. */
export const reaching =
  <Status extends { readonly status: string }>(service: { status(ingestId: string): Status }) =>
  async (ingestId: string, status: string): Promise<Status> => {
    await until(() => service.status(ingestId).status === status);
    return service.status(ingestId);
  };

/** One life of the ingests of owned media. */
export async function openLife(t: ExecutionContext, root: string, now = startOfTest) {
  let pause = (): Promise<void> => Promise.resolve();
  const objectStore = withPause(await openObjectStore({ root }), () => pause());
  const { given, begin, life, report } = await openStores(t, root, objectStore, {
    now,
    workers: 2,
    probeTools: clipIngest.tools,
  });
  const service = openOwnedIngests({ ...given, report, maximumBytes: () => 1_000_000 });
  const recovered = await begin(() => service.resumeUploads());
  const beginUpload = (ingestId: string) => {
    const { part, answered } = service.beginUpload(ingestId, () => undefined);
    part.connect({ pause: () => undefined, resume: () => undefined });
    part.chunk(media);
    return {
      part,
      end: () => {
        part.end();
        return answered;
      },
    };
  };
  return {
    ...life,
    recovered,
    /** Runs between the storing of received media and the notice to its ingest. */
    onceStored: (run: () => Promise<void>) => {
      pause = run;
    },
    media,
    service,
    begin: beginUpload,
    open: async (label = 'A clip') => {
      const rights = { rightsScope: 'local_processing', ownershipAttested: true, rightsHolder: 'Its owner' };
      return (await service.open({ filename: 'clip.mp4', declaredBytes: media.length, label, ...rights })).ingestId;
    },
    send: (ingestId: string) => beginUpload(ingestId).end(),
    reaches: reaching(service),
    /** Waits until a number of probes have begun. */
    probed: (number: number) => until(() => life.probings.length >= number),
    /** Waits until there are so many objects, and nothing in the inbox. */
    holds: async (objects: number) => {
      await until(async () => (await life.objects()).length === objects && (await life.inbox()).length === 0);
      t.deepEqual(await life.inbox(), []);
    },
    uploadNotes: async () => (await life.ledger.list('record', 'upload/')).length,
  };
}

/** The same over a new store. */
export const newLife = async (t: ExecutionContext) => openLife(t, await scratchFolder(t));

/** The real object store, with a pause between the storing of received media and the notice to its sender. */
const withPause = (objectStore: ObjectStore, pause: () => Promise<void>): ObjectStore =>
  new Proxy(objectStore, {
    get: (target, name) => {
      if (name === 'receive') {
        return (given: string): IncomingFile => {
          const file = target.receive(given);
          const finish = file.finish.bind(file);
          return Object.assign(file, {
            finish: async (...wanted: Parameters<typeof finish>) => {
              const stored = await finish(...wanted);
              await pause();
              return stored;
            },
          });
        };
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
