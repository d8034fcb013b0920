import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { IngestSealing } from '../../../../actors/ingest/ingest-sealing.ts';
import { openVideohostIngests } from '../../../../actors/ingest/videohost/open-videohost-ingests.ts';
import { VideoHosts } from '../../../../actors/ingest/videohost/video-hosts.ts';
import { SourceRegistry } from '../../../../actors/sources/source-registry.ts';
import { UnusedMedia } from '../../../../actors/sources/unused-media.ts';
import { ProgressBoard } from '../../../../actors/supervision/progress-board.ts';
import { recover } from '../../../../actors/supervision/recovery.ts';
import { Supervisor } from '../../../../actors/supervision/supervisor.ts';
import { TimeBudgets } from '../../../../actors/supervision/time-budgets.ts';
import { WorkQueue } from '../../../../actors/supervision/work-queue.ts';
import type { ProbeResult } from '../../../../contract/sources/probe-result.ts';
import type { ResolvedVideo } from '../../../../contract/sources/videohost-resolution.ts';
import type { DownloadedRange, DownloadRequest, ResolveRequest } from '../../../../executors/videohost/video-host.ts';
import { openObjectStore } from '../../../../storage/objects/open-object-store.ts';
import { mediaBytes, videoIngest } from '../../../receipts/sources/sealed-clip.ts';
import { openScratchLedger, startOfTest } from '../../../storage/ledger/scratch.ts';
import { GatedLedger } from '../../supervision/gated-ledger.ts';
import { SimulatedClock } from '../../supervision/simulated-clock.ts';

/** A step under way: it ends when the test says so. */
interface Step<Request, Result> {
  readonly request: Request;
  readonly signal: AbortSignal;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface LifeOptions {
  /** Without it there is no downloader in this life. */
  readonly canFetch?: boolean;
  readonly remark?: string | null;
  readonly workers?: number;
  /** Hosts beside those that are always known. */
  readonly added?: Readonly<Record<string, string>>;
  readonly freeBytes?: number;
}

const { claim, tools } = videoIngest;

/** One life of the video-host ingests over a store of their own, with a host and a downloader that do as the test says. */
export async function openVideohostLife(t: ExecutionContext, root: string, options: LifeOptions = {}) {
  const clock = new SimulatedClock(startOfTest);
  const moments = new Map<string, () => void>();
  const objectStore = await openObjectStore({ root, points: (name) => moments.get(name)?.() });
  const { freeBytes } = options;
  if (freeBytes !== undefined) objectStore.freeBytes = () => Promise.resolve(freeBytes);
  const ledger = new GatedLedger(await openScratchLedger(t, join(root, 'ledger'), { clock }));
  const swept = await objectStore.sweep();
  const registry = new SourceRegistry();
  await registry.load(ledger);
  const report = (line: string) => t.log(line);
  const fatal = (error: Error) => t.fail(error.message);
  const supervisor = new Supervisor({
    ledger,
    clock,
    elapsed: clock.elapsed,
    budgets: new TimeBudgets(clock),
    fatal,
    report,
  });
  const queue = new WorkQueue(options.workers ?? 1, (id) => void supervisor.send(id, { type: 'worker.granted' }));
  const resolvings: Step<ResolveRequest, ResolvedVideo>[] = [];
  const downloads: Step<DownloadRequest, DownloadedRange>[] = [];
  const probings: Step<string, ProbeResult>[] = [];
  const step =
    <Request, Result>(steps: Step<Request, Result>[]) =>
    (request: Request, signal: AbortSignal): Promise<Result> =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        steps.push({ request, signal, resolve, reject });
      });
  const unused = new UnusedMedia({
    ledger,
    objectStore,
    isRegistered: (contentId) => registry.holds(contentId),
    report,
  });
  await unused.load();
  let ids = (await ledger.list('snapshot')).length;
  const progress = new ProgressBoard({ clock, elapsed: clock.elapsed, report });
  progress.follow(supervisor, ledger);
  const service = openVideohostIngests({
    ledger,
    objectStore,
    registry,
    supervisor,
    unused,
    progress,
    clock,
    queue,
    sealing: new IngestSealing({
      ...{ ledger, objectStore, registry, unused, progress },
      probe: step(probings),
      probeTools: tools,
    }),
    newId: () => {
      ids += 1;
      return `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
    },
    hosts: new VideoHosts({ added: options.added ?? {}, openOrigin: null }),
    fetching:
      options.canFetch === false
        ? null
        : {
            resolve: step(resolvings),
            download: step(downloads),
            resolver: claim.tool,
            downloaders: claim.downloadTools,
          },
    remark: options.remark ?? null,
    workFolder: join(root, 'work'),
    maximumRangeMs: 120_000,
  });
  await recover(supervisor, ledger);
  await unused.remove();
  queue.open();
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    supervisor.stop();
    await ledger.close();
  };
  t.teardown(close);
  const until = async (holds: () => boolean | Promise<boolean>) => {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  const open = async (others: object = {}) => {
    const body = { localProcessingConfirmed: true, startMs: 9000, endMs: 13_000, url: claim.requestedUrl, ...others };
    return (await service.open(body)).ingestId;
  };
  const begun = (steps: readonly unknown[], number: number) => until(() => steps.length >= number);
  const fetched = async (number: number, bytes: Buffer): Promise<DownloadedRange> => {
    const folder = downloads[number]?.request.folder ?? '';
    await mkdir(folder, { mode: 0o700 });
    await writeFile(join(folder, 'range.mp4'), bytes);
    return { path: join(folder, 'range.mp4'), bytes: bytes.length };
  };
  return {
    clock,
    ledger,
    service,
    progress,
    registry,
    swept,
    /** Does something as soon as the object store has come to this point. */
    at: (point: string, run: () => void) => void moments.set(point, run),
    resolvings,
    downloads,
    probings,
    close,
    until,
    open,
    /** Waits until an ingest stands where it is expected; a test that waits in vain times out. */
    reaches: async (ingestId: string, status: string) => {
      await until(() => service.status(ingestId).status === status);
      return service.status(ingestId);
    },
    /** Waits until a number of steps of a kind have begun. */
    begun,
    /** Writes the file that a download is to hand over. */
    fetched,
    /** Leads the first ingest of a life to the end of its download. */
    toProbe: async () => {
      const ingestId = await open();
      await begun(resolvings, 1);
      resolvings[0]?.resolve(claim.resolved);
      await begun(downloads, 1);
      downloads[0]?.resolve(await fetched(0, mediaBytes));
      await begun(probings, 1);
      return ingestId;
    },
    objects: () => filesIn(join(root, 'objects')),
    work: () => filesIn(join(root, 'work')),
    notes: async () => (await ledger.list('record', 'unused/')).length,
  };
}

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((e) => e.isFile()).map(({ name }) => name);
