import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { textOf } from '../docs/markdown.ts';
import { OneHost } from './one-host.ts';

const run = promisify(execFile);

test('the script of the client page makes captions of a film', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'documented-'));
  const host = await OneHost.start();
  t.teardown(async () => {
    await host.remove();
    await rm(folder, { recursive: true, force: true });
  });
  const page = await textOf('docs/guides/client.md');
  const [, script] = /```ts\n(\/\/ captions\.ts\n[\s\S]*?)```/.exec(page) ?? [];
  if (script === undefined) return t.fail('the page has no captions.ts');
  const { baseUrl, token } = host.address;
  const here = script
    .replaceAll("'./client/study-host.ts'", `'${new URL('../../client/study-host.ts', import.meta.url)}'`)
    .replaceAll('http://127.0.0.1:4312', baseUrl);
  // The project of the page has modules; this folder has no package that says so.
  await writeFile(join(folder, 'captions.mts'), here);
  const loaded = ['--import', import.meta.resolve('tsx'), 'captions.mts'];
  const { stderr } = await run(process.execPath, loaded, { cwd: folder, env: { ...process.env, TOKEN: token } });
  t.regex(stderr, /^detect /m);
  t.regex(await readFile(join(folder, 'film.en.srt'), 'utf8'), /^1\n00:00:00,800 --> .*\nGood morning and welcome/);
});
