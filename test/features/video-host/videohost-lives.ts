import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { ResolvedVideo } from '../../../contract/sources/videohost-resolution.ts';
import type {
  DownloadedRange,
  DownloadRequest,
  ResolveRequest,
} from '../../../features/video-host/engine/video-host.ts';
import { openVideohostIngests } from '../../../features/video-host/ingests.ts';
import { VideoHosts } from '../../../features/video-host/known-hosts.ts';
import { openObjectStore } from '../../../storage/objects/open-object-store.ts';
import { filesIn, openStores, reaching, type Step, step, until } from '../../actors/ingest/ingest-lives.ts';
import { mediaBytes, videoIngest } from '../../receipts/sources/sealed-clip.ts';
import { scratchFolder, startOfTest } from '../../storage/ledger/scratch.ts';

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

/** One life of the video-host ingests, with a host and a downloader that do as the test says. */
export async function openVideohostLife(t: ExecutionContext, root: string, options: LifeOptions = {}) {
  const moments = new Map<string, () => void>();
  const objectStore = await openObjectStore({ root, points: (name) => moments.get(name)?.() });
  const { freeBytes, workers = 1, canFetch = true, remark = null, added = {} } = options;
  if (freeBytes !== undefined) objectStore.freeBytes = () => Promise.resolve(freeBytes);
  const { given, begin, life } = await openStores(t, root, objectStore, {
    now: startOfTest,
    workers,
    probeTools: tools,
  });
  const { ledger, progress, probings } = life;
  progress.follow(given.supervisor, ledger);
  const resolvings: Step<ResolveRequest, ResolvedVideo>[] = [];
  const downloads: Step<DownloadRequest, DownloadedRange>[] = [];
  const fetching = {
    resolve: step(resolvings),
    download: step(downloads),
    resolver: claim.tool,
    downloaders: claim.downloadTools,
  };
  const service = openVideohostIngests({
    ...given,
    hosts: new VideoHosts({ added, openOrigin: null }),
    fetching: canFetch ? fetching : null,
    remark,
    workFolder: join(root, 'work'),
    maximumRangeMs: () => 120_000,
  });
  await begin();
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
  /** Opens the nth ingest of a life and leads it to its download. */
  const toDownload = async (number = 0) => {
    const ingestId = await open();
    await begun(resolvings, number + 1);
    resolvings[number]?.resolve(claim.resolved);
    await begun(downloads, number + 1);
    return ingestId;
  };
  return {
    ...life,
    service,
    /** Does something as soon as the object store has come to this point. */
    at: (point: string, run: () => void) => void moments.set(point, run),
    resolvings,
    downloads,
    open,
    reaches: reaching(service),
    /** Waits until a number of steps of a kind have begun. */
    begun,
    /** Writes the file that a download is to hand over. */
    fetched,
    toDownload,
    /** Opens the nth ingest of a life and leads it to the end of its download. */
    toProbe: async (number = 0) => {
      const ingestId = await toDownload(number);
      downloads[number]?.resolve(await fetched(number, mediaBytes));
      await begun(probings, number + 1);
      return ingestId;
    },
    work: () => filesIn(join(root, 'work')),
    /** Waits until neither media nor a note of it is left. */
    leavesNothing: () => until(async () => (await life.objects()).length === 0 && (await life.notes()) === 0),
  };
}

/** The same over a new store. */
export const newVideohostLife = async (t: ExecutionContext, options?: LifeOptions) =>
  openVideohostLife(t, await scratchFolder(t), options);
