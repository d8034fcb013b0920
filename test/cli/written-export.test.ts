import { once } from 'node:events';
import { lstat, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { WrongCall } from '../../cli/terminal/call.ts';
import { writeExport } from '../../cli/terminal/written-export.ts';
import { StudyHost } from '../../client/study-host.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { commandOn, serving } from './foreign-host.ts';

const { signal } = new AbortController();
const asked = { name: 'facts.csv', options: {} } as const;

async function exporting(t: ExecutionContext) {
  const folder = await scratchFolder(t);
  const answers = async () => new Response('kind,startMs\n');
  const host = StudyHost.connect({ baseUrl: 'http://127.0.0.1:1', token: 'any' }, { fetch: answers });
  return { folder, write: (path: string) => writeExport(host, 'runtime:any', asked, path, signal) };
}

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

test('an export puts no file in the place of a device or a folder', async (t) => {
  const { folder, write } = await exporting(t);
  const path = join(folder, 'a-socket');
  const server = createServer();
  t.teardown(() => server.close());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  await t.throwsAsync(write(path), { instanceOf: WrongCall, message: /a-socket is no regular file: / });
  t.true((await lstat(path)).isSocket());
  await t.throwsAsync(write(folder), { instanceOf: WrongCall, message: /is a folder: name a file in it$/ });
});

test('a reader that leaves before an export is whole is no failure, as for every other command', async (t) => {
  const address = await serving(t, async ({ url }, response) => {
    if (url === '/v1/source-sessions') {
      response.end('{"sourceSessions":[]}');
      return;
    }
    command.stdout.destroy();
    await once(command.stdout, 'close');
    response.end(Buffer.alloc(1024 * 1024));
  });
  const { command, said } = commandOn(t, address, ['export', 'runtime:any', 'bundle']);
  t.deepEqual(await once(command, 'close'), [0, null]);
  t.is(said(), '');
});

test('bug: cuts were counted at 25 frames a second, whatever the media has, and it was not said', async (t) => {
  const folder = await scratchFolder(t);
  const address = await serving(t, ({ url }, response) =>
    response.end(url === '/v1/source-sessions' ? '{"sourceSessions":[]}' : 'TITLE: a film\n'),
  );
  const saidOf = async (...call: readonly string[]) => {
    const { command, said } = commandOn(t, address, ['export', 'runtime:any', ...call]);
    t.deepEqual(await once(command, 'close'), [0, null]);
    return said();
  };
  const remark =
    'cuts.edl is at 25 frames a second: no record of a source names the rate of its pictures; if your media has another, give it by --rate\n';
  t.is(await saidOf('cuts.edl'), remark);
  t.is(await saidOf('cuts.edl', '--output', join(folder, 'cuts.edl')), remark);
  t.is(await saidOf('cuts.edl', '--rate', '25'), '');
  t.is(await saidOf('cuts.otio'), '');
});
