import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { execa } from 'execa';
import { chart } from '../../contract/lifecycles/chart.ts';
import { machines } from '../../machines/catalogue.ts';
import { type Files, staleFiles, writeFiles } from '../../visualizer/drawing/files.ts';
import { builtProcess } from '../built-process.ts';

const drawn = fileURLToPath(new URL('../../docs/charts', import.meta.url));
const command = builtProcess('cli/charts.ts');

const charts = (...flags: readonly string[]) => execa(process.execPath, [command, ...flags], { reject: false });

/** What the command drew, and where: to lay a machine out takes seconds. */
const made = { folder: '', exitCode: undefined as number | undefined, files: new Map() as Files };
test.before(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'charts-test-'));
  const { exitCode } = await charts('--folder', folder);
  const files = new Map<string, string>();
  for (const name of await readdir(folder)) files.set(name, await readFile(join(folder, name), 'utf8'));
  Object.assign(made, { folder, exitCode, files });
});
test.after.always(() => rm(made.folder, { recursive: true, force: true }));

const scratchFolder = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'charts-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

test('every drawing matches its machine', async (t) => {
  t.deepEqual(await staleFiles(drawn, made.files), [], 'run `npm run charts` and review what changed');
});

test('every machine has its chart as data and a drawing in both themes, and the page shows them', async (t) => {
  const readme = await readFile(join(drawn, 'README.md'), 'utf8');
  for (const { id } of machines) {
    const stored = chart.parse(JSON.parse(await readFile(join(drawn, `${id}.json`), 'utf8')));
    t.is(stored.machineId, id);
    for (const name of [`${id}.light.svg`, `${id}.dark.svg`]) {
      t.regex(await readFile(join(drawn, name), 'utf8'), /^<svg [\s\S]*<\/svg>\n$/);
      t.true(readme.includes(name));
    }
  }
});

test('a file that is missing, changed or left over is named', async (t) => {
  const folder = await scratchFolder(t);
  const two = new Map([
    ['one.json', '{}\n'],
    ['one.light.svg', '<svg/>\n'],
  ]);
  t.deepEqual(await staleFiles(join(folder, 'nowhere'), two), ['one.json is missing', 'one.light.svg is missing']);
  await writeFiles(folder, two);
  t.deepEqual(await staleFiles(folder, two), []);
  await appendFile(join(folder, 'one.json'), ' ');
  await rm(join(folder, 'one.light.svg'));
  await writeFile(join(folder, 'gone.dark.svg'), '');
  t.deepEqual(await staleFiles(folder, two), [
    'one.json does not match its machine',
    'one.light.svg is missing',
    'gone.dark.svg belongs to no machine',
  ]);
});

test('the command draws the same bytes anywhere, and with --check exits with 1 and names what was changed', async (t) => {
  const { folder } = made;
  t.is(made.exitCode, 0);
  await appendFile(join(folder, 'runtime.dark.svg'), '<!-- by hand -->');
  const checked = await charts('--folder', folder, '--check');
  t.is(checked.exitCode, 1);
  // What a second process draws is what the first drew, but for the one file.
  t.regex(checked.stderr, /^runtime\.dark\.svg does not match its machine\ncharts_stale: /);
  t.regex(await readFile(join(folder, 'runtime.dark.svg'), 'utf8'), /by hand/);
});

test('the command refuses a flag that it does not know with 2', async (t) => {
  const refused = await charts('--chekc');
  t.is(refused.exitCode, 2);
  t.regex(refused.stderr, /did you mean --check\?/);
});
