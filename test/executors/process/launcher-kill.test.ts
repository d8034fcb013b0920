import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { openLauncher } from '../../../executors/process/launcher.ts';
import { workFolderName } from '../../../storage/objects/leftovers.ts';
import { builtProcess } from '../../built-process.ts';
import { eventually } from '../../patience.ts';
import { HandClock } from './hand-clock.ts';
import {
  alive,
  failureOf,
  fake,
  launcherFor,
  request,
  temporaryFolder,
  waitUntilDead,
  writtenIds,
} from './launcher-for-tests.ts';

// The launcher promises a namespace only where the kernel gives one; the tests below that need it run on Linux.
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

test('without a sandbox an abort kills the group and settles although an escaped grandchild holds the pipes', async (t) => {
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
