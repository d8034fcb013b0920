import type { ProcessLimits } from '../../../executors/process/process.ts';
import { type VideoHostDeps, VideoHostFailure } from './video-host.ts';

/** An address that may be requested, in its one form for tools, and the one extractor that may open it. */
export interface VideoAddress {
  readonly url: string;
  readonly extractor: string;
}

// The extractors for any page with a video; their first word selects both.
const GENERIC = ['generic', 'html5'];

// yt-dlp reads the words of --use-extractors as patterns; these four would name many extractors at once.
const MANY = ['all', 'default', 'end', ...GENERIC];

const GIBIBYTE = 1024 ** 3;

/** The memory that one process may have to write to, in bytes, as `MEMORY_BYTES` counts it. */
export const YTDLP_MEMORY_BYTES = {
  /** Reading pages takes 60 MiB; a page that unpacks to hundreds of megabytes ends it. */
  resolve: GIBIBYTE,
  /** With the ffmpeg that it starts; encoding 4K again takes 1.2 GiB on two cores, and more on many. */
  download: 4 * GIBIBYTE,
} as const;

/** The protocols that ffmpeg and ffprobe may speak when they read from a host: http(s), and the proxy's own. */
const REMOTE_PROTOCOLS = 'http,https,tls,tcp,httpproxy,crypto,data';

// As for files.
const REMOTE_FORMATS = 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,flv,mpegts,mpeg,mp3,aac,ogg,flac,wav,ac3,eac3';

/**
 * Input options of ffmpeg and ffprobe for an address on a host. A silent host ends it after 15 s. A playlist may name segments by
 * `httpproxy:`, which ffmpeg needs for https and which connects anywhere. So HLS is allowed only if the network holds nothing
 * else to connect to.
 */
export const remoteInputOptions = ({ ownNetwork }: Pick<VideoHostDeps, 'ownNetwork'>): readonly string[] => [
  ...['-protocol_whitelist', REMOTE_PROTOCOLS],
  ...['-format_whitelist', ownNetwork ? `hls,${REMOTE_FORMATS}` : REMOTE_FORMATS],
  ...['-max_streams', '64', '-rw_timeout', '15000000'],
];

/**
 * The words that every call of yt-dlp begins with: nothing of this machine's configuration, one extractor, no list, no
 * pretence of another country, bounded patience. Throws `extractor_not_allowed`.
 */
export function ytdlpWords(
  address: VideoAddress,
  deps: Pick<VideoHostDeps, 'openOrigin' | 'ownNetwork' | 'ffmpeg'>,
): readonly string[] {
  return [
    ...['--ignore-config', '--no-cache-dir', '--no-cookies', '--no-cookies-from-browser', '--no-color'],
    ...['--no-playlist', '--no-mtime', '--no-geo-bypass', '--no-progress', '--fixup', 'never'],
    ...['--socket-timeout', '10', '--retries', '2', '--extractor-retries', '1', '--fragment-retries', '2'],
    ...['--use-extractors', extractorWords(address, deps), '--ffmpeg-location', deps.ffmpeg.path],
  ];
}

export function ytdlpLimits(wallMs: number, fileSizeBytes: number, memoryBytes: number): ProcessLimits {
  return {
    wallMs,
    cpuSeconds: Math.ceil(wallMs / 1000) * 8,
    fileSizeBytes,
    stdoutBytes: 16 * 1024 * 1024,
    stderrBytes: 1024 * 1024,
    memoryBytes,
  };
}

function extractorWords(
  { url, extractor }: VideoAddress,
  { openOrigin, ownNetwork }: Pick<VideoHostDeps, 'openOrigin' | 'ownNetwork'>,
): string {
  const name = extractor.toLowerCase();
  const isOpen = openOrigin !== null && URL.canParse(url) && new URL(url).origin === openOrigin;
  // A page can tell it to leave the proxy out; that leads nowhere in a network that holds nothing else.
  if (name === GENERIC[0] && isOpen && ownNetwork) return GENERIC.join(',');
  if (MANY.includes(name) || !/^[a-z0-9][a-z0-9:._-]*$/.test(name)) {
    throw new VideoHostFailure('extractor_not_allowed', 'no name of one extractor for one host');
  }
  return name;
}
