import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { bundleOf, bundlesOfStudy, unpacked } from './bundled-study.ts';

const run = promisify(execFile);

test('other readers of tar see the same files', async (t) => {
  const { bundles } = await bundlesOfStudy(t);
  const folder = await mkdtemp(join(tmpdir(), 'bundle-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'study.tar'), await bundleOf(bundles, true));
  await run('tar', ['-xf', 'study.tar'], { cwd: folder });
  const entries = await unpacked(await readFile(join(folder, 'study.tar')));
  for (const [name, content] of entries) t.true((await readFile(join(folder, name))).equals(content), name);
  const { stdout } = await run('tar', ['-tf', 'study.tar'], { cwd: folder });
  t.deepEqual(stdout.trimEnd().split('\n'), [...entries.keys()]);
});
