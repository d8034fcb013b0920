import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import test from 'ava';
import { evaluateOptions } from '../../cli/evaluate-options.ts';
import { serveOptions } from '../../cli/options/serve-options.ts';
import { type StartCode, startCodes } from '../../cli/options/start-codes.ts';
import { StartError } from '../../cli/options/start-error.ts';
import { verifyOptions } from '../../cli/options/verify-options.ts';

test('without flags a host listens on loopback alone, with the limits that the README states', (t) => {
  t.like(serveOptions([]), {
    host: '127.0.0.1',
    port: 4312,
    allowedOrigins: ['http://127.0.0.1:4321', 'http://localhost:4321'],
    sourceDirectories: [],
    sourceRoot: null,
    tokenFile: null,
    maximumOwnedMediaBytes: 8_589_934_592,
    maximumVideohostRangeMs: 120_000,
    videohost: { added: {}, openOrigin: null },
    videohostWorkers: 1,
    maximumStudyRangeMs: 600_000,
    forecastEstimator: 'deterministic-floor',
    maximumLiveStudies: 1000,
    reviewer: { id: 'reviewer:local-operator', label: 'Local review operator' },
    httpAdapter: 'auto',
    logFormat: 'text',
  });
});

test('flags replace what they name, and paths become absolute', (t) => {
  const folders = ['--data-root', 'data', '--source-directory', 'a', '--source-directory=/b', '--source-root', '.'];
  const limits = ['--maximum-owned-media-bytes', '5', '--maximum-study-range-ms=6', '--study-workers', '7'];
  const queue = ['--maximum-live-studies', '8', '--forecast-estimator', 'host-calibrated'];
  const people = ['--reviewer-id', 'r', '--reviewer-label', 'R R', '--token-file', 't'];
  const wire = ['--host', '::1', '--port', '0', '--allowed-origin', 'https://a.example', '--http-adapter', 'node'];
  const hosts = ['--videohost', 'Videos.example=Example:Video', '--videohost-workers', '2'];
  const seam = ['--videohost-origin=http://127.0.0.1:4000', '--allow-loopback-videohost'];
  const videos = [...hosts, ...seam];
  t.deepEqual(
    serveOptions([...folders, ...limits, ...queue, ...people, ...wire, ...videos, '--executor', 'deterministic']),
    {
      host: '::1',
      port: 0,
      allowedOrigins: ['https://a.example'],
      dataRoot: resolve('data'),
      sourceDirectories: [resolve('a'), '/b'],
      sourceRoot: resolve('.'),
      tokenFile: resolve('t'),
      maximumOwnedMediaBytes: 5,
      maximumVideohostRangeMs: 120_000,
      videohost: { added: { 'videos.example': 'example:video' }, openOrigin: 'http://127.0.0.1:4000' },
      videohostWorkers: 2,
      maximumStudyRangeMs: 6,
      forecastEstimator: 'host-calibrated',
      studyWorkers: 7,
      maximumLiveStudies: 8,
      reviewer: { id: 'r', label: 'R R' },
      captionExecutor: {
        classification: 'recorded_real_pipeline_fixture',
        permission: null,
        announced: 'recorded-real-pipeline-fixture-adapter',
        model: null,
        isAskedOnce: false,
      },
      captionAllowance: { maxDurationMs: 120_000, maxLines: 64 },
      workQueue: null,
      recognizer: null,
      recognizesTwice: false,
      screenText: null,
      explainerModel: null,
      httpAdapter: 'node',
      logFormat: 'text',
    },
  );
});

test('a leading ~/ is the home folder in every option that takes a path, also where a shell leaves it', (t) => {
  const options = serveOptions([
    ...['--data-root=~/study', '--source-directory=~/a', '--source-directory', '~/b/../c'],
    ...['--source-root=~', '--token-file=~/token'],
  ]);
  t.like(options, {
    dataRoot: join(homedir(), 'study'),
    sourceDirectories: [join(homedir(), 'a'), join(homedir(), 'c')],
    sourceRoot: homedir(),
    tokenFile: join(homedir(), 'token'),
  });
  t.is(serveOptions(['--data-root=~other/study']).dataRoot, resolve('~other/study'));
  t.is(serveOptions(['--data-root=./~/study']).dataRoot, resolve('~', 'study'));
  const paths = ['--baseline=~/b.json', '--receipts=~/r', '--data-root=~/d'];
  t.like(evaluateOptions(['~/pack', ...paths]), {
    pack: join(homedir(), 'pack'),
    baseline: join(homedir(), 'b.json'),
    receipts: join(homedir(), 'r'),
    dataRoot: join(homedir(), 'd'),
  });
  t.throws(() => verifyOptions(['runtime:x', '--data-root=~/no-data-here']), {
    message: new RegExp(`--data-root ${join(homedir(), 'no-data-here')}: `),
  });
});

const refusals: Partial<Record<StartCode, readonly string[]>> = {
  non_loopback_bind_rejected: ['--host=0.0.0.0', '--host=::', '--host=192.168.1.2', '--host=example.org'],
  invalid_port: ['--port=-1', '--port=65536', '--port=80a', '--port=1.5', '--port=0x50', '--port= 1'],
  wildcard_origin_rejected: ['--allowed-origin=*', '--allowed-origin=https://*.example.org'],
  invalid_origin: [
    '--allowed-origin=example.org',
    '--allowed-origin=null',
    '--allowed-origin=ftp://example.org',
    '--allowed-origin=file:///',
    '--allowed-origin=http://example.org/',
    '--allowed-origin=http://EXAMPLE.org',
    '--allowed-origin=http://example.org:80',
    '--allowed-origin=http://me@example.org',
  ],
  invalid_work_queue: [
    '--object-source=/srv/objects',
    '--work-queue=redis://127.0.0.1:6379',
    '--work-queue=127.0.0.1:6379',
    '--work-queue=http://127.0.0.1:6379',
    '--work-queue=redis:///0',
  ],
  invalid_ingest_limit: [
    '--maximum-owned-media-bytes=0',
    '--maximum-owned-media-bytes=9007199254740992',
    '--maximum-owned-media-bytes=1e9',
    '--maximum-videohost-local-range-ms=0',
  ],
  invalid_flags: [
    '--maximum-study-range-ms=0',
    '--study-workers=0',
    '--study-workers=257',
    '--maximum-live-studies=0',
    '--http-adapter=bun',
    '--executor=other',
    '--caption-executor=openai',
    '--semantic-recognizer=somebody',
    '--language-explanation-executor=other',
    '--unknown=1',
    '--videohost-workers=0',
    '--videohost-workers=17',
    '--videohost=videos.example',
    '--videohost==example',
    '--videohost=videos.example=',
    '--videohost=videos.example=a=b',
    '--videohost=videos.example=generic',
    '--videohost=videos.example=all',
    '--videohost=videos.example=-x',
    '--videohost=videos.example:443=example',
    '--videohost=https://videos.example=example',
    '--videohost=localhost=example',
    '--videohost=127.0.0.1=example',
    '--videohost=youtu.be=example',
    '--videohost-origin=http://127.0.0.1:4000',
    '--allow-loopback-videohost',
  ],
  executor_not_allowed: [
    '--caption-executor=embedded-subtitles',
    '--caption-executor=deterministic-test',
    '--semantic-recognizer=openai',
    '--semantic-recognizer=whisper-cli',
    '--semantic-recognizer=pocketsphinx',
    '--allow-real-semantic-evidence',
    '--semantic-recognizer-model=small',
    '--semantic-recognizer-second-run',
    '--semantic-recognizer-response-format=json',
    '--language-explanation-executor=openai',
    '--allow-real-language-explanation',
    '--language-explanation-model=small',
  ],
  invalid_reviewer: [
    '--reviewer-id=a b',
    '--reviewer-id=:a',
    `--reviewer-id=${'a'.repeat(161)}`,
    '--reviewer-label= a',
    '--reviewer-label=a\nb',
    `--reviewer-label=${'a'.repeat(81)}`,
  ],
};

for (const [code, values] of Object.entries(refusals)) {
  test(`${code} ends a wrong call with exit code 2`, (t) => {
    for (const value of values) {
      const error = t.throws(() => serveOptions([value]), { instanceOf: StartError, code }, value);
      t.is(error?.exitCode, 2);
    }
  });
}

test('an origin that stands in for a video host is one on loopback, and the same host is not added twice', (t) => {
  const origins = ['http://127.0.0.1', 'https://127.0.0.1:4000', 'http://127.0.0.1:4000/', 'http://127.0.0.1:80'];
  const others = ['http://localhost:4000', 'http://10.0.0.1:4000', 'http://127.0.0.1:70000', 'http://a@127.0.0.1:4000'];
  for (const origin of [...origins, ...others]) {
    const flags = ['--allow-loopback-videohost', '--videohost-origin', origin];
    t.throws(() => serveOptions(flags), { instanceOf: StartError, code: 'invalid_flags' }, origin);
  }
  const twice = ['--videohost=a.example=one', '--videohost=A.example=two'];
  t.throws(() => serveOptions(twice), { instanceOf: StartError, code: 'invalid_flags' });
});

test('every code of a wrong call has a call that provokes it', (t) => {
  const calls = Object.entries(startCodes).filter(([, exitCode]) => exitCode === 2);
  // What the environment lacks no flag provokes; it has tests of its own.
  const others = ['invalid_explanation_provider', 'invalid_recognition_provider', 'invalid_translation_provider'];
  t.deepEqual([...Object.keys(refusals), ...others].sort(), calls.map(([code]) => code).sort());
});

test.serial('a data folder that is empty or relative is not used', (t) => {
  const { XDG_DATA_HOME: before, ...rest } = process.env;
  t.teardown(() => {
    process.env = before === undefined ? rest : { ...rest, XDG_DATA_HOME: before };
  });
  const name = 'local-media-study-service';
  const usual =
    process.platform === 'darwin'
      ? join(homedir(), 'Library', 'Application Support', name)
      : join(homedir(), '.local', 'share', name);
  for (const shared of ['', 'relative/folder']) {
    process.env.XDG_DATA_HOME = shared;
    t.is(serveOptions([]).dataRoot, usual);
  }
  process.env.XDG_DATA_HOME = '/srv/data';
  t.is(serveOptions([]).dataRoot, process.platform === 'darwin' ? usual : join('/srv/data', name));
});
