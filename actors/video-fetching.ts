import type { ToolIdentity } from '../contract/tool.ts';
import type { ResolvedVideo } from '../contract/videohost-resolution.ts';
import { downloadRange } from '../executors/download-range.ts';
import { resolveVideo } from '../executors/resolve-video.ts';
import {
  type DownloadedRange,
  type DownloadRequest,
  type ResolveRequest,
  type VideoHostDeps,
  VideoHostFailure,
} from '../executors/video-host.ts';

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

/** What went wrong, with a remark behind it that is never cut off; nothing else about the failure changes. */
export function withRemark(error: unknown, remark: string | null): unknown {
  if (remark === null || !(error instanceof VideoHostFailure)) return error;
  const detail = error.message.slice(`${error.reason}: `.length);
  const room = messageUnits - `${error.reason}:  (${remark})`.length;
  return new VideoHostFailure(error.reason, `${detail.slice(0, room)} (${remark})`, error);
}
