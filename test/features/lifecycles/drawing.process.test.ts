import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { execa } from 'execa';
import { staleFiles } from '../../../visualizer/drawing/files.ts';
import { builtProcess } from '../../built-process.ts';

const command = builtProcess('features/lifecycles/charts-command.ts');

const charts = (...flags: readonly string[]) => execa(process.execPath, [command, ...flags], { reject: false });

test('the command draws the same bytes anywhere; --check exits with 1 and names the changes', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'charts-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  t.is((await charts('--folder', folder)).exitCode, 0);
  const files = new Map<string, string>();
  for (const name of await readdir(folder)) files.set(name, await readFile(join(folder, name), 'utf8'));
  t.deepEqual(await staleFiles(fileURLToPath(new URL('../../../docs/charts', import.meta.url)), files), []);
  await appendFile(join(folder, 'runtime.dark.svg'), '<!-- by hand -->');
  const checked = await charts('--folder', folder, '--check');
  t.is(checked.exitCode, 1);
  // A second process draws the same, except for the one file.
  t.regex(checked.stderr, /^runtime\.dark\.svg does not match its machine\ncharts_stale: /);
  t.regex(await readFile(join(folder, 'runtime.dark.svg'), 'utf8'), /by hand/);
});

test('the command refuses a flag that it does not know with 2', async (t) => {
  const refused = await charts('--chekc');
  t.is(refused.exitCode, 2);
  t.regex(refused.stderr, /did you mean --check\?/);
});
