import { availableParallelism } from 'node:os';
import { knownVideoHosts, type VideoHostsOptions } from '../../actors/ingest/videohost/video-hosts.ts';
import { longestCaptions } from '../../contract/captions/caption-production.ts';
import { givenReviewerLabel, type Reviewer } from '../../contract/review.ts';
import { forecastEstimators } from '../../contract/study/forecast.ts';
import { defaultCaptionAllowance } from '../../receipts/captions/allowance.ts';
import { StartError } from '../failures.ts';
import { defaultDataRoot, defaultDataRootWords } from './data-root.ts';
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
  choice,
  type FlagTable,
  type GivenFlags,
  integer,
  parseFlags,
  pathOption,
  repeatable,
  single,
  toggle,
} from './flags.ts';
import { workQueueFlags, workQueueOf } from './worker-options.ts';

/** The flags of video-host ingests whose values are more than a number. */
const videohostFlags: FlagTable = {
  videohost: repeatable(
    'HOST=EXTRACTOR',
    null,
    "one more host for video ingests, with yt-dlp's name of the one extractor that may look at it",
  ),
  'videohost-origin': single(
    'ORIGIN',
    null,
    'an origin on this machine in the place of a video host, such as http://127.0.0.1:4000',
  ),
  'allow-loopback-videohost': toggle(
    'requires --videohost-origin; opens that one origin, and nothing else on this machine',
  ),
};

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

/** Every flag of the host. */
export const serveFlags: FlagTable = {
  host: single('ADDRESS', '127.0.0.1', '127.0.0.1, ::1 or localhost; there is no way to listen on anything else'),
  port: single('PORT', '4312', '0 takes a free one, which the line on stdout names'),
  'allowed-origin': repeatable(
    'ORIGIN',
    'http://127.0.0.1:4321 and http://localhost:4321',
    "a web origin that may call the host, exactly as browsers send it; the host's own origins always may",
  ),
  'data-root': single(
    'DIR',
    defaultDataRootWords,
    'where everything durable lies: a new or an empty folder, or one that a host has used; one host at a time, mode 0700',
  ),
  settings: single(
    'FILE',
    'settings.json in the data root, if it is there',
    'a file with settings: the names of these options with their values, as JSON with comments; an option that is given wins',
  ),
  'source-directory': repeatable('DIR', null, 'a sealed source folder, read in place beside the sample'),
  'source-root': single('DIR', null, 'a folder in which every --source-directory must lie'),
  'token-file': single(
    'FILE',
    null,
    'keeps the bearer token across starts: 64 hex digits, mode 0600; written when it is not there',
  ),
  'maximum-owned-media-bytes': single(
    'BYTES',
    '8589934592',
    'largest file that an ingest may declare; the volume of the data root must have room for it and 256 MiB more',
  ),
  'maximum-videohost-local-range-ms': single('MS', '120000', 'longest range of a video that an ingest may ask for'),
  ...videohostFlags,
  'videohost-workers': single('NUMBER', '1', 'ranges that are fetched at once'),
  'maximum-study-range-ms': single('MS', '600000', 'longest range of a study'),
  'forecast-estimator': single(
    'NAME',
    'deterministic-floor',
    'deterministic-floor: plans state the least work; host-calibrated: also the time that it is expected to take, from finished operations of this host, once there are five like them',
  ),
  'study-workers': single(
    'NUMBER',
    'the number of cores',
    'studies that run at once, and probes beside them; the rest waits in order',
  ),
  'maximum-live-studies': single('NUMBER', '1000', 'studies that may run and wait at once; more are refused with 429'),
  'reviewer-id': single('ID', 'reviewer:local-operator', 'the one reviewer of this host'),
  'reviewer-label': single('TEXT', 'Local review operator', "that reviewer's name for people"),
  'http-adapter': single('NAME', 'auto', 'auto, uws or node'),
  'log-format': single(
    'NAME',
    'text',
    'text or json: what the host says on stderr, as lines or as one JSON document a line',
  ),
  'model-server': single(
    'URL',
    'OPENAI_BASE_URL of the environment',
    'the server behind the interface of OpenAI that executors with a model ask, such as http://127.0.0.1:11434/v1; its key is OPENAI_API_KEY of the environment',
  ),
  executor: single('NAME', 'deterministic', 'deterministic; no other value yet'),
  ...workQueueFlags,
  ...captionFlags,
  'maximum-caption-range-ms': single(
    'MS',
    '120000',
    'longest study that captions are made of, from 120000 up to 14400000',
  ),
  'maximum-caption-lines': single(
    'NUMBER',
    '64',
    `most lines of captions, from 64 up to ${longestCaptions.maxLines}; every 64 lines may take the time and have the text that 64 have without this option`,
  ),
  ...recognizerFlags,
  ...responseFormatFlag,
  ...secondRunFlag,
  ...screenTextFlags,
  ...explainerFlags,
};

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
  const host = given.single('host') ?? '127.0.0.1';
  if (!['127.0.0.1', '::1', 'localhost'].includes(host)) {
    throw new StartError('non_loopback_bind_rejected', `--host ${host}: only 127.0.0.1, ::1 and localhost`);
  }
  choice(given, 'executor', ['deterministic']);
  const recognizer = recognizerFlagsOf(given);
  const studyWorkers = integer(given, 'study-workers', availableParallelism(), 1, 256, 'invalid_flags');
  return {
    host,
    port: integer(given, 'port', 4312, 0, 65_535, 'invalid_port'),
    allowedOrigins: origins(given),
    dataRoot: pathOption(given, 'data-root') ?? defaultDataRoot(),
    sourceDirectories: given.all('source-directory').map(absolutePath),
    sourceRoot: pathOption(given, 'source-root'),
    tokenFile: pathOption(given, 'token-file'),
    maximumOwnedMediaBytes: integer(
      given,
      'maximum-owned-media-bytes',
      8_589_934_592,
      1,
      maximum,
      'invalid_ingest_limit',
    ),
    maximumVideohostRangeMs: integer(
      given,
      'maximum-videohost-local-range-ms',
      120_000,
      1,
      maximum,
      'invalid_ingest_limit',
    ),
    videohost: videohostOptions(given),
    videohostWorkers: integer(given, 'videohost-workers', 1, 1, 16, 'invalid_flags'),
    maximumStudyRangeMs: integer(given, 'maximum-study-range-ms', 600_000, 1, maximum, 'invalid_flags'),
    forecastEstimator: choice(given, 'forecast-estimator', forecastEstimators),
    studyWorkers,
    maximumLiveStudies: integer(given, 'maximum-live-studies', 1000, 1, 100_000, 'invalid_flags'),
    reviewer: reviewer(given),
    workQueue: workQueueOf(given),
    captionExecutor: chosenCaptionExecutor(given),
    captionAllowance: {
      maxDurationMs: between(
        given,
        'maximum-caption-range-ms',
        defaultCaptionAllowance.maxDurationMs,
        longestCaptions.maxDurationMs,
      ),
      maxLines: between(given, 'maximum-caption-lines', defaultCaptionAllowance.maxLines, longestCaptions.maxLines),
    },
    recognizer,
    recognizesTwice: secondRunOf(given, recognizer),
    screenText: screenTextOf(given),
    explainerModel: explainerModel(given),
    modelServer: given.single('model-server') ?? null,
    httpAdapter: choice(given, 'http-adapter', ['auto', 'uws', 'node']),
    logFormat: choice(given, 'log-format', ['text', 'json']),
  };
}

const maximum = Number.MAX_SAFE_INTEGER;

/** A limit that may be raised, and not lowered. */
const between = (given: GivenFlags, name: string, preset: number, high: number): number =>
  integer(given, name, preset, preset, high, 'invalid_flags');

function origins(given: GivenFlags): readonly string[] {
  const values = given.all('allowed-origin');
  if (values.length === 0) return ['http://127.0.0.1:4321', 'http://localhost:4321'];
  for (const value of values) {
    if (value.includes('*'))
      throw new StartError('wildcard_origin_rejected', `--allowed-origin ${value}: no wildcards`);
    if (!isOrigin(value)) throw new StartError('invalid_origin', `--allowed-origin ${value}: not an http(s) origin`);
  }
  return values;
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return ['http:', 'https:'].includes(url.protocol) && url.origin === text;
}

function reviewer(given: GivenFlags): Reviewer {
  const id = given.single('reviewer-id') ?? 'reviewer:local-operator';
  const label = given.single('reviewer-label') ?? 'Local review operator';
  if (!/^[A-Za-z0-9][A-Za-z0-9._:-]{0,159}$/.test(id)) {
    throw new StartError('invalid_reviewer', `--reviewer-id ${id}: not an identity`);
  }
  if (!givenReviewerLabel.safeParse(label).success) {
    throw new StartError(
      'invalid_reviewer',
      '--reviewer-label: 1 to 80 trimmed characters on one line, without control characters or changes of direction',
    );
  }
  return { id, label };
}
