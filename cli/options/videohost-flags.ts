import { knownVideoHosts, type VideoHostsOptions } from '../../actors/ingest/videohost/video-hosts.ts';
import { type FlagTable, type GivenFlags, repeated, single, toggle } from './flags.ts';
import { StartError } from './start-error.ts';

/** The flags of video-host ingests whose values are more than a number. */
export const videohostFlags: FlagTable = {
  videohost: repeated(
    'HOST=EXTRACTOR',
    null,
    "one more host for video ingests, with yt-dlp's name of the one extractor that may look at it",
  ),
  'videohost-origin': single(
    'ORIGIN',
    null,
    'an origin on this machine that stands in for a video host, such as http://127.0.0.1:4000',
  ),
  'allow-loopback-videohost': toggle(
    'must stand with --videohost-origin; opens that one origin, and nothing else on this machine',
  ),
};

const hostName = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const extractorName = /^[a-z0-9][a-z0-9:._-]{0,79}$/;

/** Words with which yt-dlp means many extractors, or one that looks at any page. */
const notOneExtractor = ['all', 'default', 'end', 'generic', 'html5'];

const refused = (message: string) => new StartError('invalid_flags', message);

/** Reads the flags of `videohostFlags`. Throws `StartError`. */
export function videohostOptions(given: GivenFlags): VideoHostsOptions {
  const added: Record<string, string> = {};
  for (const text of given.all('videohost')) {
    const [host = '', extractor = '', ...rest] = text.toLowerCase().split('=');
    if (rest.length > 0 || !hostName.test(host)) throw refused(`--videohost ${text}: HOST=EXTRACTOR is needed`);
    if (!extractorName.test(extractor) || notOneExtractor.includes(extractor)) {
      throw refused(`--videohost ${text}: not the name of one extractor of yt-dlp`);
    }
    if (Object.hasOwn(added, host) || Object.hasOwn(knownVideoHosts, host)) {
      throw refused(`--videohost ${text}: ${host} is known already`);
    }
    added[host] = extractor;
  }
  return { added, openOrigin: openOrigin(given) };
}

function openOrigin(given: GivenFlags): string | null {
  const origin = given.single('videohost-origin') ?? null;
  if ((origin !== null) !== given.has('allow-loopback-videohost')) {
    throw refused('--videohost-origin and --allow-loopback-videohost are given together or not at all');
  }
  if (origin === null) return null;
  const isPlain = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):\d{1,5}$/.test(origin);
  if (!isPlain || !URL.canParse(origin) || new URL(origin).origin !== origin) {
    throw refused(`--videohost-origin ${origin}: http://127.0.0.1:PORT or http://[::1]:PORT is needed`);
  }
  return origin;
}
