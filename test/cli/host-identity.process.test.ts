import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { RunningHost } from '../http/running-host.ts';
import { eventually } from '../patience.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { isAlive, runBuilt, runCommand, startBuilt } from './command.ts';

// The commands look for the host of a data root, and wait for a silent one.

interface Address {
  readonly listening: string;
  readonly authorizationToken: string;
  readonly pid: number;
}

async function hostOn(t: ExecutionContext, root: string, flags: readonly string[] = ['--port', '0']) {
  const host = new RunningHost({ flags: ['--data-root', root, ...flags] });
  t.teardown(() => host.kill());
  return { host, address: (await host.announced()) as unknown as Address };
}

/** A program of anybody at a port of this machine; the heads that it got. */
async function stranger(t: ExecutionContext, answer: RequestListener, port = 0) {
  const heads: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    heads.push(request.headers);
    answer(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, hasToken: () => heads.some((head) => 'authorization' in head), asked: () => heads.length };
}

const readFileOf = async (root: string) => JSON.parse(await readFile(join(root, 'host.json'), 'utf8'));

test('bug: after its host was killed a command gave the token to whatever had its port', async (t) => {
  const folder = await scratchFolder(t);
  const root = join(folder, 'root');
  const { host, address } = await hostOn(t, root, ['--port', '0', '--token-file', join(folder, 'token')]);
  await host.kill();
  const { port } = new URL(address.listening);
  const other = await stranger(t, (_request, response) => response.end('{"sourceSessions":[]}'), Number(port));
  const { exit, stdout, stderr } = await runCommand(['sources', '--data-root', root]);
  t.is(exit, 0, stderr);
  t.regex(stderr, /^host\.json in .* is stale: its process \d+ has ended; it was put aside as host\.json\.stale\n$/);
  t.regex(stdout, /^source-session:/);
  t.is(other.asked(), 0);
  // The host of the command has removed what was put aside, and its own file.
  t.deepEqual(
    (await readdir(root)).filter((name) => /^(?:host\.json|console\.html)/.test(name)),
    [],
  );
});

test('a host file that leads to the host of another data root is not followed, whatever it has in it', async (t) => {
  const folder = await scratchFolder(t);
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  await hostOn(t, one);
  const second = await hostOn(t, two);
  const [file, own] = [await readFileOf(one), await readFileOf(two)];
  await second.host.kill();
  // Everything in it is true of the folder and of a live process; only the proof of that host tells which root it serves.
  const { device, inode, bornAt } = own;
  await writeFile(join(two, 'host.json'), JSON.stringify({ ...file, device, inode, bornAt }), { mode: 0o600 });
  const { exit, stderr } = await runCommand(['gc', '--data-root', two]);
  t.is(exit, 0, stderr);
  t.regex(stderr, /host\.json in .*two is stale: what listens on its port is not its host; /);
  t.deepEqual(await readFileOf(one), file);
});

test('a data root behind a link is the same one', async (t) => {
  const folder = await scratchFolder(t);
  const { address } = await hostOn(t, join(folder, 'root'));
  await symlink(join(folder, 'root'), join(folder, 'link'));
  const { exit, stdout, stderr } = await runCommand(['open', '--print', '--data-root', join(folder, 'link')]);
  t.deepEqual([exit, stdout, stderr], [0, `${address.listening}/#token=${address.authorizationToken}\n`, '']);
});

test('a host of an earlier version gets nothing, and is named with what to do', async (t) => {
  const folder = await scratchFolder(t);
  const earlier = await stranger(t, ({ url }, response) => {
    response.statusCode = url === '/v1/health' ? 200 : 401;
    response.end('{"schema":"studio.host-health.v1","status":"ok","version":"1.0.0"}');
  });
  const root = join(folder, 'root');
  const first = await hostOn(t, root);
  await first.host.stop();
  const file = { listening: earlier.origin, authorizationToken: 'a'.repeat(64), pid: process.pid };
  await writeFile(join(root, 'host.json'), JSON.stringify(file), { mode: 0o600 });
  const said = new RegExp(
    `^the host at ${earlier.origin} \\(process ${process.pid}\\) has version 1\\.0\\.0, which cannot prove that it knows the token: nothing was sent to it; stop it, and run the command again; if this folder is a copy`,
  );
  for (const call of [['sources'], ['backup', join(folder, 'backup')]]) {
    const { exit, stderr } = await runCommand([...call, '--data-root', root]);
    t.is(exit, 3);
    t.regex(stderr, said);
  }
  const named = { MEDIA_STUDY_HOST: earlier.origin, MEDIA_STUDY_TOKEN: 'a'.repeat(64) };
  const { exit, stderr } = await runCommand(['sources'], named);
  t.is(exit, 3);
  t.regex(stderr, /has version 1\.0\.0, which cannot prove that it knows the token/);
  t.false(earlier.hasToken());
  t.true(existsSync(join(root, 'host.json')));
});

test('the environment and the call name the same data root, or the call is wrong', async (t) => {
  const folder = await scratchFolder(t);
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  const { address } = await hostOn(t, one);
  const second = await hostOn(t, two);
  await second.host.stop();
  const named = { MEDIA_STUDY_HOST: address.listening, MEDIA_STUDY_TOKEN: address.authorizationToken };
  t.is((await runCommand(['sources', '--data-root', one], named)).exit, 0);
  const { exit, stderr } = await runCommand(['gc', '--data-root', two], named);
  t.is(exit, 2);
  t.regex(stderr, /^MEDIA_STUDY_HOST names the host of another data root than --data-root .*two: unset /);
});

test('a host that ends keeps the files of the next host at its path', async (t) => {
  const folder = await scratchFolder(t);
  const root = join(folder, 'root');
  const { host } = await hostOn(t, root);
  await rename(root, join(folder, 'moved'));
  await mkdir(root, { mode: 0o700 });
  const second = await hostOn(t, root);
  const file = await readFileOf(root);
  await host.stop();
  t.deepEqual(await readFileOf(root), file);
  await second.host.stop();
  t.false(existsSync(join(root, 'host.json')));
});

test('bug: a stopped host kept commands, doctor and agents silent for minutes', async (t) => {
  const folder = await scratchFolder(t);
  const root = join(folder, 'root');
  const { address } = await hostOn(t, root);
  process.kill(address.pid, 'SIGSTOP');
  const said = new RegExp(
    `the host at ${address.listening} does not answer: its process ${address.pid} is stopped; waiting 25 s more for it`,
  );
  const calls = [['runtimes'], ['doctor'], ['mcp'], ['backup', join(folder, 'backup')]];
  const ended = await Promise.all(calls.map((call) => runCommand([...call, '--data-root', root])));
  for (const [at, { exit, stdout, stderr }] of ended.entries()) {
    const name = calls[at]?.join(' ');
    t.is(exit, 3, `${name}: ${stderr}`);
    t.regex(stderr, said, name);
    t.regex(`${stdout}${stderr}`, /does not answer; continue its process if it is stopped \(kill -CONT\)/, name);
  }
  process.kill(address.pid, 'SIGCONT');
  t.is((await runCommand(['runtimes', '--data-root', root])).exit, 0);
});

test('a host that is stopped for a while is waited for', async (t) => {
  const root = join(await scratchFolder(t), 'root');
  const { address } = await hostOn(t, root);
  process.kill(address.pid, 'SIGSTOP');
  const command = startBuilt('build/media-study.js', ['disk', '--data-root', root]);
  let said = '';
  command.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const ended = once(command, 'close');
  await eventually('the mention', () => said.includes('does not answer'));
  process.kill(address.pid, 'SIGCONT');
  t.deepEqual(await ended, [0, null]);
  t.regex(said, /does not answer: .*\nthe host at .* answers again\n$/);
});

test('bug: an agent server whose host was killed started none, and answered an agent only after it had one', async (t) => {
  const root = join(await scratchFolder(t), 'root');
  const { host, address } = await hostOn(t, root);
  const server = startBuilt('build/media-study.js', ['mcp', '--data-root', root]);
  t.teardown(() => server.kill('SIGKILL'));
  const answers: { id: number; result?: { isError?: boolean } }[] = [];
  let rest = '';
  server.stdout.on('data', (chunk) => {
    rest += chunk;
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    answers.push(...lines.map((line) => JSON.parse(line)));
  });
  const ask = async (id: number, method: string, params: object) => {
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    await eventually(`the answer to ${method}`, () => answers.some((each) => each.id === id));
    return answers.find((each) => each.id === id);
  };
  const clientInfo = { name: 'an agent', version: '1' };
  // It answers while its host does not.
  process.kill(address.pid, 'SIGSTOP');
  await ask(1, 'initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo });
  process.kill(address.pid, 'SIGCONT');
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  t.falsy((await ask(2, 'tools/call', { name: 'list_sources', arguments: {} }))?.result?.isError);
  await host.kill();
  t.falsy((await ask(3, 'tools/call', { name: 'list_sources', arguments: {} }))?.result?.isError);
  const { pid } = await readFileOf(root);
  t.not(pid, address.pid);
  const ended = once(server, 'close');
  server.stdin.end();
  t.deepEqual(await ended, [0, null]);
  t.false(isAlive(pid));
});

test('a search for a host that failed is an answer to an agent, with what to do', async (t) => {
  const root = join(await scratchFolder(t), 'root');
  await mkdir(root, { mode: 0o700 });
  await writeFile(join(root, 'settings.json'), '[]');
  const server = startBuilt('build/media-study.js', ['mcp', '--data-root', root]);
  t.teardown(() => server.kill('SIGKILL'));
  const message = (id: number, method: string, params: object) =>
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  let said = '';
  server.stdout.on('data', (chunk) => {
    said += chunk;
  });
  message(1, 'initialize', {
    protocolVersion: '2025-03-26',
    capabilities: {},
    clientInfo: { name: 'a', version: '1' },
  });
  message(2, 'tools/call', { name: 'list_sources', arguments: {} });
  await eventually('both answers', () => said.split('\n').length === 3);
  t.regex(said, /"isError":true/);
  t.regex(said, /invalid_settings.*one object with settings is needed/);
  server.stdin.end();
  await once(server, 'close');
});

test('a host starts in a folder with what was put aside, and removes it', async (t) => {
  const root = join(await scratchFolder(t), 'root');
  const first = await hostOn(t, root);
  await first.host.stop();
  for (const name of ['host.json.stale', 'console.html.stale', 'console.html', 'host.json.4711'])
    await writeFile(join(root, name), 'of another host');
  // A restore that was killed at its very end leaves the empty folder; a folder in the place of a leftover stops no host.
  await mkdir(join(root, 'restoring-6f1f5c1e-0000-4000-8000-000000000000'));
  await mkdir(join(root, 'settings.json.new'));
  const second = await hostOn(t, root);
  t.deepEqual(
    (await readdir(root)).filter((name) => /^(?:host\.json|console\.html|restoring)/.test(name)),
    ['host.json'],
  );
  await second.host.stop();
  t.is(execFileSync('ls', [root], { encoding: 'utf8' }).includes('host.json'), false);
  t.is((await runBuilt('build/media-study.js', ['doctor', '--data-root', root])).stderr, '');
});
