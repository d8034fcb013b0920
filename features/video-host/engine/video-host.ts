import { lookup } from 'node:dns/promises';
import { cutText, type Range } from '../../../contract/base/grammar.ts';
import type { videoFailures } from '../../../contract/causes/failures.ts';
import type { ResolvedVideo } from '../../../contract/sources/videohost-resolution.ts';
import type { Launcher, ProcessFailureCause } from '../../../executors/process/process.ts';
import type { ResolvedTool } from '../../../executors/process/tools.ts';

/** Answers the addresses of a host name, as text. Rejects when there are none. */
export type NameLookup = (hostName: string) => Promise<readonly string[]>;

/** The dependencies of both steps. */
export interface VideoHostDeps {
  readonly launcher: Launcher;
  readonly ytdlp: ResolvedTool;
  readonly ffmpeg: ResolvedTool;
  readonly ffprobe: ResolvedTool;
  /** Asked once for every connection; the address that is checked is the one that is connected to. */
  readonly lookup: NameLookup;
  /** The one origin that is reached although its address is not public, such as `http://127.0.0.1:4000`; else null. */
  readonly openOrigin: string | null;
  /**
   * True if the tools live in a network that holds the proxy alone. If not, an address or an answer could lead them past it, so
   * generic extraction and playlists are refused.
   */
  readonly ownNetwork: boolean;
  /** A new, unguessable text of letters and digits; what the tool shows to its own proxy. */
  newSecret(): string;
}

export interface ResolveRequest {
  /** http or https, checked by the caller. */
  readonly url: string;
  /** yt-dlp's name of the one extractor that may look at it; `generic` only for the open origin. */
  readonly extractor: string;
  /** For the metadata; 60 s unless given. Measuring a duration has 20 s of its own. */
  readonly wallMs?: number;
}

export interface DownloadRequest {
  readonly url: string;
  readonly extractor: string;
  readonly resolved: ResolvedVideo;
  /** Lies within the duration; the caller has checked that. */
  readonly range: Range;
  /** Absolute path. The leftovers of a killed host there are removed first; then it is made again with mode 0700. */
  readonly folder: string;
  readonly maximumBytes: number;
  readonly wallMs: number;
  onProgress(progress: DownloadProgress): void;
}

/** How far a download is: about `mediaMs` of the range have been written. Never goes backwards; the last one is exact. */
export interface DownloadProgress {
  readonly mediaMs: number;
  readonly bytes: number;
}

/** The folder holds this one file and belongs to the caller now. */
export interface DownloadedRange {
  readonly path: string;
  readonly bytes: number;
}

export type VideoHostFailureCause = (typeof videoFailures)[number] | ProcessFailureCause;

const MESSAGE_UNITS = 256;

/** The one way in which the video host fails. `message` begins with the cause word, has 1-256 characters, names no path. */
export class VideoHostFailure extends Error {
  readonly reason: VideoHostFailureCause;
  constructor(reason: VideoHostFailureCause, detail: string, cause?: unknown) {
    super(cutText(`${reason}: ${detail}`, MESSAGE_UNITS), { cause });
    this.name = 'VideoHostFailure';
    this.reason = reason;
  }
}

/**
 * Resolves a URL. The formats in the answer are those that a download takes. They are one with the picture (or the only sound),
 * then one for each language of sound that it lacks. Rejects with `VideoHostFailure`, and only with that; nothing runs any more
 * when it settles.
 */
export type ResolveVideo = (
  deps: VideoHostDeps,
  request: ResolveRequest,
  signal: AbortSignal,
) => Promise<ResolvedVideo>;

/**
 * Downloads exactly the range, cut at its bounds to one video frame and one audio frame (so it is re-encoded), as MP4.
 * Rejects with `VideoHostFailure`, and only with that; then nothing runs any more and the folder is gone.
 */
export type DownloadRange = (
  deps: VideoHostDeps,
  request: DownloadRequest,
  signal: AbortSignal,
) => Promise<DownloadedRange>;

/** Asks the system, as every other program of this user does; IPv4 first, because more networks carry it. */
export const lookupAddresses: NameLookup = async (hostName) => {
  const found = await lookup(hostName, { all: true, verbatim: false });
  return found.map(({ address }) => address);
};
