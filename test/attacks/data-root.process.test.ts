import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { openLauncher } from '../../executors/process/launcher.ts';
import { workFolderName } from '../../storage/objects/leftovers.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';

async function write(path: string, text = 'precious'): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  await writeFile(path, text);
}

test('a launcher over a linked work folder is refused, ends no process, removes nothing', async (t) => {
  const outside = await scratchFolder(t);
  const home = join(outside, workFolderName('process', randomUUID()));
  await write(join(home, 'precious.txt'));
  const neighbor = spawn('sleep', ['60'], { env: { PATH: process.env.PATH, HOME: home }, stdio: 'ignore' });
  t.teardown(() => neighbor.kill('SIGKILL'));
  const work = join(await scratchFolder(t), 'work');
  await symlink(outside, work);
  await t.throwsAsync(openLauncher({ workRoot: work, newId: randomUUID }), { message: /work root/ });
  t.is(neighbor.exitCode ?? neighbor.signalCode, null);
  t.is(await readFile(join(home, 'precious.txt'), 'utf8'), 'precious');
});

test('a launcher ends no process and removes nothing in a folder that only resembles its own', async (t) => {
  const work = await scratchFolder(t);
  const home = join(work, 'process-of-mine');
  await write(join(home, 'precious.txt'));
  const neighbor = spawn('sleep', ['60'], { env: { PATH: process.env.PATH, HOME: home }, stdio: 'ignore' });
  t.teardown(() => neighbor.kill('SIGKILL'));
  const launcher = await openLauncher({ workRoot: work, newId: randomUUID });
  await launcher.close();
  t.is(neighbor.exitCode ?? neighbor.signalCode, null);
  t.is(await readFile(join(home, 'precious.txt'), 'utf8'), 'precious');
});
