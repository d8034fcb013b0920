import { execFile } from 'node:child_process';
import { chmod, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { hostToken } from '../../cli/token.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';

const run = promisify(execFile);
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

test('a file that others can read is refused, whatever it holds', async (t) => {
  const file = join(await scratchFolder(t), 'token');
  await writeFile(file, token, { mode: 0o600 });
  for (const mode of [0o640, 0o604, 0o660, 0o644, 0o610]) {
    await chmod(file, mode);
    await t.throwsAsync(hostToken(file), refused, mode.toString(8));
  }
});

test('a file that holds no token is refused and stays as it is', async (t) => {
  const file = join(await scratchFolder(t), 'token');
  for (const text of ['', token.slice(1), `${token}0`, token.toUpperCase(), `${token}\n${token}`, 'g'.repeat(64)]) {
    await writeFile(file, text, { mode: 0o600 });
    await t.throwsAsync(hostToken(file), refused, text);
    t.is(await readFile(file, 'utf8'), text);
  }
});

test('a folder, a pipe and a path that leads nowhere are refused without waiting', async (t) => {
  const folder = await scratchFolder(t);
  await chmod(folder, 0o700);
  await t.throwsAsync(hostToken(folder), refused);
  const pipe = join(folder, 'pipe');
  await run('mkfifo', ['-m', '600', pipe]);
  await t.throwsAsync(hostToken(pipe), refused);
  await t.throwsAsync(hostToken(join(folder, 'missing', 'token')), refused);
  await symlink(join(folder, 'missing', 'token'), join(folder, 'link'));
  await t.throwsAsync(hostToken(join(folder, 'link')), refused);
});

test('bug: a token file in a folder that is not there was refused in words of Node', async (t) => {
  const file = join(await scratchFolder(t), 'missing', 'token');
  const { message } = await t.throwsAsync(hostToken(file), refused);
  t.regex(message, /a folder on the way to it is not there/);
  t.notRegex(message, /Error: /);
});
