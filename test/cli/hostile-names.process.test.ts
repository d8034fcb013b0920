import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { livedRoot } from '../host/lives.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { repository, runCommand } from './command.ts';

const run = promisify(execFile);

/** A title of the window, a color, a C1 sequence, a return to the beginning of the line, and a change of direction. */
const steering = '\u001b]0;title\u0007\u001b[31m\u009b2J\r\u202eevil\u2066';
/** Line breaks and tabs are those of the program. */
const raw = /(?![\n\t])[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u;

/** A command printed what others wrote, and nothing of it steers the terminal. */
async function isTame(t: ExecutionContext, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await runCommand(args);
  const said = stdout + stderr;
  t.false(raw.test(said), JSON.stringify(said));
  t.true(said.includes('\\u001b'), `${args[0]} shows it escaped: ${said}`);
  return said;
}

test('bug: names of files, settings and manifests steered the terminal of the one who read them', async (t) => {
  const folder = await scratchFolder(t);
  const root = livedRoot(t, 'ingested');
  const at = ['--data-root', root];
  const copy = join(folder, 'copy');
  t.is((await runCommand(['backup', copy, ...at])).exit, 0);
  const named = join(folder, `film ${steering}.mkv`);
  await writeFile(named, 'no film');
  const manifest = join(copy, 'MEDIA-STUDY-BACKUP.json');
  const stored = JSON.parse(await readFile(manifest, 'utf8'));
  await writeFile(manifest, JSON.stringify({ ...stored, version: steering, format: 99 }));
  const settings = join(folder, 'settings.json');
  await writeFile(settings, JSON.stringify({ [steering]: 1 }));
  for (const args of [
    ['restore', copy, '--data-root', join(folder, 'restored')],
    ['restore', join(folder, steering), '--data-root', join(folder, 'restored')],
    ['ingest', named, ...at],
    ['ingest', named, '--json', ...at],
    ['ingest', join(folder, `missing ${steering}`), ...at],
    ['study', named, ...at],
    ['verify', named],
    ['verify', named, '--json'],
    ['settings', '--settings', settings, ...at],
    ['settings', 'set', `${steering}=1`, ...at],
    ['sources', `--${steering}`],
    ['doctor', '--data-root', join(folder, steering)],
    [steering],
  ]) {
    await isTame(t, args);
  }
});

test('a line break in the name of a file makes no second line of a message', async (t) => {
  const folder = await scratchFolder(t);
  const { stderr } = await runCommand(['restore', join(folder, 'a\nintact: all'), '--data-root', join(folder, 'new')]);
  t.is(stderr.trim().split('\n').length, 1, stderr);
});

/** The entries below a folder that others than their owner may use, with their modes. */
async function openEntries(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    const { mode } = await stat(join(folder, name));
    if ((mode & 0o077) !== 0) found.push(`${(mode & 0o777).toString(8)} ${name}`);
  }
  return found;
}

test('bug: with umask 000 the lock of a backup, exports and logs were open to every user', async (t) => {
  const folder = await scratchFolder(t);
  const root = livedRoot(t, 'captioned');
  const out = join(folder, 'out');
  await mkdir(out, { mode: 0o700 });
  const id =
    (await runCommand(['runtimes', '--json', '--data-root', root])).stdout.match(/runtime:[0-9a-f]+/)?.[0] ?? '';
  for (const args of [
    ['backup', join(out, 'copy'), '--data-root', root],
    ['restore', join(out, 'copy'), '--data-root', join(out, 'restored')],
    ['export', id, 'facts.csv', '--output', join(out, 'facts.csv'), '--data-root', root],
    ['export', id, 'bundle', '--output', join(out, 'study.tar'), '--data-root', root],
    ['settings', 'set', 'study-workers=1', '--data-root', join(out, 'restored')],
    ['doctor', '--data-root', join(out, 'restored')],
    ['gc', '--data-root', join(out, 'restored')],
  ]) {
    const words = ['build/media-study.js', ...args].map((word) => `'${word}'`).join(' ');
    await run('sh', ['-c', `umask 000; exec '${process.execPath}' ${words}`], { cwd: repository });
  }
  t.deepEqual(await openEntries(out), []);
  t.deepEqual(await openEntries(root), []);
});
