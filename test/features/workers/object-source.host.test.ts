import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { demandObjectSource } from '../../../features/workers/options.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';

test('an object source in which every user can write is refused', async (t) => {
  const folder = await scratchFolder(t);
  const source = join(folder, 'source');
  await mkdir(join(source, 'outcomes'), { recursive: true });
  const asked = { address: 'redis://a', objectSource: source };
  await demandObjectSource(asked);
  for (const [path, mode] of [
    [source, '0777'],
    [source, '1777'],
    [join(source, 'outcomes'), '0702'],
    // Another user could put a folder of theirs in its place.
    [folder, '0777'],
  ] as const) {
    const before = ((await stat(path)).mode & 0o7777).toString(8);
    await chmod(path, Number.parseInt(mode, 8));
    await t.throwsAsync(demandObjectSource(asked), {
      code: 'object_source_unavailable',
      message: new RegExp(`every user of this machine can write in ${path} .*chmod o-w ${path}`),
    });
    await chmod(path, Number.parseInt(before, 8));
  }
  // As `/tmp` is: there a user renames own entries only.
  await chmod(folder, 0o1777);
  await demandObjectSource(asked);
});
