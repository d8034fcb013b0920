import { availableParallelism } from 'node:os';
import { knownVideoHosts, type VideoHostsOptions } from '../../actors/ingest/videohost/video-hosts.ts';
import { type CaptionAllowance, longestCaptions } from '../../contract/captions/caption-production.ts';
import { givenReviewerLabel } from '../../contract/review.ts';
import { forecastEstimators } from '../../contract/study/forecast.ts';
import { defaultCaptionAllowance } from '../../receipts/captions/allowance.ts';
import { StartError } from '../failures.ts';
import { dataRootFlag } from './data-root.ts';
import {
  captionFlags,
  chosenCaptionExecutor,
  explainerFlags,
  explainerModel,
  recognizerFlags,
  recognizerFlagsOf,
  responseFormatFlag,
  screenTextFlags,
  screenTextOf,
  secondRunFlag,
  secondRunOf,
} from './engines.ts';
import {
  absolutePath,
  type Flag,
  type FlagTable,
  type GivenFlags,
  integer,
  oneOf,
  parseFlags,
  path,
  repeatable,
  single,
  text,
  toggle,
  valuesOf,
} from './flags.ts';
import { logFormat, workQueueFlags, workQueueOf } from './worker-options.ts';

// Settings that name places of this machine or open it to others: a holder of a token of the host must not change them.
const network = { setting: { room: 'network', change: 'command_line' } } as const;
const sources = { setting: { room: 'sources', change: 'command_line' } } as const;
const limit = { setting: { room: 'limits', change: 'at_once' } } as const;
const capacity = { setting: { room: 'limits', change: 'restart' } } as const;
const reviewers = { setting: { room: 'reviewer', change: 'restart' } } as const;
const output = { setting: { room: 'output', change: 'restart' } } as const;

/** The flags of video-host ingests that depend on one another. */
const videohostFlags = {
  videohost: {
    ...network,
    ...repeatable(
      'HOST=EXTRACTOR',
      null,
      "one more host for video ingests, with yt-dlp's name of the one extractor that may look at it",
    ),
  },
  'videohost-origin': {
    ...network,
    ...single('ORIGIN', null, 'an origin on this machine in the place of a video host, such as http://127.0.0.1:4000'),
  },
  'allow-loopback-videohost': {
    ...network,
    ...toggle('requires --videohost-origin; opens that one origin, and nothing else on this machine'),
  },
} satisfies FlagTable;

const hostName = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const extractorName = /^[a-z0-9][a-z0-9:._-]{0,79}$/;

/** Words with which yt-dlp means many extractors, or one that looks at any page. */
const notOneExtractor = ['all', 'default', 'end', 'generic', 'html5'];

const refused = (message: string) => new StartError('invalid_flags', message);

/** Reads the flags of `videohostFlags`. Throws `StartError`. */
function videohostOptions(given: GivenFlags): VideoHostsOptions {
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

/** The default origins from which browsers may call the host. */
const usualOrigins = ['http://127.0.0.1:4321', 'http://localhost:4321'];

const unlimited = Number.MAX_SAFE_INTEGER;

/** Every option of the host; those with a `setting` may also be in its settings file. */
export const serveFlags = {
  host: {
    ...network,
    ...text(
      'ADDRESS',
      '127.0.0.1',
      '127.0.0.1, ::1 or localhost; there is no way to listen on anything else',
      demandLoopback,
    ),
  },
  port: {
    ...network,
    ...integer(
      'PORT',
      { preset: 4312, low: 0, high: 65_535, refusal: 'invalid_port' },
      '0 takes a free one, which the line on stdout names',
    ),
  },
  'allowed-origin': {
    ...network,
    ...repeatable(
      'ORIGIN',
      usualOrigins.join(' and '),
      "a web origin that may call the host, exactly as browsers send it; the host's own origins always may",
    ),
    read: originsOf,
  },
  'data-root': dataRootFlag(
    'where everything durable lies: a new or an empty folder, or one that a host has used; one host at a time, mode 0700',
  ),
  settings: path(
    'FILE',
    'settings.json in the data root, if it is there',
    'a file with settings: the names of these options with their values, as JSON with comments; an option that is given wins',
  ),
  'source-directory': {
    ...sources,
    ...repeatable('DIR', null, 'a sealed source folder, read in place beside the sample'),
  },
  'source-root': { ...sources, ...path('DIR', null, 'a folder in which every --source-directory must lie') },
  'token-file': {
    ...network,
    ...path(
      'FILE',
      null,
      'keeps the bearer token across starts: 64 hex digits, mode 0600; written when it is not there',
    ),
  },
  'maximum-owned-media-bytes': {
    ...limit,
    ...integer(
      'BYTES',
      { preset: 8_589_934_592, low: 1, high: unlimited, refusal: 'invalid_ingest_limit' },
      'largest file that an ingest may declare; the volume of the data root must have room for it and 256 MiB more',
    ),
  },
  'maximum-videohost-local-range-ms': {
    ...limit,
    ...integer(
      'MS',
      { preset: 120_000, low: 1, high: unlimited, refusal: 'invalid_ingest_limit' },
      'longest range of a video that an ingest may ask for',
    ),
  },
  ...videohostFlags,
  'videohost-workers': {
    ...capacity,
    ...integer('NUMBER', { preset: 1, low: 1, high: 16 }, 'ranges that are fetched at once'),
  },
  'maximum-study-range-ms': {
    ...limit,
    ...integer('MS', { preset: 600_000, low: 1, high: unlimited }, 'longest range of a study'),
  },
  'forecast-estimator': {
    ...capacity,
    ...oneOf(
      'NAME',
      forecastEstimators,
      'deterministic-floor: plans state the least work; host-calibrated: also the time that it is expected to take, from finished operations of this host, once there are five like them',
    ),
  },
  'study-workers': {
    ...capacity,
    ...integer(
      'NUMBER',
      { preset: availableParallelism(), presetWords: 'the number of cores', low: 1, high: 256 },
      'studies that run at once, and probes beside them; the rest waits in order',
    ),
  },
  'maximum-live-studies': {
    ...limit,
    ...integer(
      'NUMBER',
      { preset: 1000, low: 1, high: 100_000 },
      'studies that may run and wait at once; more are refused with 429',
    ),
  },
  'reviewer-id': {
    ...reviewers,
    ...text('ID', 'reviewer:local-operator', 'the one reviewer of this host', demandReviewerId),
  },
  'reviewer-label': {
    ...reviewers,
    ...text('TEXT', 'Local review operator', "that reviewer's name for people", demandReviewerLabel),
  },
  'http-adapter': { ...network, ...oneOf('NAME', ['auto', 'uws', 'node'], 'auto, uws or node') },
  'log-format': { ...output, ...logFormat('host') },
  'model-server': {
    setting: { room: 'captions', change: 'restart' },
    ...single(
      'URL',
      'OPENAI_BASE_URL of the environment',
      'the server behind the interface of OpenAI that executors with a model ask, such as http://127.0.0.1:11434/v1; its key is OPENAI_API_KEY of the environment',
    ),
  },
  executor: { ...output, ...oneOf('NAME', ['deterministic'], 'deterministic; no other value yet') },
  ...workQueueFlags,
  ...captionFlags,
  'maximum-caption-range-ms': captionLimit(
    'MS',
    'maxDurationMs',
    (low, high) => `longest study that captions are made of, from ${low} up to ${high}`,
  ),
  'maximum-caption-lines': captionLimit(
    'NUMBER',
    'maxLines',
    (low, high) =>
      `most lines of captions, from ${low} up to ${high}; every ${low} lines may take the time and have the text that ${low} have without this option`,
  ),
  ...recognizerFlags,
  ...responseFormatFlag,
  ...secondRunFlag,
  ...screenTextFlags,
  ...explainerFlags,
} satisfies FlagTable;

/** A limit of captions that may be raised, and not lowered. */
function captionLimit(
  value: string,
  limited: keyof CaptionAllowance,
  help: (low: number, high: number) => string,
): Flag<number> {
  const [low, high] = [defaultCaptionAllowance[limited], longestCaptions[limited]];
  return {
    setting: { room: 'captions', change: 'at_once' },
    ...integer(value, { preset: low, low, high }, help(low, high)),
  };
}

function demandLoopback(host: string): void {
  if (['127.0.0.1', '::1', 'localhost'].includes(host)) return;
  throw new StartError('non_loopback_bind_rejected', `--host ${host}: only 127.0.0.1, ::1 and localhost`);
}

export type ServeOptions = ReturnType<typeof serveOptions>;

/** Reads the flags of `serve`. Throws `StartError` with the closed start-up codes. */
export const serveOptions = (args: readonly string[]) => optionsOf(parseFlags(args, serveFlags));

/** The environment of a host, with the model server that its options name. */
export const environmentOf = (
  { modelServer }: Pick<ServeOptions, 'modelServer'>,
  environment: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv => (modelServer === null ? environment : { ...environment, OPENAI_BASE_URL: modelServer });

/** The options of a host, of what was given for it. Throws `StartError` with the closed start-up codes. */
export function optionsOf(given: GivenFlags) {
  const options = valuesOf(given, serveFlags);
  const recognizer = recognizerFlagsOf(given);
  return {
    host: options.host,
    port: options.port,
    allowedOrigins: options['allowed-origin'],
    dataRoot: options['data-root'],
    sourceDirectories: options['source-directory'].map(absolutePath),
    sourceRoot: options['source-root'],
    tokenFile: options['token-file'],
    limits: {
      maximumOwnedMediaBytes: options['maximum-owned-media-bytes'],
      maximumVideohostRangeMs: options['maximum-videohost-local-range-ms'],
      maximumStudyRangeMs: options['maximum-study-range-ms'],
      maximumLiveStudies: options['maximum-live-studies'],
      captionAllowance: {
        maxDurationMs: options['maximum-caption-range-ms'],
        maxLines: options['maximum-caption-lines'],
      },
    },
    videohost: { ...videohostOptions(given), workers: options['videohost-workers'] },
    forecastEstimator: options['forecast-estimator'],
    studyWorkers: options['study-workers'],
    reviewer: { id: options['reviewer-id'], label: options['reviewer-label'] },
    workQueue: workQueueOf(given),
    captionExecutor: chosenCaptionExecutor(given),
    recognizer,
    recognizesTwice: secondRunOf(given, recognizer),
    screenText: screenTextOf(given),
    explainerModel: explainerModel(given),
    modelServer: options['model-server'] ?? null,
    httpAdapter: options['http-adapter'],
    logFormat: options['log-format'],
  };
}

function originsOf(given: GivenFlags, name: string): readonly string[] {
  const values = given.all(name);
  for (const value of values) {
    if (value.includes('*')) throw new StartError('wildcard_origin_rejected', `--${name} ${value}: no wildcards`);
    if (!isOrigin(value)) throw new StartError('invalid_origin', `--${name} ${value}: not an http(s) origin`);
  }
  return values.length === 0 ? usualOrigins : values;
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return ['http:', 'https:'].includes(url.protocol) && url.origin === text;
}

function demandReviewerId(id: string, name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._:-]{0,159}$/.test(id)) return;
  throw new StartError('invalid_reviewer', `--${name} ${id}: not an identity`);
}

function demandReviewerLabel(label: string, name: string): void {
  if (givenReviewerLabel.safeParse(label).success) return;
  throw new StartError(
    'invalid_reviewer',
    `--${name}: 1 to 80 trimmed characters on one line, without control characters or changes of direction`,
  );
}
