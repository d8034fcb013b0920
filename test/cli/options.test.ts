import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { commands } from '../../cli/commands.ts';
import { serveOptions } from '../../cli/options/serve-options.ts';
import { verifyOptions } from '../../cli/options/verify-options.ts';
import { settingFault, withoutCredentials } from '../../cli/settings/settings-file.ts';
import { version } from '../../contract/base/program-version.ts';
import { addressFault, hostedProvider } from '../../executors/model-server/hosted-provider.ts';
import { commandsOf } from '../../features/feature.ts';
import { features } from '../../features/features.ts';
import { type StartCode, StartError, startCodes } from '../../options/failures.ts';
import {
  answersQuestion,
  type FlagTable,
  helpText,
  parseFlags,
  repeatable,
  single,
  toggle,
} from '../../options/flags.ts';

const table: FlagTable = {
  port: single('PORT', '1', 'where to listen'),
  'data-root': single('DIR', null, 'where things lie'),
  'allowed-origin': repeatable('ORIGIN', null, 'who may ask'),
  check: toggle('looks only'),
};

const refusedFlags = (t: ExecutionContext, args: readonly string[], message: string): void => {
  t.throws(() => parseFlags(args, table), { name: 'StartError', code: 'invalid_flags', message }, args.join(' '));
};

test('a value follows its flag, or an equals sign', (t) => {
  const given = parseFlags(['--port', '1', '--data-root=a=b', '--check'], table);
  t.is(given.single('port'), '1');
  t.is(given.single('data-root'), 'a=b');
  t.true(given.has('check'));
  t.false(given.has('allowed-origin'));
  t.is(given.single('allowed-origin'), undefined);
  t.deepEqual(given.all('allowed-origin'), []);
});

test('a repeated flag keeps its values in order', (t) => {
  const given = parseFlags(['--allowed-origin', 'b', '--port=1', '--allowed-origin=a'], table);
  t.deepEqual(given.all('allowed-origin'), ['b', 'a']);
});

test('a value may look like an option only behind an equals sign', (t) => {
  t.is(parseFlags(['--data-root=--check'], table).single('data-root'), '--check');
  t.is(parseFlags(['--data-root', '-x'], table).single('data-root'), '-x');
  refusedFlags(t, ['--data-root', '--check'], '--data-root needs a value');
});

test('behind two dashes nothing is a flag, so that an argument may look like one', (t) => {
  const given = parseFlags(['--check', '--', '--port', '--', '-x.mp4'], table, 3);
  t.true(given.has('check'));
  t.false(given.has('port'));
  t.deepEqual(given.positional, ['--port', '--', '-x.mp4']);
});

test('a flag without its value is refused, an empty one as well', (t) => {
  for (const args of [['--port'], ['--port='], ['--port', ''], ['--port', '--check']]) {
    refusedFlags(t, args, '--port needs a value');
  }
  refusedFlags(t, ['--check=yes'], '--check takes no value');
});

test('a single flag may be given once', (t) => {
  refusedFlags(t, ['--port', '1', '--port=1'], '--port may be given once');
  refusedFlags(t, ['--check', '--check'], '--check may be given once');
});

test('an unknown flag is refused with the nearest one that there is', (t) => {
  refusedFlags(t, ['--prot', '1'], 'unknown flag --prot, did you mean --port?');
  refusedFlags(t, ['--data-rooot=x'], 'unknown flag --data-rooot, did you mean --data-root?');
  refusedFlags(t, ['--allow-origin', 'x'], 'unknown flag --allow-origin, did you mean --allowed-origin?');
  refusedFlags(t, ['--unsafe-development-bind'], 'unknown flag --unsafe-development-bind');
  refusedFlags(t, ['--constructor', '1'], 'unknown flag --constructor');
});

test('an unknown flag is refused', (t) => {
  for (const word of ['port', '-p', '', '—port']) refusedFlags(t, [word], `unexpected argument '${word}'`);
});

const words = {
  usage: 'npm start -- [flags]',
  purpose: 'Runs the host.',
  flags: {
    port: single('PORT', '4312', '0 takes a free one'),
    'allowed-origin': repeatable('ORIGIN', null, 'a web origin that may call the host, '.repeat(4).trim()),
    check: toggle('looks only'),
  },
};

const answered = (args: readonly string[]): string | null => {
  let said = '';
  const isQuestion = answersQuestion(args, words, (text) => {
    said += text;
  });
  return isQuestion ? said : null;
};

test('help names usage, purpose and every flag with its value, its meaning and its default', (t) => {
  t.is(
    helpText(words),
    `usage: npm start -- [flags]
Runs the host.

  --port PORT
      0 takes a free one (default: 4312)
  --allowed-origin ORIGIN (may be repeated)
      a web origin that may call the host, a web origin that may call the host, a web origin that
      may call the host, a web origin that may call the host,
  --check
      looks only
  --help
      shows this text
  --version
      shows the version
`,
  );
});

test('help and version are answered at any position, and nothing else is', (t) => {
  t.is(answered(['--help']), helpText(words));
  t.is(answered(['-h']), helpText(words));
  t.is(answered(['--port', 'x', '--unknown', '--help']), helpText(words));
  t.is(answered(['--version']), `${version}\n`);
  t.is(answered([]), null);
  t.is(answered(['--port', '1']), null);
});

test('the help of every command explains each of its flags', (t) => {
  const ofFeatures = Object.values(commandsOf(features)).map(({ words: wordsOf }) => wordsOf(features));
  for (const { flags, purpose } of [...Object.values(commands), ...ofFeatures]) {
    t.regex(purpose, /^[A-Z].*\.$/);
    for (const [name, flag] of Object.entries(flags)) {
      t.regex(flag.help, /^[^.].*[^.]$/, name);
      t.is(flag.form === 'switch', flag.value === null, name);
    }
  }
});

test('without flags a host listens on loopback alone, with the limits that the README states', (t) => {
  t.like(serveOptions([]), {
    host: '127.0.0.1',
    port: 4312,
    allowedOrigins: ['http://127.0.0.1:4321', 'http://localhost:4321'],
    sourceDirectories: [],
    sourceRoot: null,
    tokenFile: null,
    limits: {
      maximumOwnedMediaBytes: 8_589_934_592,
      maximumStudyRangeMs: 600_000,
      maximumLiveStudies: 1000,
      captionAllowance: { maxDurationMs: 120_000, maxLines: 64 },
    },
    forecastEstimator: 'deterministic-floor',
    reviewer: { id: 'reviewer:local-operator', label: 'Local review operator' },
    httpAdapter: 'auto',
    logFormat: 'text',
  });
});

test('flags replace the settings that they name, and paths become absolute', (t) => {
  const folders = ['--data-root', 'data', '--source-directory', 'a', '--source-directory=/b', '--source-root', '.'];
  const limits = ['--maximum-owned-media-bytes', '5', '--maximum-study-range-ms=6', '--study-workers', '7'];
  const queue = ['--maximum-live-studies', '8', '--forecast-estimator', 'host-calibrated'];
  const people = ['--reviewer-id', 'r', '--reviewer-label', 'R R', '--token-file', 't'];
  const wire = ['--host', '::1', '--port', '0', '--allowed-origin', 'https://a.example', '--http-adapter', 'node'];
  t.deepEqual(serveOptions([...folders, ...limits, ...queue, ...people, ...wire, '--executor', 'deterministic']), {
    host: '::1',
    port: 0,
    allowedOrigins: ['https://a.example'],
    dataRoot: resolve('data'),
    sourceDirectories: [resolve('a'), '/b'],
    sourceRoot: resolve('.'),
    tokenFile: resolve('t'),
    limits: {
      maximumOwnedMediaBytes: 5,
      maximumStudyRangeMs: 6,
      maximumLiveStudies: 8,
      captionAllowance: { maxDurationMs: 120_000, maxLines: 64 },
      methodAllowance: { maxDurationMs: 14_400_000, maxLines: 8192 },
    },
    forecastEstimator: 'host-calibrated',
    studyWorkers: 7,
    reviewer: { id: 'r', label: 'R R' },
    captionExecutor: {
      name: 'recorded',
      classification: 'recorded_real_pipeline_fixture',
      permission: null,
      announced: 'recorded-real-pipeline-fixture-adapter',
    },
    permissions: { servers: [], testSeam: false },
    modelServer: null,
    httpAdapter: 'node',
    logFormat: 'text',
    startLine: 'always',
  });
});

test('a leading ~/ is the home folder in every option that takes a path', (t) => {
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
  t.throws(() => verifyOptions(['runtime:x', '--data-root=~/no-data-here']), {
    message: new RegExp(`--data-root ${join(homedir(), 'no-data-here')}: `),
  });
});

test.serial('bug: with an empty or a relative HOME, the data root was a folder in the working folder', (t) => {
  const { HOME, XDG_DATA_HOME } = process.env;
  t.teardown(() => {
    process.env.HOME = HOME ?? userInfo().homedir;
    if (XDG_DATA_HOME !== undefined) process.env.XDG_DATA_HOME = XDG_DATA_HOME;
  });
  delete process.env.XDG_DATA_HOME;
  for (const home of ['', 'relative']) {
    process.env.HOME = home;
    t.true(serveOptions([]).dataRoot.startsWith(`${userInfo().homedir}/`));
    t.is(serveOptions(['--data-root=~/study']).dataRoot, join(userInfo().homedir, 'study'));
  }
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
    '--allowed-origin=file://',
    '--allowed-origin=data://x',
    '--allowed-origin=tauri://',
    '--allowed-origin=tauri://localhost/',
    '--allowed-origin=TAURI://localhost',
    '--allowed-origin=tauri:localhost',
    '--allowed-origin=http://example.org/',
    '--allowed-origin=http://EXAMPLE.org',
    '--allowed-origin=http://example.org:80',
    '--allowed-origin=http://me@example.org',
  ],
  invalid_ingest_limit: [
    '--maximum-owned-media-bytes=0',
    '--maximum-owned-media-bytes=9007199254740992',
    '--maximum-owned-media-bytes=1e9',
  ],
  invalid_flags: [
    '--maximum-study-range-ms=0',
    '--study-workers=0',
    '--study-workers=257',
    '--maximum-live-studies=0',
    '--http-adapter=bun',
    '--executor=other',
    '--caption-executor=openai',
    '--unknown=1',
  ],
  executor_not_allowed: ['--caption-executor=embedded-subtitles', '--caption-executor=deterministic-test'],
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

test('every code of a wrong call has a call that provokes it', (t) => {
  const calls = Object.entries(startCodes).filter(([, exitCode]) => exitCode === 2);
  // Codes about the environment, a settings file or a feature have tests of their own: no flag of the core causes them.
  const others = [
    'invalid_work_queue',
    'invalid_settings',
    'invalid_explanation_provider',
    'invalid_recognition_provider',
    'invalid_translation_provider',
    'invalid_key_file',
  ];
  t.deepEqual([...Object.keys(refusals), ...others].sort(), calls.map(([code]) => code).sort());
});

// Alone: it changes the environment of the process.
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

test('bug: a part of an unencoded password in the address of a model server was taken for its host', (t) => {
  const wrong = {
    'http://me:12/34@models.example/v1': 'must not hold a name or a password; write an @ in its path as %40',
    'http://me:1234@127.0.0.1/v1': 'must not hold a name or a password',
    'http://127.0.0.1/v1#': 'must not have a query or a fragment',
    'http://127.0.0.1/v1?': 'must not have a query or a fragment',
    'ftp://127.0.0.1/v1': 'is not an http(s) address',
    'me:12#34@models': 'is not an http(s) address',
  };
  for (const [address, fault] of Object.entries(wrong)) {
    t.is(addressFault(address), fault, address);
    t.deepEqual(hostedProvider({ OPENAI_BASE_URL: address }), { about: 'OPENAI_BASE_URL', refused: fault });
    t.is(settingFault('model-server', address), `model-server ${fault}`);
  }
  t.is(addressFault('http://127.0.0.1/%40me/v1'), null);
  t.is(settingFault('reviewer-label', 'ftp://127.0.0.1'), null);
});

test('the name and the password in an address are never shown', (t) => {
  t.is(withoutCredentials('redis://me:12/34@queue.example:6379/1'), 'redis://queue.example:6379/1');
  t.is(withoutCredentials('https://me:a@b@models.example/v1'), 'https://models.example/v1');
  t.is(withoutCredentials('http://127.0.0.1:11434/v1'), 'http://127.0.0.1:11434/v1');
  t.is(withoutCredentials('reviewer:me@home'), 'reviewer:me@home');
});
