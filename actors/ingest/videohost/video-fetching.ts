import type { ToolIdentity } from '../../../contract/base/artifact.ts';
import { cutText } from '../../../contract/base/grammar.ts';
import type { ResolvedVideo } from '../../../contract/sources/videohost-resolution.ts';
import { downloadRange } from '../../../executors/videohost/download-range.ts';
import { resolveVideo } from '../../../executors/videohost/resolve-video.ts';
import {
  type DownloadedRange,
  type DownloadRequest,
  type ResolveRequest,
  type VideoHostDeps,
  VideoHostFailure,
} from '../../../executors/videohost/video-host.ts';
import { ObjectStoreError } from '../../../storage/objects/object-store-error.ts';

/** The downloader as the ingests see it. Both steps reject with `VideoHostFailure`. */
export interface VideoFetching {
  resolve(request: ResolveRequest, signal: AbortSignal): Promise<ResolvedVideo>;
  download(request: DownloadRequest, signal: AbortSignal): Promise<DownloadedRange>;
  /** Who resolves. */
  readonly resolver: ToolIdentity;
  /** Who fetches and cuts. */
  readonly downloaders: readonly ToolIdentity[];
}

/** The downloader with the tools that it is given. */
export const videoFetching = (deps: VideoHostDeps): VideoFetching => ({
  resolve: (request, signal) => resolveVideo(deps, request, signal),
  download: (request, signal) => downloadRange(deps, request, signal),
  resolver: deps.ytdlp.identity,
  downloaders: [deps.ytdlp.identity, deps.ffmpeg.identity],
});

const messageUnits = 256;

/** The error of a step with its closed word first, and a remark behind it that is never cut off. */
export function closedReason(error: unknown, remark: string | null): unknown {
  const systemCode = systemCodeOf(error);
  if (systemCode !== null) {
    return new Error(`storage_fault: the data root refused a file (${systemCode})`, { cause: error });
  }
  if (remark === null || !(error instanceof VideoHostFailure)) return error;
  const detail = error.message.slice(`${error.reason}: `.length);
  const room = messageUnits - `${error.reason}:  (${remark})`.length;
  return new VideoHostFailure(error.reason, `${cutText(detail, room)} (${remark})`, error);
}

/** What the file system said, of an error of the object store or of a call; null for any other. */
function systemCodeOf(error: unknown): string | null {
  const refused = error instanceof ObjectStoreError ? error.cause : error;
  if (refused instanceof Error && 'syscall' in refused && 'code' in refused) return String(refused.code);
  return error instanceof ObjectStoreError ? error.code : null;
}
