import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ExportFolder } from '../../cli/mcp/export-folder.ts';
import { StudyHost } from '../../client/study-host.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';

const { signal } = new AbortController();
const asked = { name: 'facts.csv', options: {} } as const;
const runtimeId = 'runtime:any';

/** A folder of exports inside a private one, and what writes an export of a host into it. */
async function exporting(t: ExecutionContext) {
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

test('bug: a folder of exports that could not be made once could not be made until the server was started again', async (t) => {
  const { folder, write } = await exporting(t);
  await writeFile(folder, 'a file in its place');
  await t.throwsAsync(write(), { code: 'EEXIST' });
  await rm(folder);
  const { path } = await write();
  t.is(dirname(path), folder);
  t.is(await readFile(path, 'utf8'), 'kind,startMs\n');
});
