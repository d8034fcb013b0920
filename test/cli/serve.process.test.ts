import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, open, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { hostToken } from '../../cli/host-files.ts';
import { StudyHost } from '../../client/study-host.ts';
import { toolIdentity } from '../../contract/base/artifact.ts';
import { version } from '../../contract/base/program-version.ts';
import { sampleFolder } from '../../fixtures/sample/gold.ts';
import { studyUntil } from '../client/asked-study.ts';
import { type HostOptions, RunningHost } from '../http/running-host.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { withoutDownloader } from '../without-downloader.ts';
import { choices } from './caption-choices.ts';
import { repository } from './command.ts';

const token = '0123456789abcdef'.repeat(4);

const announcement = z.strictObject({
  service: z.string().min(1),
  listening: z.string().regex(/^http:\/\/(127\.0\.0\.1|\[::1\]|localhost):\d+$/),
  allowedOrigins: z.array(z.string()).min(1),
  sourceSessionIds: z.array(z.string().regex(/^source-session:[a-f0-9]{64}$/)),
  ownedMediaIngest: z.strictObject({ enabled: z.boolean(), maximumBytes: z.number() }),
  videohostLocalIngest: z.strictObject({
    enabled: z.boolean(),
    maximumRangeMs: z.number(),
    publication: z.literal('private-local-processing-only'),
  }),
  reviewer: z.strictObject({ id: z.string(), label: z.string() }),
  runtimeRoot: z.string(),
  executor: z.literal('deterministic-no-model'),
  executorLimits: z.null(),
  captionExecutor: z.literal('recorded-real-pipeline-fixture-adapter'),
  semanticRecognizer: z.literal('current-run-unavailable-no-fixture-fallback'),
  languageExplanationExecutor: z.literal('unavailable-no-fixture-fallback'),
  authorizationToken: z.string().regex(/^[a-f0-9]{64}$/),
  pid: z.number().int(),
  dataRoot: z.string(),
  httpAdapter: z.enum(['uWebSockets.js', 'node:http']),
  tools: z.array(toolIdentity).min(4),
  version: z.literal(version),
  console: z.string().regex(/^http:\/\/(127\.0\.0\.1|\[::1\]|localhost):\d+\/#token=[a-f0-9]{64}$/),
});

function host(t: ExecutionContext, options: HostOptions): RunningHost {
  const running = new RunningHost(options);
  t.teardown(() => running.kill());
  return running;
}

const rootFlags = (root: string, ...others: string[]) => ['--port', '0', '--data-root', root, ...others];

/** Expects that the host ends before it listens: with this exit code, its code said once, and nothing on stdout. */
async function refuses(t: ExecutionContext, options: HostOptions, exitCode: 1 | 2, reason: RegExp): Promise<void> {
  const running = host(t, options);
  t.deepEqual(await running.ended, { code: exitCode, signal: null }, running.stderr);
  t.is(running.stdout, '');
  const last = running.stderr.trimEnd().split('\n').at(-1) ?? '';
  t.regex(last, reason);
  const code = last.slice(0, last.indexOf(':'));
  t.is(last.split(`${code}:`).length, 2, last);
  t.is(running.stderr.split('\n').filter((line) => line.startsWith('    at ')).length, 0, running.stderr);
  // The event first, then the remedy.
  t.regex(last, /; [^;]+$/);
}

test('help and version are answered on stdout with exit code 0, without a host', async (t) => {
  const answers: readonly [string, (stdout: string) => boolean][] = [
    ['--help', (stdout) => stdout.startsWith('usage: npm start -- [flags], or media-study serve [flags]\n')],
    ['--version', (stdout) => stdout === `${version}\n`],
  ];
  for (const [flag, isAnswer] of answers) {
    const running = host(t, { flags: [flag] });
    t.deepEqual(await running.ended, { code: 0, signal: null }, running.stderr);
    t.true(isAnswer(running.stdout), running.stdout);
    t.is(running.stderr, '');
  }
});

test('a host prints its address and version on one line, and has its data to itself', async (t) => {
  const folder = await scratchFolder(t);
  const root = join(folder, 'new', 'data');
  await writeFile(join(folder, 'token'), `${token}\n`, { mode: 0o600 });
  const flags = rootFlags(root, '--host=::1', `--token-file=${join(folder, 'token')}`, '--reviewer-id=me');
  const running = host(t, { flags });
  const said = announcement.parse(await running.announced());
  t.like(said, { authorizationToken: token, dataRoot: root, runtimeRoot: root, reviewer: { id: 'me' } });
  t.true(said.listening.startsWith('http://[::1]:'));
  t.is(said.sourceSessionIds.length, 1);
  const answer = await fetch(`${said.listening}/v1/source-sessions`, { headers: { Authorization: `Bearer ${token}` } });
  t.is(answer.status, 200);
  await answer.arrayBuffer();
  await refuses(t, { flags: rootFlags(root) }, 1, /^data_root_locked: /);
  t.deepEqual(await running.stop(), { code: 0, signal: null });
  t.is(running.stdout.trimEnd().split('\n').length, 1);
  t.false(running.stderr.includes(token));
  const line = running.stderr.split('\n').find((each) => each.startsWith('the console is at ')) ?? '';
  t.true(line.startsWith(`the console is at ${said.listening}; open it with `), running.stderr);
  t.true(line.endsWith(` open --data-root ${root}`), line);
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    t.is(mode & 0o777, entry.isDirectory() ? 0o700 : 0o600, entry.name);
  }
  t.is((await stat(root)).mode & 0o777, 0o700);
  await chmod(root, 0o750);
  await refuses(t, { flags: rootFlags(root) }, 1, /^data_root_permissions: .*0750/);
});

test('a host outlives the reader of its output', async (t) => {
  const root = join(await scratchFolder(t), 'data');
  const running = host(t, { flags: rootFlags(root) });
  const { listening } = announcement.parse(await running.announced());
  running.stopReading();
  // Each refused origin is reported on stderr once.
  for (const origin of ['http://one.example', 'http://two.example', 'http://three.example']) {
    t.is((await fetch(`${listening}/v1/source-sessions`, { headers: { origin } })).status, 403);
  }
  t.deepEqual(await running.stop(), { code: 0, signal: null });
});

test('a wrong call ends with exit code 2 and the nearest flag', async (t) => {
  const root = join(await scratchFolder(t), 'data');
  await refuses(t, { flags: rootFlags(root, '--prot', '1') }, 2, /^invalid_flags: .*did you mean --port\?;/);
  await t.throwsAsync(stat(root), { code: 'ENOENT' });
});

test('a port in use, a bad token file and a missing tool are reported by their codes', async (t) => {
  const folder = await scratchFolder(t);
  const server = createServer().listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const flags = ['--port', String(port), '--data-root', join(folder, 'a')];
  await refuses(
    t,
    { flags },
    1,
    new RegExp(`^listen_failed: port ${port} is in use on 127\\.0\\.0\\.1; choose another --port`),
  );
  await writeFile(join(folder, 'token'), token, { mode: 0o644 });
  const tokenFlags = rootFlags(join(folder, 'b'), '--token-file', join(folder, 'token'));
  await refuses(t, { flags: tokenFlags }, 1, /^invalid_host_token: .*0600/);
  const environment = { MEDIA_STUDY_FFMPEG: join(folder, 'nothing') };
  await refuses(t, { flags: rootFlags(join(folder, 'c')), environment }, 1, /^tool_missing: MEDIA_STUDY_FFMPEG/);
});

test('a host without a key for a server elsewhere does not begin, and makes no data root', async (t) => {
  const root = join(await scratchFolder(t), 'data');
  const asked = ['--language-explanation-executor', 'openai', '--allow-real-language-explanation'];
  const flags = rootFlags(root, ...asked, '--language-explanation-model', 'small');
  const environment = { OPENAI_BASE_URL: '', OPENAI_API_KEY: '' };
  await refuses(t, { flags, environment }, 2, /^invalid_explanation_provider: OPENAI_API_KEY/);
  await refuses(t, { flags: rootFlags(root, ...asked) }, 2, /^executor_not_allowed: .*--language-explanation-model/);
  await t.throwsAsync(stat(root), { code: 'ENOENT' });
});

test('source folders that lie elsewhere, come twice or are damaged stop the start', async (t) => {
  const folder = await scratchFolder(t);
  const sealed = join(folder, 'sealed');
  await cp(sampleFolder, sealed, { recursive: true });
  const given = (...others: string[]) => ({ flags: rootFlags(join(folder, 'data'), ...others) });
  await refuses(t, given('--source-directory', sealed), 1, /^ambiguous_source_session: /);
  await mkdir(join(folder, 'root'));
  const outside = given('--source-directory', sealed, '--source-root', join(folder, 'root'));
  await refuses(t, outside, 1, /^source_outside_root: /);
  await writeFile(join(sealed, 'media', 'sample.mp4'), 'other bytes');
  await refuses(t, given('--source-directory', sealed), 1, /^content_mismatch: /);
});

test('a host says on stdout who makes captions, and one that may not does not start', async (t) => {
  const folder = await scratchFolder(t);
  for (const [index, [flags, , announced]] of choices.slice(1).entries()) {
    const host = new RunningHost({ flags: ['--port', '0', '--data-root', join(folder, `${index}`), ...flags] });
    t.teardown(() => host.kill());
    t.is((await host.announced()).captionExecutor, announced);
    await host.stop();
  }
  const refused = new RunningHost({
    flags: ['--port', '0', '--data-root', join(folder, 'refused'), '--caption-executor', 'deterministic-test'],
  });
  t.teardown(() => refused.kill());
  t.deepEqual(await refused.ended, { code: 2, signal: null });
  t.is(refused.stdout, '');
  t.regex(refused.stderr, /executor_not_allowed: /);
});

const key = 'sk-a-key-that-nobody-may-see';

test('no format of the log holds a token, the secret of a grant or the key of a provider', async (t) => {
  for (const format of ['text', 'json']) {
    const flags = ['--port', '0', '--data-root', await scratchFolder(t), '--log-format', format];
    const running = new RunningHost({ flags, environment: { OPENAI_API_KEY: key } });
    t.teardown(() => running.kill());
    const { listening, authorizationToken, pid: ownPid } = await running.announced();
    const [baseUrl, token] = [String(listening), String(authorizationToken)];
    const client = StudyHost.connect({ baseUrl, token });
    t.like(await client.health(), { status: 'ok' });
    const [source] = await client.sources();
    if (source === undefined) throw new Error('the sample is not listed');
    const study = client.study(source, studyUntil(1000, 'evidence'));
    const { runtimeId } = await study.started;
    await study.ended();
    const { url } = await client.playbackUrl(runtimeId, baseUrl);
    t.is((await fetch(url, { headers: { Origin: baseUrl } })).status, 200);
    await fetch(`${baseUrl}/v1/health`, { headers: { Origin: 'http://evil.example' } });
    const named = await fetch(`${baseUrl}/v1/runtimes/${token}?after=1`, {
      headers: { Authorization: `Bearer ${token}`, 'X-Request-ID': 'asked-by-hand' },
    });
    t.is(named.headers.get('x-request-id'), 'asked-by-hand');
    const unnamed = await fetch(`${baseUrl}/v1/health`, { headers: { 'X-Request-ID': token } });
    t.true((await client.metrics()).includes('media_study_actors'));
    t.is((await running.stop()).code, 0);
    const lines = running.stderr.trimEnd().split('\n');
    t.true(lines.length >= 4, running.stderr);
    for (const secret of [token, url.split('/').at(-1) ?? token, key]) t.false(running.stderr.includes(secret));
    if (format === 'text') continue;
    const documents = lines.map((line) => JSON.parse(line));
    for (const { level, time, pid, message, ...request } of documents) {
      t.deepEqual([level, pid, typeof message, new Date(time).toISOString()], ['info', ownPid, 'string', time]);
      if (Object.keys(request).length > 0) {
        t.deepEqual(Object.keys(request), ['requestId', 'method', 'path', 'status', 'durationMs'], message);
      }
    }
    t.regex(documents[0].message, /^Local Media Study Service /);
    const logged = (requestId: string | null) => documents.filter((document) => document.requestId === requestId);
    t.is(logged('asked-by-hand').length, 1);
    t.like(logged('asked-by-hand')[0], { method: 'GET', path: '/v1/runtimes/:runtimeId', status: 400 });
    t.like(logged(unnamed.headers.get('x-request-id'))[0], { method: 'GET', path: '/v1/health', status: 200 });
    t.true(documents.some(({ path }) => path === '/v1/private-source-media/:grantId/:secret'));
  }
});

test('a refused start reports this in the requested format', async (t) => {
  const root = await scratchFolder(t);
  const flags = ['--port', '0', '--log-format', 'json'];
  const running = new RunningHost({ flags: [...flags, '--data-root', root, '--token-file', root] });
  t.is((await running.ended).code, 1);
  const last = JSON.parse(running.stderr.trimEnd().split('\n').at(-1) ?? '');
  t.like(last, { level: 'fatal' });
  t.regex(last.message, /^invalid_host_token: /);
});

/** Every write to it fails as on a volume that is full. */
const fullDevice = '/dev/full';
const onLinux = existsSync(fullDevice) ? test : test.skip;
const env = { ...process.env, ...withoutDownloader };

for (const format of ['text', 'json']) {
  onLinux(`a host whose log of ${format} lies on a full volume goes on without it`, async (t) => {
    const folder = await scratchFolder(t);
    const log = await open(fullDevice, 'w');
    t.teardown(() => log.close());
    const flags = ['--port', '0', '--data-root', join(folder, 'root'), '--log-format', format];
    const host = spawn(process.execPath, ['build/serve.js', ...flags], {
      cwd: repository,
      env,
      stdio: ['ignore', 'pipe', log.fd],
    });
    t.teardown(() => host.kill('SIGKILL'));
    const ended = once(host, 'close');
    const [line] = await Promise.race([once(host.stdout ?? host, 'data'), ended]);
    t.regex(String(line), /"listening"/);
    host.kill('SIGTERM');
    t.deepEqual(await ended, [0, null]);
  });
}

onLinux('a command whose results go to a full volume says so in a line, and fails', async (t) => {
  const results = await open(fullDevice, 'w');
  t.teardown(() => results.close());
  const command = spawn(process.execPath, ['build/media-study.js', 'completions', 'bash'], {
    cwd: repository,
    env,
    stdio: ['ignore', results.fd, 'pipe'],
  });
  let said = '';
  command.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  t.deepEqual(await once(command, 'close'), [1, null]);
  t.is(said, 'stdout: its volume is full; make room, or choose another place (ENOSPC)\n');
});

const execute = promisify(execFile);
const refusedToken = { name: 'StartError', code: 'invalid_host_token' };

test('a folder, a pipe and a path that leads nowhere are refused without waiting', async (t) => {
  const folder = await scratchFolder(t);
  await chmod(folder, 0o700);
  await t.throwsAsync(hostToken(folder), refusedToken);
  const pipe = join(folder, 'pipe');
  await execute('mkfifo', ['-m', '600', pipe]);
  await t.throwsAsync(hostToken(pipe), refusedToken);
  await t.throwsAsync(hostToken(join(folder, 'missing', 'token')), refusedToken);
  await symlink(join(folder, 'missing', 'token'), join(folder, 'link'));
  await t.throwsAsync(hostToken(join(folder, 'link')), refusedToken);
});

test('bug: a host whose terminal was closed ended as if it were killed, and its work counted a crash', async (t) => {
  const root = await scratchFolder(t);
  const host = spawn(process.execPath, ['build/serve.js', '--port', '0', '--data-root', root], {
    cwd: repository,
    env,
  });
  t.teardown(() => host.kill('SIGKILL'));
  const ended = once(host, 'close');
  await Promise.race([once(host.stdout, 'data'), ended]);
  host.kill('SIGHUP');
  t.deepEqual(await ended, [0, null]);
});

test('the line for programs is printed as asked, and only on stdout', async (t) => {
  const [quiet, piped] = ['never', 'auto'].map(async (when) => {
    const running = host(t, { flags: rootFlags(await scratchFolder(t), '--start-line', when) });
    while (!running.stderr.includes('the console is at')) {
      const ended = await Promise.race([running.ended, sleep(50)]);
      if (ended !== undefined) t.fail(running.stderr);
    }
    return running.stdout.split('\n').length - 1;
  });
  t.deepEqual([await quiet, await piped], [0, 1]);
});
