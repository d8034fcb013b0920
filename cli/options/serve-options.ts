import { availableParallelism } from 'node:os';
import { type EngineChoices, noEngines, noPermissions } from '../../actors/engines/engine-choices.ts';
import { type CaptionAllowance, longestCaptions } from '../../contract/captions/caption-production.ts';
import { givenReviewerLabel } from '../../contract/review.ts';
import { forecastEstimators } from '../../contract/study/forecast.ts';
import { withServer } from '../../executors/model-server/hosted-provider.ts';
import { type ConfiguredFeature, flagsOf, withEnginesOf } from '../../features/feature.ts';
import { features } from '../../features/features.ts';
import { isOriginOfProgram } from '../../http/exchange/guard.ts';
import { captionExecutorFlag, captionFlags, chosenCaptionExecutor } from '../../options/caption-executor.ts';
import { StartError } from '../../options/failures.ts';
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
  valuesOf,
} from '../../options/flags.ts';
import { logFormat } from '../../options/outputs.ts';
import { permissionFlags, permissionsOf } from '../../options/permissions.ts';
import { option, worded } from '../../options/start-text.ts';
import { defaultCaptionAllowance, isTranslating } from '../../receipts/captions/allowance.ts';
import { dataRootFlag } from './data-root.ts';

// Settings that name places of this machine or open it to others: a holder of a token of the host must not change them.
const network = { setting: { room: 'network', change: 'command_line' } } as const;
const sources = { setting: { room: 'sources', change: 'command_line' } } as const;
const limit = { setting: { room: 'limits', change: 'at_once' } } as const;
const capacity = { setting: { room: 'limits', change: 'restart' } } as const;
const reviewer = (change: 'at_once' | 'restart') => ({ setting: { room: 'reviewer', change } }) as const;
const output = { setting: { room: 'output', change: 'restart' } } as const;

/** The default origins from which browsers may call the host. */
const usualOrigins = ['http://127.0.0.1:4321', 'http://localhost:4321'];

const unlimited = Number.MAX_SAFE_INTEGER;

/** The options of the host that its features do not declare. */
const coreFlags = {
  host: {
    ...network,
    ...text(
      'ADDRESS',
      '127.0.0.1',
      'the address to listen on: 127.0.0.1, ::1 or localhost; no other is possible',
      demandLoopback,
    ),
  },
  port: {
    ...network,
    ...integer(
      'PORT',
      { preset: 4312, low: 0, high: 65_535, refusal: 'invalid_port' },
      'the port to listen on; 0 takes a free one, which the line on stdout names',
    ),
  },
  'allowed-origin': {
    ...network,
    ...repeatable(
      'ORIGIN',
      usualOrigins.join(' and '),
      "an origin that may call the host, exactly as browsers send it: of a page, or of a program such as tauri://localhost; the host's own origins always may",
    ),
    read: originsOf,
  },
  'data-root': dataRootFlag(
    'the folder for all durable data: new, empty, or used by a host before; mode 0700; one host uses it at a time',
  ),
  settings: path(
    'FILE',
    'settings.json in the data root, if it is there',
    'a file with values of these options, as JSON with comments; an option on the command line takes precedence',
  ),
  'source-directory': {
    ...sources,
    ...repeatable('DIR', null, 'a sealed source folder, read in place beside the sample'),
  },
  'source-root': { ...sources, ...path('DIR', null, 'a folder that must contain every --source-directory') },
  'token-file': {
    ...network,
    ...path(
      'FILE',
      null,
      'a file that keeps the bearer token across starts: 64 hex digits, mode 0600; the host writes it if it is missing',
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
  'maximum-study-range-ms': {
    ...limit,
    ...integer('MS', { preset: 600_000, low: 1, high: unlimited }, 'longest range of a study'),
  },
  'forecast-estimator': {
    ...capacity,
    ...oneOf(
      'NAME',
      forecastEstimators,
      'deterministic-floor: plans state the least work; host-calibrated: plans also estimate the time, once this host has finished five similar operations',
    ),
  },
  'study-workers': {
    ...capacity,
    ...integer(
      'NUMBER',
      { preset: availableParallelism(), presetWords: 'the number of cores', low: 1, high: 256 },
      'how many studies run at the same time, and as many probes beside them; the others wait in order',
    ),
  },
  'maximum-live-studies': {
    ...limit,
    ...integer(
      'NUMBER',
      { preset: 1000, low: 1, high: 100_000 },
      'how many studies may run or wait; the host refuses more with 429',
    ),
  },
  'reviewer-id': {
    // Reviews are bound to it.
    ...reviewer('restart'),
    ...text('ID', 'reviewer:local-operator', 'the one reviewer of this host', demandReviewerId),
  },
  'reviewer-label': {
    ...reviewer('at_once'),
    ...text('TEXT', 'Local review operator', 'the name of that reviewer, as people see it', demandReviewerLabel),
  },
  'http-adapter': {
    ...network,
    ...oneOf('NAME', ['auto', 'uws', 'node'], 'uws (uWebSockets.js), node (node:http), or auto'),
  },
  'log-format': { ...output, ...logFormat('host') },
  'start-line': oneOf(
    'WHEN',
    ['always', 'auto', 'never'],
    'when stdout gets the JSON line with address and token: always, never, or auto for not on a terminal',
  ),
  'model-server': {
    setting: { room: 'captions', change: 'at_once' },
    ...single(
      'URL',
      'OPENAI_BASE_URL of the environment',
      'the server of all executors with a model, with the interface of OpenAI, such as http://127.0.0.1:11434/v1; it gets the key OPENAI_API_KEY of the environment if it is outside this machine, or if OPENAI_BASE_URL names it, too',
    ),
  },
  executor: {
    ...output,
    ...oneOf('NAME', ['deterministic'], 'the executor of studies; deterministic is the only one'),
  },
  ...permissionFlags,
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
      `most lines of captions, from ${low} up to ${high}; the limits of time and text grow with every ${low} lines`,
  ),
} satisfies FlagTable;

/** Every option of the host; those with a `setting` may also be in its settings file. */
export const serveFlags: FlagTable = { ...coreFlags, ...flagsOf(features, ['engine', 'study', 'host']) };

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
  throw new StartError(
    'non_loopback_bind_rejected',
    worded`${option('host')} ${host}: only 127.0.0.1, ::1 and localhost`,
  );
}

export type ServeOptions = ReturnType<typeof serveOptions>;

/** Reads the flags of `serve`. Throws `StartError` with the closed start-up codes. */
export const serveOptions = (args: readonly string[]) => optionsOf(parseFlags(args, serveFlags));

/** The environment of a host, with the model server that its options name. */
export const environmentOf = (
  { modelServer }: Pick<ServeOptions, 'modelServer'>,
  environment: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv => (modelServer === null ? environment : withServer(environment, modelServer));

/**
 * The engines of a host and what they may do: those that its features name. Throws `StartError` for an executor of captions that needs
 * an engine which this program does not have.
 */
export function engineChoicesOf(
  { captionExecutor, permissions }: Pick<ServeOptions, 'captionExecutor' | 'permissions'>,
  configured: readonly Pick<ConfiguredFeature, 'engines'>[],
): EngineChoices {
  const { classification, subtitlesFirst = false, name } = captionExecutor;
  const captions = { classification, subtitlesFirst };
  const choices = withEnginesOf(configured, {
    ...noEngines,
    captions,
    permissions: { ...noPermissions, ...permissions },
  });
  if (!isTranslating(captionExecutor) || choices.translator !== null) return choices;
  throw new StartError(
    'executor_not_allowed',
    worded`${option(captionExecutorFlag)} ${name} needs a translator, and this program has none`,
  );
}

/**
 * The features of a host with what was given for them. `outer` is the environment without the model server of the options. Throws
 * `StartError`, never with a key in it.
 */
export function featuresOf(given: GivenFlags, outer: NodeJS.ProcessEnv): readonly ConfiguredFeature[] {
  const environment = environmentOf({ modelServer: given.single('model-server') ?? null }, outer);
  return features.flatMap((feature) => feature.options?.(given)(environment) ?? []);
}

/** The options of a host, of what was given for it. Throws `StartError` with the closed start-up codes. */
export function optionsOf(given: GivenFlags) {
  const options = valuesOf(given, coreFlags);
  // A fault in the options of a feature is found with those of the core.
  for (const feature of features) feature.options?.(given);
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
      maximumStudyRangeMs: options['maximum-study-range-ms'],
      maximumLiveStudies: options['maximum-live-studies'],
      captionAllowance: {
        maxDurationMs: options['maximum-caption-range-ms'],
        maxLines: options['maximum-caption-lines'],
      },
      // The default of these limits is for clients that know no method: a person who sets one means every production.
      methodAllowance: {
        maxDurationMs: given.has('maximum-caption-range-ms')
          ? options['maximum-caption-range-ms']
          : longestCaptions.maxDurationMs,
        maxLines: given.has('maximum-caption-lines') ? options['maximum-caption-lines'] : longestCaptions.maxLines,
      },
    },
    forecastEstimator: options['forecast-estimator'],
    studyWorkers: options['study-workers'],
    reviewer: { id: options['reviewer-id'], label: options['reviewer-label'] },
    captionExecutor: chosenCaptionExecutor(given),
    permissions: permissionsOf(given),
    modelServer: options['model-server'] ?? null,
    httpAdapter: options['http-adapter'],
    logFormat: options['log-format'],
    startLine: options['start-line'],
  };
}

function originsOf(given: GivenFlags, name: string): readonly string[] {
  const values = given.all(name);
  for (const value of values) {
    if (value.includes('*'))
      throw new StartError('wildcard_origin_rejected', worded`${option(name)} ${value}: no wildcards`);
    if (!isOrigin(value))
      throw new StartError(
        'invalid_origin',
        worded`${option(name)} ${value}: not an origin of http, https or a program with a scheme of its own`,
      );
  }
  return values.length === 0 ? usualOrigins : values;
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (['http:', 'https:'].includes(url.protocol) && url.origin === text) || isOriginOfProgram(text);
}

function demandReviewerId(id: string, name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._:-]{0,159}$/.test(id)) return;
  throw new StartError('invalid_reviewer', worded`${option(name)} ${id}: not an identity`);
}

function demandReviewerLabel(label: string, name: string): void {
  if (givenReviewerLabel.safeParse(label).success) return;
  throw new StartError(
    'invalid_reviewer',
    worded`${option(name)}: 1 to 80 trimmed characters on one line, without control characters or changes of direction`,
  );
}
