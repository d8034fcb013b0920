import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server as HttpServer } from 'node:http';
import type { Server } from 'node:net';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { execa } from 'execa';
import { ownNetworkWords } from '../../../executors/process/own-network.ts';
import type { ProcessProxy } from '../../../executors/process/process.ts';
import { failureOf, fake, launcherFor, request, temporaryFolder, waitUntilDead } from './launcher-for-tests.ts';

/** A proxy that answers every request with what was asked for. */
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

test('where no proxy can stand in a network of its own, a tool with one shares the network of the machine', async (t) => {
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

test('a network that cannot be made once the host runs fails the launch, and the tool is never started', async (t) => {
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

test('a process that makes a listener for a host that was killed ends, and its tool is never started', async (t) => {
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
