import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { putHostFileAside, readHostFile, removeHostFile, writeHostFile } from '../../cli/host-files.ts';
import { processIdentity, rootIdentity } from '../../cli/host-identity.ts';
import { hostStanding } from '../../cli/host-standing.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';

const announced = { listening: 'http://127.0.0.1:9', authorizationToken: 'a'.repeat(64), endsWithCommand: false };

/** A folder with the file of a host, which is this process. */
async function hosted(t: ExecutionContext, changes: object = {}) {
  const scratch = await scratchFolder(t);
  const root = join(scratch, 'root');
  await mkdir(root);
  await writeFile(join(root, 'console.html'), `token=${announced.authorizationToken}`);
  const own = { ...(await processIdentity(process.pid)), ...changes };
  await writeHostFile(root, announced, await rootIdentity(root), own);
  return { scratch, root };
}

const whyOf = async (root: string): Promise<string> => {
  const standing = await hostStanding(root);
  return standing.state === 'stale' ? standing.why : standing.state;
};

test('the file of a running host is believed in its own folder, also behind a link and after a move', async (t) => {
  const { scratch, root } = await hosted(t);
  t.is(await whyOf(root), 'there');
  await symlink(root, join(scratch, 'link'));
  t.is(await whyOf(join(scratch, 'link')), 'there');
  await rename(root, join(scratch, 'moved'));
  t.is(await whyOf(join(scratch, 'moved')), 'there');
});

test('bug: the file of a host was believed in a copy of its folder', async (t) => {
  const { scratch, root } = await hosted(t);
  await cp(root, join(scratch, 'copy'), { recursive: true, preserveTimestamps: true });
  t.is(await whyOf(join(scratch, 'copy')), 'it names the host of another data root, of which this folder is a copy');
});

test('the file of a host is not believed in a folder that was made again at its path', async (t) => {
  const { scratch, root } = await hosted(t);
  await cp(root, join(scratch, 'backup'), { recursive: true });
  // The system may give the new folder the number of the old one at once.
  await rm(root, { recursive: true });
  await cp(join(scratch, 'backup'), root, { recursive: true });
  const { device, inode, bornAt } = (await rootIdentity(root)) ?? {};
  const written = await readHostFile(root);
  if (written.state !== 'written') throw new Error('no host file');
  const { file } = written;
  // A folder that changed in the tick of its birth has no time of birth that can be trusted.
  const areBorn = bornAt !== null && file.bornAt !== null;
  const isDifferent = device !== file.device || inode !== file.inode || areBorn;
  t.is(
    await whyOf(root),
    isDifferent ? 'it names the host of another data root, of which this folder is a copy' : 'there',
  );
});

test('a file is stale if its process has ended, another has its number, or the system was started again', async (t) => {
  const started = await hosted(t, { startedAt: '1' });
  const hasStarts = (await processIdentity(process.pid)).startedAt !== null;
  const reused = `its process ${process.pid} has ended, and another has its number`;
  t.is(await whyOf(started.root), hasStarts ? reused : 'there');
  const ended = Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));
  t.is(await whyOf((await hosted(t, { pid: ended, startedAt: null })).root), `its process ${ended} has ended`);
  const hasBoots = (await processIdentity(process.pid)).bootId !== null;
  const booted = await hosted(t, { bootId: '00000000-0000-4000-8000-000000000000' });
  t.is(await whyOf(booted.root), hasBoots ? 'the system was started again since' : 'there');
});

test('a host in a container is left to its proof: its number means nothing outside', async (t) => {
  const { root } = await hosted(t, { pid: 999_999_999, pidNamespace: 'pid:[1]' });
  const hasSpaces = (await processIdentity(process.pid)).pidNamespace !== null;
  t.is(await whyOf(root), hasSpaces ? 'there' : 'its process 999999999 has ended');
});

test('anything but a host file of this machine is stale: garbage, a folder, a pipe, an address elsewhere', async (t) => {
  const { root } = await hosted(t);
  const path = join(root, 'host.json');
  const { text } = (await readHostFile(root)) as { text: string };
  for (const wrong of [
    '',
    'null',
    '{"listening":',
    'x'.repeat(20_000),
    text.replace('127.0.0.1', 'example.org'),
    text.replace('http:', 'https:'),
    text.replace('127.0.0.1', '127.0.0.1@example.org'),
    text.replace(`"pid":${process.pid}`, '"pid":0'),
  ]) {
    await writeFile(path, wrong);
    t.is((await hostStanding(root)).state, 'stale', wrong.slice(0, 200));
    t.is(await putHostFileAside(root, null), 'aside');
    t.false(existsSync(path));
  }
  await mkdir(path);
  t.is((await hostStanding(root)).state, 'stale');
  await rm(path, { recursive: true });
  execFileSync('mkfifo', [path]);
  t.is((await hostStanding(root)).state, 'stale');
  await rm(join(root, 'host.json.stale'), { recursive: true, force: true });
  t.is(await putHostFileAside(root, null), 'aside');
});

test('the file of an earlier version counts while its process is there', async (t) => {
  const { root } = await hosted(t);
  const { listening, authorizationToken } = announced;
  const earlier = (pid: number) => JSON.stringify({ listening, authorizationToken, pid, endsWithCommand: false });
  await writeFile(join(root, 'host.json'), earlier(process.pid));
  t.is((await hostStanding(root)).state, 'earlier');
  await writeFile(join(root, 'host.json'), earlier(999_999_999));
  t.is(await whyOf(root), 'its process 999999999 has ended');
});

test('a stale file is put aside with the page of the same host, and never the file of a new host', async (t) => {
  const { root } = await hosted(t);
  const { text } = (await readHostFile(root)) as { text: string };
  const fresh = text.replace(':9"', ':10"');
  await writeFile(join(root, 'host.json'), fresh);
  t.is(await putHostFileAside(root, text), 'newer');
  t.is(await readFile(join(root, 'host.json'), 'utf8'), fresh);
  t.is(await putHostFileAside(root, fresh), 'aside');
  t.deepEqual((await readdir(root)).toSorted(), ['console.html.stale', 'host.json.stale']);
  t.is(await putHostFileAside(root, fresh), 'newer');
});

test('bug: a host whose data root was moved removed the file of the host that has its path now', async (t) => {
  const { scratch, root } = await hosted(t);
  const own = await rootIdentity(root);
  await rename(root, join(scratch, 'moved'));
  await mkdir(root);
  await writeFile(join(root, 'host.json'), 'of another host');
  await removeHostFile(root, own);
  t.deepEqual(await readdir(root), ['host.json']);
  await removeHostFile(join(scratch, 'moved'), own);
  t.deepEqual(await readdir(join(scratch, 'moved')), []);
});
