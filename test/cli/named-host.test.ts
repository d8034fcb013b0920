import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { runCommand as run } from './command.ts';
import { serving } from './foreign-host.ts';

let folder = '';
test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'named-host-'));
});
test.after.always(() => rm(folder, { recursive: true, force: true }));

// No program may listen on the port, and `fetch` asks none there.
const nowhere = { MEDIA_STUDY_HOST: 'http://127.0.0.1:1', MEDIA_STUDY_TOKEN: 'any' };

test('a command whose environment names a host that is not there starts no other in its place', async (t) => {
  const root = join(folder, 'untouched');
  const { exit, stdout, stderr } = await run(['gc', '--data-root', root], nowhere);
  t.deepEqual([exit, stdout], [3, '']);
  t.regex(stderr, /^no host answers at http:\/\/127\.0\.0\.1:1 of MEDIA_STUDY_HOST, or it refuses MEDIA_STUDY_TOKEN; /);
  await t.throwsAsync(stat(root), { code: 'ENOENT' });
});

test('an environment that names a half of a host, or no address, is a wrong call', async (t) => {
  const root = ['--data-root', join(folder, 'none')];
  const half = await run(['sources', ...root], { MEDIA_STUDY_HOST: nowhere.MEDIA_STUDY_HOST });
  t.deepEqual(half, {
    exit: 2,
    stdout: '',
    stderr: 'MEDIA_STUDY_HOST is set and MEDIA_STUDY_TOKEN is not: set both, or neither\n',
  });
  const { exit, stderr } = await run(['sources', ...root], { ...nowhere, MEDIA_STUDY_HOST: '127.0.0.1:4312' });
  t.is(exit, 2);
  t.regex(stderr, /^MEDIA_STUDY_HOST 127\.0\.0\.1:4312: the address of a host is needed, such as http:/);
});

test('another program that got the port of a killed host is not taken for it', async (t) => {
  const listening = await serving(t, (_request, response) => response.writeHead(404).end('<p>nothing here'));
  const root = join(folder, 'killed');
  await mkdir(root, { mode: 0o700 });
  const file = { listening, authorizationToken: 'any', pid: 1 };
  await writeFile(join(root, 'host.json'), JSON.stringify(file), { mode: 0o600 });
  const { exit, stderr } = await run(['sources', '--data-root', root]);
  t.is(exit, 3);
  t.regex(stderr, /^no host has ever kept its data in /);
});
