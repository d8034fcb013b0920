import { readdir } from 'node:fs/promises';
import test from 'ava';
import { pagesOf, pathOf, textOf } from './markdown.ts';
import { pageFindings, sourceFindings } from './prose.ts';

const pages = await pagesOf();
const folders = (await readdir(pathOf('.'), { withFileTypes: true }))
  .filter((entry) => entry.isDirectory() && !/^(?:\.|build|node_modules|docs|release)/.test(entry.name))
  .map(({ name }) => name);

for (const page of pages) {
  test(`${page} has short sentences and American spelling`, async (t) => {
    t.deepEqual(await pageFindings(await textOf(page)), []);
  });
}

for (const folder of folders) {
  test(`comments and messages of ${folder} have short sentences`, async (t) => {
    const names = await readdir(pathOf(folder), { recursive: true });
    const sources = names.filter((name) => /\.(?:ts|tsx|mjs)$/.test(name) && !name.includes('node_modules')).toSorted();
    const findings = sources.map(async (name) => {
      const file = `${folder}/${name}`;
      const found = sourceFindings(file, await textOf(file), /^(?:fixtures|test)$/.test(folder) ? 'test' : 'product');
      return found.map((finding) => `${file}: ${finding}`);
    });
    t.deepEqual((await Promise.all(findings)).flat(), []);
  });
}

test('long sentences and British spelling are found in text, and not in code', async (t) => {
  const long = `${'word '.repeat(26)}end`;
  t.deepEqual(await pageFindings('A grey one.\n\n`grey`\n'), ['1: "grey": write American spelling']);
  t.regex((await pageFindings(`${long}.\n`))[0] ?? '', /27 words/);
  const source = `/** ${long}, in \`grey\`. */\nconst message = 'Now ${long}';\ntest('A ${long}', () => {});\n`;
  t.is(sourceFindings('a.ts', source, 'product').length, 3);
  t.is(sourceFindings('a.ts', source, 'test').length, 2);
});
