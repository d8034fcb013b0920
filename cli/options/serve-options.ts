import { availableParallelism } from 'node:os';
import { longestCaptions } from '../../contract/captions/long-captions.ts';
import { givenReviewerLabel, type Reviewer } from '../../contract/review/publish-review.ts';
import { forecastEstimators } from '../../contract/study/forecast.ts';
import { standingAllowance } from '../../receipts/captions/caption-allowance.ts';
import { captionExecutor } from './caption-executor.ts';
import { choice, integer } from './closed-values.ts';
import { defaultDataRoot } from './default-data-root.ts';
import { type GivenFlags, parseFlags } from './flags.ts';
import { explainerModel } from './language-explainer.ts';
import { absolutePath, pathOption } from './path-option.ts';
import { recognizerFlagsOf, secondRunOf } from './recognizer.ts';
import { screenTextOf } from './screen-text.ts';
import { serveFlags } from './serve-flags.ts';
import { StartError } from './start-error.ts';
import { videohostOptions } from './videohost-flags.ts';
import { workQueueOf } from './work-queue.ts';

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
    captionExecutor: captionExecutor(given),
    captionAllowance: {
      maxDurationMs: between(
        given,
        'maximum-caption-range-ms',
        standingAllowance.maxDurationMs,
        longestCaptions.maxDurationMs,
      ),
      maxLines: between(given, 'maximum-caption-lines', standingAllowance.maxLines, longestCaptions.maxLines),
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
