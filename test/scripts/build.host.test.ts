import { access, chmod, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { ownsCompileCache } from '../../scripts/build/compile-cache.mjs';
import { reader } from '../../scripts/build/language-table.mjs';
import { programParts, readStamp, stampOf, writeStamp } from '../../scripts/build/stamp.mjs';
import { pruneForeignBinaries } from '../../scripts/setup/packages.mjs';
import { scratchFolder } from '../storage/ledger/scratch.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

async function checkout(t: ExecutionContext): Promise<string> {
  const root = await scratchFolder(t);
  for (const part of programParts) {
    if (part.endsWith('.json')) await writeFile(join(root, part), '{}');
    else await mkdir(join(root, part));
  }
  await writeFile(join(root, 'cli', 'serve.ts'), 'export {};');
  return root;
}

test('the stamp of a build stays while no source changes', async (t) => {
  const root = await checkout(t);
  t.is(stampOf(root, programParts), stampOf(root, programParts));
});

test('a source that is changed, touched, added or removed changes the stamp of a build', async (t) => {
  const root = await checkout(t);
  const stamps = [stampOf(root, programParts)];
  await writeFile(join(root, 'cli', 'serve.ts'), 'export const longer = 1;');
  stamps.push(stampOf(root, programParts));
  await utimes(join(root, 'cli', 'serve.ts'), 1, 1);
  stamps.push(stampOf(root, programParts));
  await mkdir(join(root, 'http', 'routes'));
  await writeFile(join(root, 'http', 'routes', 'new.ts'), '');
  stamps.push(stampOf(root, programParts));
  await rm(join(root, 'cli', 'serve.ts'));
  stamps.push(stampOf(root, programParts));
  t.is(new Set(stamps).size, stamps.length);
});

test('a folder that was never built has no stamp', async (t) => {
  const root = await scratchFolder(t);
  t.is(readStamp(root), null);
  writeStamp(root, 'a stamp');
  t.is(readStamp(root), 'a stamp');
});

test('the compile cache is made for its owner alone', async (t) => {
  const cache = join(await scratchFolder(t), 'cache');
  t.true(ownsCompileCache(cache));
  t.true(ownsCompileCache(cache));
});

test('a compile cache that others can write to, or that is a link, is not used', async (t) => {
  const root = await scratchFolder(t);
  const open = join(root, 'open');
  await mkdir(open);
  await chmod(open, 0o777);
  t.false(ownsCompileCache(open));
  await mkdir(join(root, 'elsewhere'), { mode: 0o700 });
  await symlink(join(root, 'elsewhere'), join(root, 'link'));
  t.false(ownsCompileCache(join(root, 'link')));
});

test('the built table of the language identifier has the rows of its package, and no other', async (t) => {
  const built = await scratchFolder(t);
  await symlink(join(repository, 'build', 'language-table'), join(built, 'language-table'));
  await writeFile(join(built, 'reader.mjs'), reader);
  const { ngramsData: found } = await import(pathToFileURL(join(built, 'reader.mjs')).href);
  const script = join(repository, 'node_modules', 'eld', 'src', 'ngrams', 'small.js');
  const { ngrams, ...others } = (await import(pathToFileURL(script).href)).ngramsData;
  t.deepEqual({ ...found, ngrams: null }, { ...others, ngrams: null });
  const rows = Object.entries(ngrams);
  t.true(rows.length > 80_000);
  const other = rows.find(([ngram, row]) => JSON.stringify(found.ngrams[ngram]) !== JSON.stringify(row));
  t.is(other, undefined);
  for (const [ngram] of [...rows.slice(0, 100), ['', {}]]) t.is(found.ngrams[`${ngram}\u{10ffff}`], undefined);
});

test('the built program brings the messages of zod in English alone', async (t) => {
  const built = join(repository, 'build');
  const files = (await readdir(built)).filter((name) => name.endsWith('.js'));
  const texts = await Promise.all(files.map((name) => readFile(join(built, name), 'utf8')));
  const holding = (words: string) => texts.filter((text) => text.includes(words)).length;
  t.deepEqual([holding('Invalid input: expected'), holding('Entrada inv')], [1, 0]);
});

test('files for other platforms are removed after an installation', async (t) => {
  const root = await scratchFolder(t);
  const kept = [
    'onnxruntime-node/bin/napi-v6/linux/x64/onnxruntime_binding.node',
    'uWebSockets.js/binaries/uws_linux_x64_115.node',
    'uWebSockets.js/dist/index.js',
    'classic-level/prebuilds/linux-x64/classic-level.node',
  ];
  const removed = [
    'onnxruntime-node/bin/napi-v6/linux/arm64/onnxruntime_binding.node',
    'onnxruntime-node/bin/napi-v6/darwin/arm64/onnxruntime_binding.node',
    'uWebSockets.js/binaries/uws_darwin_arm64_115.node',
    'uWebSockets.js/binaries/uws_linux_x64_108.node',
    'uWebSockets.js/dist/uws_linux_x64_115.node',
    'uWebSockets.js/uws_win32_x64_115.node',
    'classic-level/prebuilds/darwin-x64+arm64/classic-level.node',
    'classic-level/prebuilds/android-arm64/classic-level.node',
  ];
  for (const file of [...kept, ...removed]) {
    await mkdir(join(root, file, '..'), { recursive: true });
    await writeFile(join(root, file), '');
  }
  pruneForeignBinaries(root, { platform: 'linux', arch: 'x64', modules: '115' });
  for (const file of kept) await t.notThrowsAsync(access(join(root, file)), file);
  for (const file of removed) await t.throwsAsync(access(join(root, file)), undefined, file);
});
