import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { isAlive, repository, runCommand, startBuilt } from './command.ts';

const sample = join(repository, 'fixtures/sample/source/media/sample.mp4');

/** A study by a command that has started a host for itself, and the process of that host. */
async function studying(t: ExecutionContext) {
  const folder = await scratchFolder(t);
  const flags = ['--data-root', folder, '--rights-holder', 'Me', '--attest-rights'];
  const command = startBuilt('build/media-study.js', ['study', sample, ...flags]);
  const said: string[] = [];
  const ended = once(command, 'close');
  for await (const line of createInterface({ input: command.stderr })) {
    said.push(line);
    if (line.startsWith('sample.mp4: ')) break;
  }
  const { pid } = JSON.parse(await readFile(join(folder, 'host.json'), 'utf8')) as { pid: number };
  t.true(isAlive(pid));
  return { command, ended, pid, flags };
}

test('the host of a command ends when its command is killed', async (t) => {
  const { command, ended, pid } = await studying(t);
  command.kill('SIGKILL');
  await ended;
  while (isAlive(pid)) await sleep(50);
  t.pass();
});

test('an interrupted command explains the state of its work, and its host has ended by then', async (t) => {
  const { command, ended, pid } = await studying(t);
  const said: string[] = [];
  createInterface({ input: command.stderr }).on('line', (line) => said.push(line));
  command.kill('SIGINT');
  t.deepEqual(await ended, [130, null]);
  t.regex(said.at(-1) ?? '', /^interrupted: an ingest under way is canceled; a study continues while a host runs/);
  t.false(isAlive(pid));
});

test('commands that begin at once on a data root without a host share the host of one of them', async (t) => {
  const flags = ['--data-root', await scratchFolder(t), '--rights-holder', 'Me', '--attest-rights', '--to', '1'];
  const ended = await Promise.all([1, 2, 3].map(() => runCommand(['study', sample, ...flags])));
  for (const { exit, stderr } of ended) t.is(exit, 0, stderr);
});

test('a command whose host belonged to another command continues with a host of its own', async (t) => {
  const { command, flags } = await studying(t);
  // It must not end by itself before it is killed, however long the machine takes over the start of the other one.
  command.kill('SIGSTOP');
  const other = startBuilt('build/media-study.js', ['study', sample, ...flags, '--again', 'second']);
  const ended = once(other, 'close');
  const said: string[] = [];
  for await (const line of createInterface({ input: other.stderr })) {
    // It works through the host of the first command, which ends when the file is taken in: opening an ingest happens
    // only once.
    said.push(line);
    if (/: registered/.test(line)) command.kill('SIGKILL');
  }
  t.deepEqual(await ended, [0, null], said.join('\n'));
  t.true(said.includes('the host has ended; this command started another'), said.join('\n'));
});
