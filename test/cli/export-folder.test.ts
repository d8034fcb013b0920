import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ExportFolder } from '../../cli/mcp/export-folder.ts';
import { StudyHost } from '../../client/study-host.ts';
import { serving } from './foreign-host.ts';

const { signal } = new AbortController();
const asked = { name: 'facts.csv', options: {} } as const;
const runtimeId = 'runtime:any';

/** A folder of exports inside a private one, and what writes an export of a host into it. */
async function exporting(t: ExecutionContext) {
  const root = await mkdtemp(join(tmpdir(), 'export-folder-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const folder = join(root, 'exports');
  const baseUrl = await serving(t, ({ url }, response) => {
    const isExport = url?.includes('/exports/') === true;
    response.end(isExport ? 'kind,startMs\n' : JSON.stringify({ runtimeId }));
  });
  const host = StudyHost.connect({ baseUrl, token: 'any' }, { reconnectMs: 0 });
  const exports = new ExportFolder(folder);
  return { folder, write: () => exports.write(host, runtimeId, asked, signal) };
}

test('bug: a folder of exports that could not be made once could not be made until the server was started again', async (t) => {
  const { folder, write } = await exporting(t);
  await writeFile(folder, 'a file in its place');
  await t.throwsAsync(write(), { code: 'EEXIST' });
  await rm(folder);
  const { path } = await write();
  t.is(dirname(path), folder);
  t.is(await readFile(path, 'utf8'), 'kind,startMs\n');
});
