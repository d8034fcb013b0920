import { readdir } from 'node:fs/promises';
import test from 'ava';
import { pathOf, sectionOf, tablesOf, textOf, wordsOf } from './markdown.ts';

const guides = await readdir(pathOf('docs/guides'));
const pages = ['README.md', ...guides.map((guide) => `docs/guides/${guide}`)];

test('the commands that the README and the guides name are those of the package', async (t) => {
  const { scripts } = JSON.parse(await textOf('package.json')) as { scripts: Record<string, string> };
  const text = (await Promise.all(pages.map(textOf))).join('\n');
  const named = [...text.matchAll(/npm (?:run (?:--silent )?([a-z][a-z-]*)|(start|test))/g)];
  const names = named.map((found) => found[1] ?? found[2] ?? '');
  t.true(names.length > 0);
  t.deepEqual(
    names.filter((name) => scripts[name] === undefined),
    [],
  );
});

test('the README stays short, and links every guide and every page of reference', async (t) => {
  const text = await textOf('README.md');
  t.true(text.split('\n').length <= 151);
  const docs = (await readdir(pathOf('docs'))).filter((name) => name.endsWith('.md'));
  for (const page of [...docs, ...guides.map((guide) => `guides/${guide}`)])
    t.true(text.includes(`(docs/${page})`), page);
});

test('the table of tools names the variables of the environment', async (t) => {
  const [tools = []] = tablesOf(sectionOf(await textOf('docs/guides/operating.md'), '## Tools'));
  const [variables] = tablesOf(sectionOf(await textOf('docs/environment.md'), '## Host and commands'));
  const named = tools.map(([, variable = '']) => variable.replaceAll('`', ''));
  t.deepEqual(
    named.filter((name) => !wordsOf(variables).includes(name)),
    [],
  );
  t.true(named.length > 0);
});
