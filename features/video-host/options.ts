import { StartError } from '../../options/failures.ts';
import { type FlagTable, type GivenFlags, integer, repeatable, single, toggle, valuesOf } from '../../options/flags.ts';
import { option, type StartText, worded } from '../../options/start-text.ts';
import { knownVideoHosts, type VideoHostsOptions } from './known-hosts.ts';

// They name places outside the host: a holder of a token of the host must not change them.
const network = { setting: { room: 'network', change: 'command_line' } } as const;

/** The longest range by default, in milliseconds. */
export const usualRangeMs = 120_000;

/** The flags of video hosts. */
export const videohostFlags = {
  'maximum-videohost-local-range-ms': {
    setting: { room: 'limits', change: 'at_once' },
    ...integer(
      'MS',
      { preset: usualRangeMs, low: 1, high: Number.MAX_SAFE_INTEGER, refusal: 'invalid_ingest_limit' },
      'longest range of a video that an ingest may request',
    ),
  },
  videohost: {
    ...network,
    ...repeatable(
      'HOST=EXTRACTOR',
      null,
      "another video host to accept, and yt-dlp's name of the one extractor for its pages, such as vimeo.com=vimeo",
    ),
  },
  'videohost-origin': {
    ...network,
    ...single('ORIGIN', null, 'an origin on this machine to use as a video host, such as http://127.0.0.1:4000'),
  },
  'allow-loopback-videohost': {
    ...network,
    ...toggle('requires --videohost-origin; opens that one origin, and nothing else on this machine'),
  },
  'videohost-workers': {
    setting: { room: 'limits', change: 'restart' },
    ...integer('NUMBER', { preset: 1, low: 1, high: 16 }, 'how many ranges of videos are fetched at the same time'),
  },
} satisfies FlagTable;

const hostName = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const extractorName = /^[a-z0-9][a-z0-9:._-]{0,79}$/;

/** Words with which yt-dlp means many extractors, or one that looks at any page. */
const notOneExtractor = ['all', 'default', 'end', 'generic', 'html5'];

const refused = (message: string | StartText) => new StartError('invalid_flags', message);

/** The settings of a host for video hosts. */
export interface VideohostOptions extends VideoHostsOptions {
  /** The longest range that an ingest may request. */
  readonly maximumRangeMs: number;
  /** How many ranges are fetched at once. */
  readonly workers: number;
}

/** Reads the flags of video hosts. Throws `StartError` unless they agree. */
export function videohostOptions(given: GivenFlags): VideohostOptions {
  const values = valuesOf(given, videohostFlags);
  return {
    added: addedHosts(values.videohost),
    openOrigin: openOrigin(values['videohost-origin'] ?? null, values['allow-loopback-videohost']),
    maximumRangeMs: values['maximum-videohost-local-range-ms'],
    workers: values['videohost-workers'],
  };
}

function addedHosts(texts: readonly string[]): VideohostOptions['added'] {
  const added: Record<string, string> = {};
  for (const text of texts) {
    const [host = '', extractor = '', ...rest] = text.toLowerCase().split('=');
    if (rest.length > 0 || !hostName.test(host))
      throw refused(worded`${option('videohost')} ${text}: HOST=EXTRACTOR is needed`);
    if (!extractorName.test(extractor) || notOneExtractor.includes(extractor)) {
      throw refused(worded`${option('videohost')} ${text}: not the name of one extractor of yt-dlp`);
    }
    if (Object.hasOwn(added, host) || Object.hasOwn(knownVideoHosts, host)) {
      throw refused(worded`${option('videohost')} ${text}: ${host} is known already`);
    }
    added[host] = extractor;
  }
  return added;
}

function openOrigin(origin: string | null, isAllowed: boolean): string | null {
  if ((origin !== null) !== isAllowed) {
    throw refused(
      worded`${option('videohost-origin')} and ${option('allow-loopback-videohost')} are given together or not at all`,
    );
  }
  if (origin === null) return null;
  const isPlain = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):\d{1,5}$/.test(origin);
  if (!isPlain || !URL.canParse(origin) || new URL(origin).origin !== origin) {
    throw refused(
      worded`${option('videohost-origin')} ${origin}: http://127.0.0.1:PORT or http://[::1]:PORT is needed`,
    );
  }
  return origin;
}
