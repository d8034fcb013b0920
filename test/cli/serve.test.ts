import { chmod, cp, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { version } from '../../contract/base/program-version.ts';
import { toolIdentity } from '../../contract/base/tool.ts';
import { sampleFolder } from '../../fixtures/sample/gold.ts';
import { type HostOptions, RunningHost } from '../http/running-host.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';

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
  // What happened, then what to do.
  t.regex(last, /; [^;]+$/);
}

test('help and version are answered on stdout with exit code 0, without a host', async (t) => {
  for (const [flag, answer] of [
    ['--help', /^usage: npm start -- \[flags\]\n/],
    ['--version', /^\d+\.\d+\.\d+\n$/],
  ] as const) {
    const running = host(t, { flags: [flag] });
    t.deepEqual(await running.ended, { code: 0, signal: null }, running.stderr);
    t.regex(running.stdout, answer);
    t.is(running.stderr, '');
  }
});

test('a host says on one line where it listens and what it is, and has its data to itself', async (t) => {
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
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    t.is(mode & 0o777, entry.isDirectory() ? 0o700 : 0o600, entry.name);
  }
  t.is((await stat(root)).mode & 0o777, 0o700);
  await chmod(root, 0o750);
  await refuses(t, { flags: rootFlags(root) }, 1, /^data_root_permissions: .*0750/);
});

test('a host outlives whoever read its output', async (t) => {
  const root = join(await scratchFolder(t), 'data');
  const running = host(t, { flags: rootFlags(root) });
  const { listening } = announcement.parse(await running.announced());
  running.stopReading();
  // Each refused origin is told on stderr once.
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

test('a port in use, a bad token file and a missing tool are said by their codes', async (t) => {
  const folder = await scratchFolder(t);
  const server = createServer().listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const flags = ['--port', String(port), '--data-root', join(folder, 'a')];
  await refuses(t, { flags }, 1, /^listen_failed: .*EADDRINUSE/);
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
