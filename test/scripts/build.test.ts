import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { ownsCompileCache } from '../../scripts/build/compile-cache.mjs';
import { reader } from '../../scripts/build/language-table.mjs';
import { programParts, readStamp, stampOf, writeStamp } from '../../scripts/build/stamp.mjs';

const repository = fileURLToPath(new URL('../..', import.meta.url));

async function folder(t: ExecutionContext): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'build-'));
  t.teardown(() => rm(made, { recursive: true, force: true }));
  return made;
}

async function checkout(t: ExecutionContext): Promise<string> {
  const root = await folder(t);
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
  const root = await folder(t);
  t.is(readStamp(root), null);
  writeStamp(root, 'a stamp');
  t.is(readStamp(root), 'a stamp');
});

test('the compile cache is made for its owner alone', async (t) => {
  const cache = join(await folder(t), 'cache');
  t.true(ownsCompileCache(cache));
  t.true(ownsCompileCache(cache));
});

test('a compile cache that others can write to, or that is a link, is not used', async (t) => {
  const root = await folder(t);
  const open = join(root, 'open');
  await mkdir(open);
  await chmod(open, 0o777);
  t.false(ownsCompileCache(open));
  await mkdir(join(root, 'elsewhere'), { mode: 0o700 });
  await symlink(join(root, 'elsewhere'), join(root, 'link'));
  t.false(ownsCompileCache(join(root, 'link')));
});

test('a Node that is too old is told so in one line, without a stack trace', (t) => {
  const pretend = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } })";
  const words = [`--import=data:text/javascript,${encodeURIComponent(pretend)}`, 'build/serve.js', '--version'];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: repository, encoding: 'utf8' });
  t.is(status, 1);
  t.is(stdout, '');
  t.regex(stderr, /^Node 20\.19 or newer is needed, this is v[\d.]+; install a newer Node\n$/);
});

test('the built table of the language identifier has the rows of its package, and no other', async (t) => {
  const built = await folder(t);
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
