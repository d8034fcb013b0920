import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server as HttpServer } from 'node:http';
import type { Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { execa } from 'execa';
import { openLauncher } from '../../../executors/process/launcher.ts';
import { ownNetworkWords } from '../../../executors/process/own-network.ts';
import type { ProcessProxy } from '../../../executors/process/process.ts';
import { describeSandbox, findSandbox } from '../../../executors/process/process-sandbox.ts';
import { workFolderName } from '../../../storage/objects/leftovers.ts';
import { builtProcess } from '../../built-process.ts';
import { eventually } from '../../patience.ts';
import {
  alive,
  failureOf,
  fake,
  HandClock,
  launcherFor,
  limits,
  request,
  temporaryFolder,
  waitUntilDead,
  writtenIds,
} from './launcher-for-tests.ts';

test('on Linux every wall is in place and the tool starts behind them', async (t) => {
  const { sandbox, prefix } = await findSandbox('/usr/bin:/bin');
  t.true(sandbox.parentDeathSignal);
  t.true(sandbox.resourceLimits);
  t.not(sandbox.pidNamespace, 'none');
  const words = prefix({ ...limits, cpuSeconds: 1.5, memoryBytes: 1000 });
  t.true(words.includes('--cpu=2'));
  t.true(words.includes('--fsize=1048576'));
  t.true(words.includes('--core=0'));
  t.true(words.includes('--data=1000'));
  t.true(words.includes('--kill-child=KILL'));
  t.is(sandbox.network, 'own');
  t.true(words.includes('--net'));
  t.is(describeSandbox(sandbox), 'process sandbox: complete');
});

test('a wall whose tool does not work here is left out and named', async (t) => {
  const folder = await temporaryFolder(t);
  await symlink('/bin/true', path.join(folder, 'true'));
  for (const name of ['setpriv', 'unshare', 'prlimit']) {
    await writeFile(path.join(folder, name), '#!/bin/sh\nexit 1\n');
    await chmod(path.join(folder, name), 0o755);
  }
  const { sandbox, prefix } = await findSandbox(folder);
  t.deepEqual(sandbox, { parentDeathSignal: false, pidNamespace: 'none', network: 'shared', resourceLimits: false });
  t.deepEqual(prefix(limits), []);
  t.regex(describeSandbox(sandbox), /outlive a host.*outlive it.*machine's network.*no CPU/);
});

test('a machine with none of the tools gets plain process groups', async (t) => {
  const { sandbox, prefix } = await findSandbox(await temporaryFolder(t));
  t.deepEqual(sandbox, { parentDeathSignal: false, pidNamespace: 'none', network: 'shared', resourceLimits: false });
  t.deepEqual(prefix(limits), []);
});

// The launcher promises a namespace only if the kernel gives one; the tests below that need it run on Linux.
const FAMILY = 3;

test('an abort leaves no grandchild alive, not even one in a session of its own', async (t) => {
  const { launcher, workRoot } = await launcherFor(t);
  const idFile = path.join(await temporaryFolder(t), 'ids');
  const stop = new AbortController();
  const running = await launcher.start(request(fake('spawns-child'), [idFile], { signal: stop.signal }));
  const ids = await writtenIds(idFile, FAMILY);
  t.is(alive(ids).length, FAMILY);
  stop.abort();
  t.is((await failureOf(t, running.finished)).reason, 'aborted');
  t.deepEqual(alive(ids), []);
  t.deepEqual(await readdir(workRoot), []);
});

test('a deadline leaves no grandchild alive', async (t) => {
  const clock = new HandClock();
  const { launcher } = await launcherFor(t, { timers: clock });
  const idFile = path.join(await temporaryFolder(t), 'ids');
  const work = launcher.run(request(fake('spawns-child'), [idFile], { limits: { wallMs: 4000 } }));
  const ids = await writtenIds(idFile, FAMILY);
  clock.pass(4000);
  t.is((await failureOf(t, work)).reason, 'deadline');
  t.deepEqual(alive(ids), []);
});

test('a tool that ends leaves nothing behind that it started', async (t) => {
  const { launcher } = await launcherFor(t);
  const idFile = path.join(await temporaryFolder(t), 'ids');
  await launcher.run(request(fake('spawns-child'), [idFile, 'leaves']));
  t.deepEqual(alive(await writtenIds(idFile, FAMILY)), []);
});

test('closing the launcher kills all that runs, removes the folders and refuses more', async (t) => {
  const { launcher, workRoot } = await launcherFor(t);
  const folder = await temporaryFolder(t);
  const idFiles = ['a', 'b'].map((name) => path.join(folder, name));
  const running = await Promise.all(idFiles.map((file) => launcher.start(request(fake('spawns-child'), [file]))));
  const ids = (await Promise.all(idFiles.map((file) => writtenIds(file, FAMILY)))).flat();
  const starting = launcher.run(request(fake('hangs')));
  await Promise.all([launcher.close(), failureOf(t, starting)]);
  t.deepEqual(alive(ids), []);
  t.deepEqual(await readdir(workRoot), []);
  for (const { finished } of running) t.is((await failureOf(t, finished)).reason, 'aborted');
  t.is((await failureOf(t, launcher.run(request(fake('hangs'))))).reason, 'aborted');
});

test('nothing outlives a host that is killed by SIGKILL', async (t) => {
  const workRoot = await temporaryFolder(t);
  const idFile = path.join(await temporaryFolder(t), 'ids');
  const script = builtProcess('test/executors/process/host-to-be-killed.ts');
  const host = spawn(process.execPath, [script, workRoot, idFile], { stdio: 'inherit' });
  t.teardown(() => host.kill('SIGKILL'));
  const ids = await writtenIds(idFile, FAMILY);
  t.is(alive(ids).length, FAMILY);
  const gone = once(host, 'exit');
  host.kill('SIGKILL');
  await gone;
  t.deepEqual(await waitUntilDead(ids), []);
});

test('a process that slipped past its sandbox while its host died is killed at the next start', async (t) => {
  const workRoot = await temporaryFolder(t);
  const home = path.join(workRoot, workFolderName('process', randomUUID()));
  await mkdir(home);
  const left = spawn(fake('hangs'), [], { env: { PATH: process.env.PATH, HOME: home }, stdio: 'ignore' });
  const stranger = spawn(fake('hangs'), [], { env: { PATH: process.env.PATH, HOME: workRoot }, stdio: 'ignore' });
  t.teardown(() => stranger.kill('SIGKILL'));
  const gone = once(left, 'exit');
  const launcher = await openLauncher({ workRoot, newId: () => 'id' });
  t.teardown(() => launcher.close());
  t.deepEqual(await gone, [null, 'SIGKILL']);
  t.is(stranger.exitCode ?? stranger.signalCode, null);
  t.deepEqual(await readdir(workRoot), []);
});

test('without a sandbox an abort kills the group, although an escaped grandchild holds the pipes', async (t) => {
  const folder = await temporaryFolder(t);
  const bin = path.join(folder, 'bin');
  await mkdir(bin);
  await symlink(process.execPath, path.join(bin, 'node'));
  await symlink('/bin/sleep', path.join(bin, 'sleep'));
  const { launcher, workRoot } = await launcherFor(t, { path: `${bin}:relative:` });
  t.deepEqual(launcher.sandbox, {
    parentDeathSignal: false,
    pidNamespace: 'none',
    network: 'shared',
    resourceLimits: false,
  });
  const idFile = path.join(folder, 'ids');
  const stop = new AbortController();
  const running = await launcher.start(request(fake('spawns-child'), [idFile], { signal: stop.signal }));
  const ids = await writtenIds(idFile, FAMILY);
  stop.abort();
  t.is((await failureOf(t, running.finished)).reason, 'aborted');
  const escaped = alive(ids);
  for (const id of escaped) process.kill(id, 'SIGKILL');
  t.true(escaped.length <= 1, 'only the grandchild in its own session can get away');
  t.deepEqual(await waitUntilDead(ids), []);
  t.deepEqual(await readdir(workRoot), []);
});

test('without a sandbox a tool that leaves a grandchild at its pipes ends at the deadline', async (t) => {
  const folder = await temporaryFolder(t);
  await symlink(process.execPath, path.join(folder, 'node'));
  await symlink('/bin/sleep', path.join(folder, 'sleep'));
  const clock = new HandClock();
  const { launcher } = await launcherFor(t, { path: folder, timers: clock });
  const idFile = path.join(folder, 'ids');
  const limits = { wallMs: 3000 };
  const work = launcher.run(request(fake('spawns-child'), [idFile, 'leaves'], { limits }));
  const [tool = 0] = await writtenIds(idFile, FAMILY);
  await eventually('the end of the tool itself', () => alive([tool]).length === 0);
  clock.pass(3000);
  t.is((await failureOf(t, work)).reason, 'deadline');
  for (const id of alive((await readFile(idFile, 'utf8')).trim().split('\n').map(Number))) process.kill(id, 'SIGKILL');
});

/** A proxy that answers every request with the requested page. */
function echoingProxy(t: ExecutionContext): ProcessProxy & { readonly served: () => number } {
  const servers: HttpServer[] = [];
  t.teardown(() => servers.map((server) => server.close()));
  return {
    served: () => servers.length,
    environmentAt: (port) => ({ http_proxy: `http://127.0.0.1:${port}` }),
    serve: (listener: Server) => {
      const server = createServer((asked, response) => response.end(`asked ${asked.url}`));
      servers.push(server.listen(listener));
    },
  };
}

const ASKS = "import urllib.request as u; print(u.urlopen('http://host.example/film').read().decode())";
const python = (script: string, proxy: ProcessProxy) => request('/usr/bin/python3', ['-c', script], { proxy });

/** A PATH that holds these tools of the system alone. */
async function pathOf(t: ExecutionContext, names: readonly string[]): Promise<string> {
  const folder = path.join(await temporaryFolder(t), 'bin');
  await mkdir(folder);
  for (const name of names) await symlink(`/usr/bin/${name}`, path.join(folder, name));
  return folder;
}

test('a tool with a proxy reaches it, in a network of its own', async (t) => {
  const { launcher } = await launcherFor(t);
  t.is(launcher.sandbox.network, 'own');
  const proxy = echoingProxy(t);
  const { stdout } = await launcher.run(python(ASKS, proxy));
  t.is(stdout.toString(), 'asked http://host.example/film\n');
  t.is(proxy.served(), 1);
});

test('a tool with a proxy gets neither the channel to the host nor its variables', async (t) => {
  const { launcher } = await launcherFor(t);
  const script = "import os; print(sorted(os.environ), os.path.lexists('/proc/self/fd/3'), end='')";
  const { stdout } = await launcher.run(python(script, echoingProxy(t)));
  t.is(stdout.toString(), "['HOME', 'LC_ALL', 'PATH', 'TMPDIR', 'http_proxy'] False");
});

test('a tool without a proxy has no network, not even its own loopback', async (t) => {
  const { launcher } = await launcherFor(t);
  const script = "import socket; s = socket.socket(); print(s.connect_ex(('127.0.0.1', 3128)) != 0, end='')";
  const interfaces = "; print([n for _, n in socket.if_nameindex()], end='')";
  const { stdout } = await launcher.run(request('/usr/bin/python3', ['-c', script + interfaces]));
  t.is(stdout.toString(), "True['lo']");
});

test('if a proxy cannot get a network of its own, its tool shares that of the machine', async (t) => {
  const { launcher } = await launcherFor(t, { path: await pathOf(t, ['unshare', 'true', 'setpriv', 'prlimit']) });
  t.is(launcher.sandbox.network, 'empty');
  const { stdout } = await launcher.run(python(ASKS, echoingProxy(t)));
  t.is(stdout.toString(), 'asked http://host.example/film\n');
});

test('without namespaces a tool with a proxy reaches it all the same', async (t) => {
  const { launcher } = await launcherFor(t, { path: await pathOf(t, ['true']) });
  t.is(launcher.sandbox.network, 'shared');
  const { stdout } = await launcher.run(python(ASKS, echoingProxy(t)));
  t.is(stdout.toString(), 'asked http://host.example/film\n');
});

test('a network that cannot be made later fails the launch, and the tool is never started', async (t) => {
  const folder = await pathOf(t, ['unshare', 'true', 'sh', 'setpriv', 'prlimit']);
  const ip = path.join(folder, 'ip');
  await symlink('/usr/sbin/ip', ip).catch(() => {});
  const { launcher } = await launcherFor(t, { path: folder });
  t.is(launcher.sandbox.network, 'own');
  const broken = path.join(folder, 'broken');
  await writeFile(broken, '#!/bin/sh\nexit 1\n');
  await chmod(broken, 0o755);
  await rename(broken, ip);
  const failure = await failureOf(t, launcher.run(python(ASKS, echoingProxy(t))));
  t.is(failure.message, 'launch_failed: python3 could not be given a network of its own');
});

test('the process that makes a listener ends with its killed host, and starts no tool', async (t) => {
  const started = path.join(await temporaryFolder(t), 'started');
  const words = await ownNetworkWords({
    enter: ['/usr/bin/unshare', '--user', '--map-root-user', '--net'],
    drop: [],
    pathText: '/usr/bin',
    works: async ([file = '', ...args]) => (await execa(file, args, { reject: false })).exitCode === 0,
  });
  // This host has none of the other parts of a sandbox, so nothing but the lost channel can end what it started.
  const host = `
    const [file, ...args] = JSON.parse(process.argv[1]);
    const child = require('node:child_process').spawn(file, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], detached: true });
    require('node:fs').writeSync(1, String(child.pid));
    process.kill(process.pid, 'SIGKILL');
  `;
  const command = JSON.stringify([...(words ?? []), '/usr/bin/touch', started]);
  const { stdout } = await execa(process.execPath, ['--eval', host, command], { reject: false });
  t.deepEqual(await waitUntilDead([Number(stdout)]), []);
  t.false(existsSync(started));
});

test('a tool cannot take more memory than its limit, and can take less', async (t) => {
  const { launcher } = await launcherFor(t);
  const memoryBytes = 512 * 1024 * 1024;
  const { stdout } = await launcher.run(request(fake('takes-memory'), ['256'], { limits: { memoryBytes } }));
  t.is(stdout.toString(), 'took 256\n');
  const failure = await failureOf(
    t,
    launcher.run(request(fake('takes-memory'), ['1024'], { limits: { memoryBytes } })),
  );
  t.true(['tool_exit', 'tool_signal'].includes(failure.reason), failure.message);
});

const execute = promisify(execFile);
const script = builtProcess('test/executors/process/launches-within.ts');
const NOBODY = 65534;

/** The findings of a launcher and the output of a tool if the host is started by this command. */
async function launchedBy(t: ExecutionContext, command: readonly string[], owner: number): Promise<string[]> {
  const workRoot = await mkdtemp(path.join(os.tmpdir(), 'lesser-'));
  t.teardown(() => rm(workRoot, { recursive: true, force: true }));
  if (process.getuid?.() === 0) await chown(workRoot, owner, owner);
  const [file = '', ...args] = [...command, process.execPath, script, workRoot];
  const { stdout } = await execute(file, args, { env: { PATH: process.env.PATH } });
  return stdout.split('\n');
}

const limitOf = (lines: readonly string[], name: string) =>
  lines
    .find((line) => line.startsWith(name))
    ?.slice(26, 46)
    .trim();

// Only root can change its user; for any other user of the tests this is a lesser user already.
const asNobody =
  process.getuid?.() === 0 ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];

test('a host of an ordinary user gives its tools a network of their own too, and no rights in it', async (t) => {
  const lines = await launchedBy(t, asNobody.length > 0 ? asNobody : ['env'], NOBODY);
  t.like(JSON.parse(lines[0] ?? ''), { pidNamespace: 'user', network: 'own', resourceLimits: true });
  t.is(lines[1], 'process sandbox: complete');
  t.regex(lines[2] ?? '', /^through the proxy/);
  for (const kind of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) {
    t.regex(lines.find((line) => line.startsWith(kind)) ?? '', /:\s0+$/, kind);
  }
});

test('hard limits below those of the launcher lower them, say so, and drop no other limit', async (t) => {
  const low = ['prlimit', '--nofile=200:200', '--cpu=25:25', '--fsize=500000:500000'];
  const lines = await launchedBy(t, [...low, ...(asNobody.length > 0 ? asNobody : ['env'])], NOBODY);
  t.like(JSON.parse(lines[0] ?? ''), { resourceLimits: true, fewerOpenFiles: 200 });
  t.is(lines[1], 'process sandbox: a process may open 200 files instead of 256 (hard limit "nofile")');
  t.is(limitOf(lines, 'Max open files'), '200');
  t.is(limitOf(lines, 'Max cpu time'), '25');
  t.is(limitOf(lines, 'Max file size'), '500000');
  t.is(limitOf(lines, 'Max data size'), String(1024 ** 3));
  t.is(limitOf(lines, 'Max core file size'), '0');
});
