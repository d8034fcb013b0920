import type { ToolIdentity } from '../../../contract/base/artifact.ts';
import { cutText } from '../../../contract/base/grammar.ts';
import { videohostUrlUnits } from '../../../contract/ingest.ts';
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
import type { VideoAddress } from '../../../executors/videohost/ytdlp-command.ts';
import { ObjectStoreError } from '../../../storage/objects/object-store-error.ts';

/** yt-dlp itself begins to warn of its age after 90 days. */
const oldAfterDays = 90;
const dayMs = 24 * 60 * 60 * 1000;

/** Says that a tool whose version begins with its date is old; null while it is not. `now` in epoch ms. */
export function ageNote({ name, version }: ToolIdentity, now: number): string | null {
  const [, year, month, day] = /^(\d{4})\.(\d{2})\.(\d{2})/.exec(version) ?? [];
  if (year === undefined) return null;
  const days = Math.floor((now - Date.UTC(Number(year), Number(month) - 1, Number(day))) / dayMs);
  return days > oldAfterDays
    ? `${name} ${version} is ${days.toLocaleString('en')} days old; install a newer one, because video hosts change`
    : null;
}

/** The hosts that are always known, each with yt-dlp's name of the one extractor that may look at its pages. */
export const knownVideoHosts: Readonly<Record<string, string>> = {
  'youtube.com': 'youtube',
  'www.youtube.com': 'youtube',
  'm.youtube.com': 'youtube',
  'youtu.be': 'youtube',
};

export interface VideoHostsOptions {
  /** More hosts, by name. */
  readonly added: Readonly<Record<string, string>>;
  /** One origin on this machine in the place of a video host, such as `http://127.0.0.1:4000`; else null. */
  readonly openOrigin: string | null;
}

/** The closed table of the hosts from which ranges may be fetched. */
export class VideoHosts {
  readonly #extractors: ReadonlyMap<string, string>;
  readonly #openOrigin: string | null;

  constructor({ added, openOrigin }: VideoHostsOptions) {
    this.#extractors = new Map([...Object.entries(added), ...Object.entries(knownVideoHosts)]);
    this.#openOrigin = openOrigin;
  }

  /** An address as the host uses it, or in a few words why it is refused. */
  addressOf(text: string): VideoAddress | { readonly refused: string } {
    // All readers of addresses agree on a text without spaces, backslashes and control characters.
    const [, scheme, authority] = /^(https?):\/\/([^/?#\\\s]+)[^\\\s\p{Cc}]*$/iu.exec(text) ?? [];
    if (scheme === undefined || authority === undefined || !URL.canParse(text))
      return { refused: 'does not begin with https://' };
    const url = new URL(text);
    // It names a place in a document, and yt-dlp takes orders from it: which headers to send, which proxy to leave out.
    url.hash = '';
    const { href, hostname, host, origin, protocol } = url;
    if (href.length > videohostUrlUnits) return { refused: `must not be longer than ${videohostUrlUnits} characters` };
    if (origin === this.#openOrigin && authority === host) return { url: href, extractor: 'generic' };
    if (protocol !== 'https:') return { refused: 'must be https' };
    if (authority.toLowerCase() !== hostname) return { refused: 'must name a host without credentials and port' };
    const extractor = this.#extractors.get(hostname);
    return extractor === undefined ? { refused: 'is not at one of the known video hosts' } : { url: href, extractor };
  }
}

/** The downloader as the ingests see it. Both steps reject with `VideoHostFailure`. */
export interface VideoFetching {
  resolve(request: ResolveRequest, signal: AbortSignal): Promise<ResolvedVideo>;
  download(request: DownloadRequest, signal: AbortSignal): Promise<DownloadedRange>;
  /** The tool that resolves. */
  readonly resolver: ToolIdentity;
  /** The tools that fetch and cut. */
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

/** The system's code in an error of the object store or of a call; null for any other error. */
function systemCodeOf(error: unknown): string | null {
  const refused = error instanceof ObjectStoreError ? error.cause : error;
  if (refused instanceof Error && 'syscall' in refused && 'code' in refused) return String(refused.code);
  return error instanceof ObjectStoreError ? error.code : null;
}
