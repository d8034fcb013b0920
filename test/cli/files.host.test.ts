import { createWriteStream } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import test, { type ExecutionContext } from 'ava';
import { ExportFolder } from '../../cli/agent/export-folder.ts';
import { writeExport } from '../../cli/commands/exports.ts';
import { hostToken } from '../../cli/host-files.ts';
import { changeSettings } from '../../cli/settings/settings-file.ts';
import { WrongCall } from '../../cli/terminal/call.ts';
import { StudyHost } from '../../client/study-host.ts';
import { systemFailure } from '../../options/failures.ts';
import { absolutePath, storedPath } from '../../options/flags.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { refusedCall } from '../storage/refused-call.ts';
import { exporting } from './exported-facts.ts';

const refused = { name: 'StartError', code: 'invalid_host_token' };
const token = '0123456789abcdef'.repeat(4);

test('without a file every process has a token of its own', async (t) => {
  const [one, two] = [await hostToken(null), await hostToken(null)];
  t.regex(one, /^[a-f0-9]{64}$/);
  t.not(one, two);
});

test('a file that does not exist is written for its owner alone, and read the next time', async (t) => {
  const file = join(await scratchFolder(t), 'token');
  const written = await hostToken(file);
  t.is(await readFile(file, 'utf8'), `${written}\n`);
  t.is((await stat(file)).mode & 0o777, 0o600);
  t.is(await hostToken(file), written);
});

test('a file of the right form is taken as it is, without its last line break', async (t) => {
  const folder = await scratchFolder(t);
  for (const [name, text] of Object.entries({ bare: token, line: `${token}\n`, windows: `${token}\r\n` })) {
    await writeFile(join(folder, name), text, { mode: 0o600 });
    t.is(await hostToken(join(folder, name)), token);
  }
});

test('a file that others can read is refused, whatever its content', async (t) => {
  const file = join(await scratchFolder(t), 'token');
  await writeFile(file, token, { mode: 0o600 });
  for (const mode of [0o640, 0o604, 0o660, 0o644, 0o610]) {
    await chmod(file, mode);
    await t.throwsAsync(hostToken(file), refused, mode.toString(8));
  }
});

test('a file that holds no token is refused and stays as it is', async (t) => {
  const file = join(await scratchFolder(t), 'token');
  for (const text of [token.slice(1), `${token}0`, token.toUpperCase(), `${token}\n${token}`, 'g'.repeat(64)]) {
    await writeFile(file, text, { mode: 0o600 });
    await t.throwsAsync(hostToken(file), refused, text);
    t.is(await readFile(file, 'utf8'), text);
  }
});

test('bug: a token file in a folder that is not there was refused in words of Node', async (t) => {
  const file = join(await scratchFolder(t), 'missing', 'token');
  const { message } = await t.throwsAsync(hostToken(file), refused);
  t.regex(message, /a folder in its path does not exist/);
  t.notRegex(message, /Error: /);
});

const { signal } = new AbortController();
const asked = { name: 'facts.csv', options: {} } as const;

test('an export leaves a file of the person alone that is called like its part', async (t) => {
  const { folder, write } = await exporting(t);
  await writeFile(join(folder, 'facts.csv.part'), 'mine');
  await write(join(folder, 'facts.csv'));
  t.deepEqual((await readdir(folder)).sort(), ['facts.csv', 'facts.csv.part']);
  t.is(await readFile(join(folder, 'facts.csv.part'), 'utf8'), 'mine');
});

test('an export follows a link, and does not put a file in its place', async (t) => {
  const { folder, write } = await exporting(t);
  await writeFile(join(folder, 'target.csv'), 'before');
  await symlink(join(folder, 'target.csv'), join(folder, 'link.csv'));
  await write(join(folder, 'link.csv'));
  t.true((await lstat(join(folder, 'link.csv'))).isSymbolicLink());
  t.is(await readFile(join(folder, 'target.csv'), 'utf8'), 'kind,startMs\n');
});

test('bug: an export replaced a read-only file', async (t) => {
  const { folder, write } = await exporting(t);
  const path = join(folder, 'kept.csv');
  await writeFile(path, 'mine', { mode: 0o444 });
  await t.throwsAsync(write(path), { instanceOf: WrongCall, message: /kept\.csv is read-only: name another file/ });
  t.is(await readFile(path, 'utf8'), 'mine');
});

test('bug: a change of settings put a plain file in the place of a link', async (t) => {
  const folder = await scratchFolder(t);
  const [link, target] = [join(folder, 'root', 'settings.json'), join(folder, 'dotfiles', 'settings.json')];
  await mkdir(dirname(link));
  await symlink(join('..', 'dotfiles', 'settings.json'), link);
  for (const port of [1, 2]) {
    await changeSettings(link, async () => new Map([['port', port]]));
    t.true((await lstat(link)).isSymbolicLink());
    t.deepEqual(JSON.parse(await readFile(target, 'utf8')), { port });
  }
  t.deepEqual(await readdir(dirname(link)), ['settings.json']);
  t.deepEqual(await readdir(dirname(target)), ['.settings.json.lock', 'settings.json']);
});

const runtimeId = 'runtime:any';

/** A folder of exports inside a private one, and what writes an export of a host into it. */
async function exportingFolder(t: ExecutionContext) {
  const folder = join(await scratchFolder(t), 'exports');
  const host = StudyHost.connect(
    { baseUrl: 'http://127.0.0.1:1', token: 'any' },
    {
      reconnectMs: 0,
      fetch: async (url) =>
        String(url).includes('/exports/') ? new Response('kind,startMs\n') : Response.json({ runtimeId }),
    },
  );
  const exports = new ExportFolder(folder);
  return { folder, write: () => exports.write(host, runtimeId, asked, signal) };
}

test('bug: a folder of exports that once could not be made was not tried again', async (t) => {
  const { folder, write } = await exportingFolder(t);
  await writeFile(folder, 'a file in its place');
  await t.throwsAsync(write(), { code: 'EEXIST' });
  await rm(folder);
  const { path } = await write();
  t.is(dirname(path), folder);
  t.is(await readFile(path, 'utf8'), 'kind,startMs\n');
});

test('a failed system call is reported with its path, its meaning and a remedy', async (t) => {
  const folder = await scratchFolder(t);
  const missing = join(folder, 'none', 'file');
  const written = await t.throwsAsync(finished(createWriteStream(missing)));
  t.is(
    systemFailure(written),
    `${missing}: a folder in its path does not exist; create it first, or correct the path (ENOENT)`,
  );
  const made = await t.throwsAsync(mkdir('/proc/none'));
  t.regex(systemFailure(made) ?? '', /^\/proc\/none: .*; .* \(E[A-Z]+\)$/);
  const quota = '/data: the quota of this user is used up; make room, or choose another place (EDQUOT)';
  t.is(systemFailure(refusedCall('EDQUOT')), quota);
  t.is(systemFailure(new Error('another')), undefined);
  t.is(systemFailure(Object.assign(new Error('x'), { code: 'EODD', path: '/a', syscall: 'open' })), undefined);
});

test('bug: a backup onto a full volume named the data root as full', (t) => {
  const copying = (code: string) =>
    systemFailure(
      Object.assign(new Error('any'), { code, syscall: 'copyfile', path: '/root/object', dest: '/disk/object' }),
    );
  t.regex(copying('ENOSPC') ?? '', /^\/disk\/object: its volume is full; /);
  t.regex(copying('EROFS') ?? '', /^\/disk\/object: its file system is read-only; /);
  t.regex(copying('ENOENT') ?? '', /^\/root\/object: /);
});

test('bug: an export onto a full volume did not name its file', async (t) => {
  const folder = await scratchFolder(t);
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
  const body = () => new ReadableStream({ pull: (stream) => stream.error(full) });
  const host = StudyHost.connect(
    { baseUrl: 'http://127.0.0.1:1', token: 'any' },
    { fetch: async () => new Response(body()) },
  );
  const asked = { name: 'bundle', media: false } as const;
  const path = join(folder, 'study.bundle');
  const error = await t.throwsAsync(writeExport(host, 'runtime:any', asked, path, new AbortController().signal));
  t.is(systemFailure(error), `${path}: its volume is full; make room, or choose another place (ENOSPC)`);
  t.deepEqual(await readdir(folder), []);
});

test('bug: a file whose name macOS wrote could not be named by the letters of a keyboard', async (t) => {
  const folder = await scratchFolder(t);
  const [composed, decomposed] = ['Müller 열람실'.normalize('NFC'), 'Müller 열람실'.normalize('NFD')];
  await mkdir(join(folder, decomposed));
  await writeFile(join(folder, decomposed, `${decomposed}.mp4`), 'film');
  t.is(storedPath(join(folder, composed, `${composed}.mp4`)), join(folder, decomposed, `${decomposed}.mp4`));
  t.is(absolutePath(join(folder, composed)), join(folder, decomposed));
  // A new file keeps its name, in the folder that is there.
  t.is(storedPath(join(folder, composed, 'new.srt')), join(folder, decomposed, 'new.srt'));
  t.is(storedPath(join(folder, `${composed}.srt`)), join(folder, `${composed}.srt`));
  // Each file of the same name in both forms is named by its own form.
  await mkdir(join(folder, composed));
  t.is(storedPath(join(folder, composed)), join(folder, composed));
  t.is(storedPath(join(folder, decomposed)), join(folder, decomposed));
});
