import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { portFinding } from '../../cli/doctor.ts';
import { endedNode, nodeFinding } from '../../cli/node-release.ts';
import { RunningHost } from '../http/running-host.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

interface Diagnosis {
  readonly exit: number;
  readonly stdout: string;
  /** The findings, if JSON is requested. */
  readonly of: (check: string) => { readonly state: string; readonly detail: string; readonly remedy: string | null };
}

const diagnose = (
  root: string,
  others: readonly string[] = [],
  environment = {},
  within: readonly string[] = [],
): Promise<Diagnosis> =>
  new Promise((resolve) => {
    const options = { cwd: repository, env: { ...process.env, ...environment } };
    const doctor = [process.execPath, 'build/media-study.js', 'doctor', '--data-root', root, ...others];
    const [file = '', ...args] = [...within, ...doctor];
    execFile(file, args, options, (error, stdout) => {
      const of = (check: string) =>
        stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
          .find((finding) => finding.check === check);
      resolve({ exit: typeof error?.code === 'number' ? error.code : 0, stdout, of });
    });
  });

test('a machine on which a host can work ends with 0, and no data root is made', async (t) => {
  const folder = await scratchFolder(t);
  const { exit, stdout } = await diagnose(join(folder, 'none'));
  t.is(exit, 0, stdout);
  const checks = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/\s+/).slice(0, 2));
  const named = checks.map(([, check]) => check);
  t.deepEqual(named, [
    ...['node', 'adapter', 'speech', 'sandbox', 'ffmpeg', 'ffprobe', 'yt-dlp', 'recognizers', 'screen-text'],
    ...['space', 'store', 'settings', 'host', 'port'],
  ]);
  t.true(checks.every(([state]) => state === 'ok' || state === 'weak'));
  t.deepEqual(await readdir(folder), []);
});

test('bug: an empty folder was called not empty, though a host makes its data root there', async (t) => {
  const folder = await scratchFolder(t);
  const { exit, stdout, of } = await diagnose(folder, ['--json']);
  t.is(exit, 0, stdout);
  t.like(of('store'), { state: 'ok', detail: `${folder} will be made by the first host` });
});

test('bug: settings that were made before the first host were a fault of the data root', async (t) => {
  const folder = await scratchFolder(t);
  await writeFile(join(folder, 'settings.json'), '{ "log-format": "json" }');
  const { exit, stdout, of } = await diagnose(folder, ['--json']);
  t.is(exit, 0, stdout);
  t.like(of('store'), { state: 'ok', detail: `${folder} will be made by the first host` });
});

test('bug: settings that name what is not there were no fault, and the host refused to start', async (t) => {
  const folder = await scratchFolder(t);
  const path = join(folder, 'settings.json');
  const found = async (settings: object | string, environment = {}) => {
    await writeFile(path, typeof settings === 'string' ? settings : JSON.stringify(settings));
    const { exit, of } = await diagnose(folder, ['--json'], environment);
    return { exit, port: of('port'), ...of('settings') };
  };
  const recognizer = { 'semantic-recognizer': 'pocketsphinx', 'allow-real-semantic-evidence': true };
  t.like(await found({ ...recognizer, port: 0 }, { MEDIA_STUDY_POCKETSPHINX: '/no/pocketsphinx' }), {
    exit: 1,
    state: 'failed',
    port: { state: 'ok', detail: 'a host takes a free one' },
    detail: `recognizer_unavailable: ${path}: MEDIA_STUDY_POCKETSPHINX names no executable file`,
  });
  t.like(await found({ 'source-directory': [join(folder, 'none')] }), {
    exit: 1,
    state: 'failed',
    detail: `file_missing: ${path}: folder of ${join(folder, 'none')}`,
    remedy: 'restore the sealed folder from a copy, or leave its source-directory out',
  });
  t.like(await found({ 'study-workers': 0 }), {
    exit: 1,
    state: 'failed',
    port: undefined,
    detail: `invalid_flags: ${path}: study-workers 0: an integer from 1 to 256 is needed`,
  });
  const unreadable = await found('{ "port": }');
  t.like(unreadable, { exit: 1, state: 'failed' });
  t.regex(unreadable.detail, /^invalid_settings: .*: 1:11: /);
  const explainer = {
    'language-explanation-executor': 'openai',
    'language-explanation-model': 'small',
    'allow-real-language-explanation': true,
    'model-server': 'http://127.0.0.1:1/v1',
  };
  t.like(await found(explainer), {
    exit: 0,
    state: 'weak',
    remedy: 'start it, or correct model-server',
    detail: `${path}: no model server answers at http://127.0.0.1:1/v1`,
  });
});

// Only root can change its user; for any other user of the tests the access is refused already.
const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];

test('a data root that a host could not make is a fault with its remedy', async (t) => {
  const folder = await scratchFolder(t);
  await chmod(folder, 0o555);
  const refused = await diagnose(join(folder, 'deep', 'none'), ['--json'], {}, asNobody);
  t.is(refused.exit, 1, refused.stdout);
  t.like(refused.of('store'), {
    state: 'failed',
    remedy: 'correct owner and mode of the data root, or choose another one by --data-root',
  });
  t.true(refused.of('store').detail.startsWith(`storage_access_denied: ${join(folder, 'deep', 'none')}: `));
});

test('bug: a doctor without a folder for temporary files reported nothing else, though a host works', async (t) => {
  const folder = await scratchFolder(t);
  const found = await diagnose(join(folder, 'none'), ['--json'], { TMPDIR: join(folder, 'gone') });
  t.is(found.exit, 1);
  t.like(found.of('tools'), { state: 'failed', remedy: 'name a folder of this user by TMPDIR' });
  t.regex(found.of('tools').detail, /gone\/\S+: a folder in its path does not exist; /);
  t.like(found.of('store'), { state: 'ok' });
});

test('bug: a data root that is closed to this user was called one without data', async (t) => {
  const closed = join(await scratchFolder(t), 'closed');
  await mkdir(join(closed, 'ledger'), { recursive: true });
  await chmod(closed, 0);
  t.teardown(() => chmod(closed, 0o700));
  const [file = '', ...words] = [...asNobody, process.execPath];
  const run = (...command: string[]) =>
    promisify(execFile)(file, [...words, 'build/media-study.js', ...command, '--data-root', closed], {
      cwd: repository,
    }).then(
      () => '',
      ({ stderr }) => stderr,
    );
  for (const command of [['runtimes'], ['verify', '--store'], ['backup', join(closed, 'copy')]]) {
    t.regex(await run(...command), /EACCES: permission denied/);
  }
});

test('a missing tool is a fault with its remedy, and a missing downloader is not a fault', async (t) => {
  const folder = await scratchFolder(t);
  const missing = { MEDIA_STUDY_FFMPEG: '/no/ffmpeg', MEDIA_STUDY_YTDLP: '/no/yt-dlp' };
  const found = await diagnose(join(folder, 'none'), ['--json'], missing);
  t.is(found.exit, 1);
  t.like(found.of('ffmpeg'), { state: 'failed', remedy: 'install ffmpeg, or name it by MEDIA_STUDY_FFMPEG' });
  t.like(found.of('yt-dlp'), { state: 'weak' });
  t.like(found.of('ffprobe'), { state: 'ok' });
});

test('a running host is named, its ledger once it has stopped, and a damaged ledger fails', async (t) => {
  const root = join(await scratchFolder(t), 'data');
  const host = new RunningHost({ flags: ['--port', '0', '--data-root', root] });
  t.teardown(() => host.kill());
  await host.announced();
  const beside = await diagnose(root, ['--json']);
  t.is(beside.exit, 0, beside.stdout);
  t.regex(beside.of('host').detail, /^runs, version /);
  t.regex(beside.of('store').detail, /in use by its host$/);
  await host.stop();
  const after = await diagnose(root, ['--json']);
  t.regex(after.of('store').detail, /the ledger is whole$/);
  const ledger = join(root, 'ledger');
  for (const name of await readdir(ledger)) if (/\.(ldb|log)$/.test(name)) await writeFile(join(ledger, name), 'x');
  const damaged = await diagnose(root, ['--json']);
  t.is(damaged.exit, 1);
  t.like(damaged.of('store'), { state: 'failed' });
});

test('an old Node is a fault, and a port that another process has is named', async (t) => {
  t.like(nodeFinding('20.18.1'), { state: 'failed', remedy: 'install Node 24' });
  t.like(nodeFinding('20.19.0'), { state: 'weak', remedy: 'install Node 24' });
  t.like(nodeFinding('22.0.0'), { state: 'ok' });
  t.is(endedNode('20.19.0'), 'node v20.19.0, which has had no security fixes since 2026-04-30; install Node 24');
  t.is(endedNode('24.21.0'), null);
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  t.like(await portFinding(port), { state: 'weak', detail: `another process listens on ${port}` });
  await new Promise((resolve) => other.close(resolve));
  t.like(await portFinding(port), { state: 'ok' });
});

test('a data root that would lie in a file is one finding among the others', async (t) => {
  const folder = await scratchFolder(t);
  const file = join(folder, 'file');
  await writeFile(file, 'x');
  for (const root of [file, join(file, 'x'), join(file, 'x', 'y')]) {
    const { exit, of } = await diagnose(root, ['--json']);
    t.is(exit, 1);
    t.like(of('space'), { state: 'ok' });
    const { state, detail, remedy } = of('store');
    t.deepEqual([state, remedy], ['failed', 'choose another --data-root']);
    t.is(detail, `storage_fault: ${root}: ${root === file ? 'it' : file} is not a folder`);
  }
});
