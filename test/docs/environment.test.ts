import { readdir, readFile } from 'node:fs/promises';
import test from 'ava';
import { pathOf, sectionOf, tablesOf, textOf, wordsOf } from './markdown.ts';

const page = await textOf('docs/environment.md');
const documented = (heading: string) => wordsOf(tablesOf(sectionOf(page, heading))[0]).sort();

async function sourcesOf(folders: readonly string[]): Promise<string> {
  const names = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(pathOf(folder), { recursive: true })).map((name) => pathOf(`${folder}/${name}`)),
    ),
  );
  const files = names.flat().filter((name) => /\.(ts|mjs)$/.test(name));
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
}

const named = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((found) => found[1] ?? '');

test('every variable that the host and the commands read is documented, and no other is', async (t) => {
  const text = await sourcesOf(['actors', 'cli', 'contract', 'executors', 'http', 'storage', 'scripts/setup']);
  const found = new Set([
    ...named(text, /\b((?:MEDIA_STUDY|OPENAI|XDG)_[A-Z_]+)\b/g).filter((name) => !name.startsWith('MEDIA_STUDY_TEST_')),
    ...named(text, /process\.env\.([A-Z_]+)/g),
    ...(text.includes('homedir()') ? ['HOME'] : []),
    ...(text.includes('tmpdir()') ? ['TMPDIR'] : []),
  ]);
  t.deepEqual(documented('## Host and commands'), [...found].sort());
});

test('every variable of the tests is documented, and no other is', async (t) => {
  const text = await sourcesOf(['cli', 'test']);
  // A name ends with a letter: a prefix, as in this file, names no variable.
  t.deepEqual(documented('## Tests'), [...new Set(named(text, /\b(MEDIA_STUDY_TEST_[A-Z_]*[A-Z])\b/g))].sort());
});
