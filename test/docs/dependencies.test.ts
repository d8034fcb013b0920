import test from 'ava';
import { textOf } from './markdown.ts';

test('every package that package.json asks for has a section, and no other has', async (t) => {
  const manifest = JSON.parse(await textOf('package.json')) as Record<
    'dependencies' | 'devDependencies',
    Record<string, string>
  >;
  const page = await textOf('docs/dependencies.md');
  const [host = '', development = ''] = page.split('\n## What only development needs\n');
  const headings = (text: string) => [...text.matchAll(/^### (\S+)$/gm)].map((found) => found[1] ?? '');
  const { dependencies, devDependencies } = manifest;
  const all = [...Object.keys(dependencies), ...Object.keys(devDependencies)];
  t.deepEqual(headings(page).sort(), all.sort());
  const runsOn = new Set(headings(host));
  t.deepEqual(
    Object.keys(dependencies).filter((name) => !runsOn.has(name)),
    [],
  );
  t.true(headings(development).every((name) => name in devDependencies));
});

test('what is pinned for a reason is pinned to what the page says', async (t) => {
  const { dependencies, devDependencies, overrides } = JSON.parse(await textOf('package.json'));
  const page = await textOf('docs/dependencies.md');
  const pins = {
    canonicalize: devDependencies.canonicalize,
    'any-ascii': dependencies['any-ascii'],
    openai: devDependencies.openai,
    '@biomejs/biome': devDependencies['@biomejs/biome'],
  };
  for (const [name, version] of Object.entries(pins)) t.true(page.includes(`| \`${name}\` ${version} |`), name);
  t.true(page.includes(`\`msgpackr-extract\` to ${overrides['msgpackr-extract']}`));
});
