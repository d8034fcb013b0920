import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { staleFiles, writeFiles } from '../../visualizer/drawing/files.ts';

test('a file that is missing, changed or left over is named', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'charts-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
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
