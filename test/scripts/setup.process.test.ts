import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { tools } from '../../scripts/setup/tools.mjs';
import { scratchFolder } from '../storage/ledger/scratch.ts';

const scripts = fileURLToPath(new URL('../../scripts', import.meta.url));
const fakes = fileURLToPath(new URL('../../fixtures/setup', import.meta.url));

/** A checkout that holds the set-up script alone, and the only folder that its PATH names. */
interface Checkout {
  readonly root: string;
  readonly bin: string;
  addTool(name: string): Promise<string>;
  setUp(
    environment?: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ): { status: number | null; stdout: string; stderr: string };
  calls(): Promise<string[]>;
}

const fakeSwitches = (root: string) => ({
  SETUP_TEST_CALLS: join(root, 'calls'),
  SETUP_TEST_BREAKS_NPM: join(root, 'broken'),
  SETUP_TEST_HANGS_NPM: join(root, 'hanging'),
});

async function checkout(t: ExecutionContext, tools: readonly string[]): Promise<Checkout> {
  const root = join(await scratchFolder(t), 'set up');
  await mkdir(root);
  const bin = join(root, 'bin');
  await cp(join(scripts, 'setup'), join(root, 'scripts', 'setup'), { recursive: true });
  await copyFile(join(scripts, 'setup.mjs'), join(root, 'scripts', 'setup.mjs'));
  await writeFile(join(root, 'package-lock.json'), '{}');
  await mkdir(bin);
  await copyFile(join(fakes, 'npm'), join(bin, 'npm'));
  const made: Checkout = {
    root,
    bin,
    addTool: async (name) => {
      const file = join(bin, name);
      await copyFile(join(fakes, 'apt-get'), file);
      return file;
    },
    setUp: (environment = {}, ...args) =>
      spawnSync(process.execPath, [join(root, 'scripts', 'setup.mjs'), ...args], {
        encoding: 'utf8',
        env: { PATH: bin, ...fakeSwitches(root), ...environment },
      }),
    calls: async () =>
      (await readFile(join(root, 'calls'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== ''),
  };
  for (const name of tools) await made.addTool(name);
  return made;
}

const everyTool = ['ffmpeg', 'ffprobe', 'yt-dlp'];

test('a fresh checkout gets its packages once, with all messages on stderr', async (t) => {
  const fresh = await checkout(t, everyTool);
  const first = fresh.setUp();
  t.is(first.status, 0, first.stderr);
  t.is(first.stdout, '');
  t.regex(first.stderr, /added 0 packages/);
  const expected =
    'npm ci --workspaces=false --include=dev --no-audit --no-fund --loglevel=error ONNXRUNTIME_NODE_INSTALL=skip';
  t.deepEqual(await fresh.calls(), [expected]);
  t.is(fresh.setUp().stderr, '');
  t.deepEqual(await fresh.calls(), [expected]);
});

test('the packages that lint and test are installed for tests alone, and a later start keeps them', async (t) => {
  const fresh = await checkout(t, [...everyTool, 'chromium', 'redis-server', 'curl', 'jq', 'xxd']);
  t.is(fresh.setUp().status, 0);
  t.is(fresh.setUp({}, '--tests').status, 0);
  t.is(fresh.setUp().status, 0);
  t.deepEqual(
    (await fresh.calls()).filter((call) => call.startsWith('npm')).map((call) => call.includes('--workspaces=false')),
    [true, false],
  );
});

test('packages are installed again when the lock file has changed', async (t) => {
  const fresh = await checkout(t, everyTool);
  t.is(fresh.setUp().status, 0);
  await writeFile(join(fresh.root, 'package-lock.json'), '{"packages":{}}');
  t.is(fresh.setUp().status, 0);
  t.is((await fresh.calls()).length, 2);
});

test('an installation that fails ends the set-up, and the next one starts over', async (t) => {
  const fresh = await checkout(t, everyTool);
  await writeFile(join(fresh.root, 'broken'), '');
  const failed = fresh.setUp();
  t.is(failed.status, 1);
  t.regex(failed.stderr, /setup: npm ci failed; see above/);
  await rm(join(fresh.root, 'broken'));
  t.is(fresh.setUp().status, 0);
  t.is((await fresh.calls()).length, 2);
});

test('who ends the set-up ends the installation with it', async (t) => {
  const { root, bin } = await checkout(t, everyTool);
  await writeFile(join(root, 'hanging'), '');
  const setup = spawn(process.execPath, [join(root, 'scripts', 'setup.mjs')], {
    env: { PATH: bin, ...fakeSwitches(root) },
    stdio: 'ignore',
  });
  const ended = once(setup, 'exit');
  let id = 0;
  while (id === 0) {
    await setTimeout(20);
    id = Number(await readFile(join(root, 'hanging'), 'utf8'));
  }
  setup.kill('SIGTERM');
  t.deepEqual(await ended, [1, null]);
  t.throws(() => process.kill(id, 0), { code: 'ESRCH' });
});

test('an npm that is not there is named', async (t) => {
  const { bin, setUp } = await checkout(t, everyTool);
  await rm(join(bin, 'npm'));
  const { status, stderr } = setUp();
  t.is(status, 1);
  t.regex(stderr, /setup: spawn npm ENOENT/);
});

test('a missing ffmpeg ends the set-up with a remedy', async (t) => {
  const bare = await checkout(t, ['yt-dlp']);
  const { status, stdout, stderr } = bare.setUp();
  t.is(status, 1);
  t.is(stdout, '');
  t.regex(stderr, /ffmpeg is missing: .*ffmpeg.* or set MEDIA_STUDY_FFMPEG to its absolute path/);
  t.regex(stderr, /ffprobe is missing: .*ffmpeg.* or set MEDIA_STUDY_FFPROBE to its absolute path/);
  t.regex(stderr, /the host cannot start without ffmpeg and ffprobe\n$/);
});

test('a missing yt-dlp never blocks the start', async (t) => {
  const without = await checkout(t, ['ffmpeg', 'ffprobe']);
  const { status, stderr } = without.setUp();
  t.is(status, 0);
  t.regex(stderr, /yt-dlp is missing: .*yt-dlp/);
  t.regex(stderr, /the host starts without yt-dlp/);
});

test('a variable decides alone: a wrong one is named, and a right one replaces PATH', async (t) => {
  const fresh = await checkout(t, everyTool);
  const wrong = fresh.setUp({ MEDIA_STUDY_FFMPEG: join(fresh.root, 'nothing') });
  t.is(wrong.status, 1);
  t.regex(wrong.stderr, /MEDIA_STUDY_FFMPEG does not name an executable file by its absolute path/);
  t.is(fresh.setUp({ MEDIA_STUDY_FFMPEG: 'bin/ffmpeg' }).status, 1);
  t.is(fresh.setUp({ MEDIA_STUDY_FFMPEG: fresh.bin }).status, 1);

  const elsewhere = join(fresh.root, 'elsewhere');
  await copyFile(join(fresh.bin, 'ffmpeg'), elsewhere);
  await rm(join(fresh.bin, 'ffmpeg'));
  t.is(fresh.setUp().status, 1);
  t.is(fresh.setUp({ MEDIA_STUDY_FFMPEG: elsewhere }).status, 0);
  await chmod(elsewhere, 0o600);
  t.is(fresh.setUp({ MEDIA_STUDY_FFMPEG: elsewhere }).status, 1);
});

test('the superuser of a Debian system gets missing tools, anyone else gets the command', async (t) => {
  const bare = await checkout(t, ['apt-get']);
  const isSuperuser = process.getuid?.() === 0;
  const first = bare.setUp();
  t.is(first.status, isSuperuser ? 0 : 1, first.stderr);
  t.is(first.stdout, '');
  const options = '-qq -o DPkg::Lock::Timeout=300';
  const install = `${options} install -y --no-install-recommends`;
  const asked = [
    ...[`apt-get ${options} update`, `apt-get ${install} ffmpeg`],
    ...[`apt-get ${options} update`, `apt-get ${install} yt-dlp`],
  ];
  t.deepEqual((await bare.calls()).slice(1), isSuperuser ? asked : []);
  // An optional package that is unavailable is tried only once.
  bare.setUp();
  t.deepEqual((await bare.calls()).slice(1), isSuperuser ? asked : []);
});

test('what tests alone need is looked for before them, and what is missing blocks nothing', async (t) => {
  const fresh = await checkout(t, everyTool);
  t.is(fresh.setUp().status, 0);
  t.is(fresh.setUp().stderr, '');
  const { status, stderr } = fresh.setUp({}, '--tests');
  t.is(status, 0, stderr);
  t.regex(stderr, /chromium is missing: .*chromium.* or set MEDIA_STUDY_TEST_CHROMIUM to its absolute path/);
  t.regex(stderr, /tests that need chromium are skipped/);
  t.regex(stderr, /tests that need redis-server are skipped/);
  t.regex(
    stderr,
    /pocketsphinx_continuous is missing: .*pocketsphinx pocketsphinx-en-us.* or set MEDIA_STUDY_POCKETSPHINX/,
  );
  t.regex(stderr, /jq is missing: [^,]*jq'?$/m);
  for (const { name, forTests } of tools) if (forTests) await fresh.addTool(name);
  t.is(fresh.setUp({}, '--tests').stderr, '');
});

const repository = fileURLToPath(new URL('../..', import.meta.url));

test('a Node that is too old gives one line, without a stack trace', (t) => {
  const pretend = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } })";
  const words = [`--import=data:text/javascript,${encodeURIComponent(pretend)}`, 'build/serve.js', '--version'];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: repository, encoding: 'utf8' });
  t.is(status, 1);
  t.is(stdout, '');
  t.regex(stderr, /^Node 20\.19 or newer is needed, this is v[\d.]+; install Node 24\n$/);
});

const execute = promisify(execFile);
const packed = z.tuple([z.object({ files: z.array(z.object({ path: z.string(), size: z.number() })) })]);

test('the package holds the built program, the files it reads, and nothing else', async (t) => {
  const { stdout } = await execute('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: repository });
  const [{ files }] = packed.parse(JSON.parse(stdout));
  const paths = files.map(({ path }) => path);
  for (const path of [
    ...[
      'build/media-study.js',
      'build/detector-process.js',
      'build/tesseract-process.js',
      'build/client/study-host.js',
      'build/client/host-error.js',
    ],
    ...['build/speech-model.onnx', 'build/speech-model/LICENSE', 'build/boundary-model.onnx'],
    ...['build/language-table/ngrams.txt.br', 'build/language-table/identity.json'],
    ...['build/THIRD-PARTY-LICENCES.txt', 'docs/openapi.json', 'fixtures/sample/source/media/sample.mp4', 'LICENSE'],
    'fixtures/self-test/speech.wav',
  ]) {
    t.true(paths.includes(path), path);
  }
  const places =
    /^(build|build-types|fixtures\/(?:sample|self-test))\/|^(LICENSE|README\.md|package\.json|docs\/(openapi|settings\.schema|charts\/[a-z-]+\.(?:coverage|drawing|releases))\.json)$/;
  const others = paths.filter((path) => !places.test(path) || path.endsWith('.map'));
  t.deepEqual(others, []);
  // Types are made when the package is packed. The table of the language identifier is among the rest: an installation brought
  // 9 MB of its package along before. The budget grew by 0.5 MB with the engines: the clip of their self-test has 0.13 MB, and their
  // reader of archives 0.1 MB. It grew by as much with servers of speech, Apertium and the cards of engines, which took 0.26 MB.
  const bytes = files.reduce((sum, { path, size }) => sum + (path.startsWith('build-types/') ? 0 : size), 0);
  t.true(bytes < 11_500_000, `${bytes} bytes`);
});
