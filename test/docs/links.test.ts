import { access, readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import test from 'ava';
import { pathOf, textOf } from './markdown.ts';

const docs = await readdir(pathOf('docs'), { recursive: true });
const pages = [
  'README.md',
  'UPGRADING.md',
  ...docs.filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`),
];

/** The anchor that a heading gets: lower case, spaces as hyphens, other signs gone. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (text: string): Set<string> =>
  new Set([...text.matchAll(/^#+ (.+)$/gm)].map((found) => anchorOf(found[1] ?? '')));

for (const page of pages) {
  test(`every local link of ${page} leads somewhere`, async (t) => {
    const text = await textOf(page);
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g), ...text.matchAll(/(?:src|srcset)="([^"]+)"/g)]
      .map((found) => found[1] ?? '')
      .filter((link) => !/^[a-z]+:/.test(link));
    for (const link of links) {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : relative('.', join(dirname(page), path));
      await t.notThrowsAsync(access(pathOf(target)), link);
      if (anchor !== undefined) t.true(anchorsOf(await textOf(target)).has(anchor), link);
    }
    t.pass();
  });
}

/** A file of the repository as prose names it: a path with a folder and an ending. */
const namedFile =
  /`((?:actors|cli|contract|executors|fixtures|http|machines|receipts|scripts|storage|test)\/[\w./-]+\.\w+)`/g;

test('every file that a page names is there', async (t) => {
  for (const page of pages) {
    const files = [...(await textOf(page)).matchAll(namedFile)].map((found) => found[1] ?? '');
    for (const file of files) await t.notThrowsAsync(access(pathOf(file)), `${page}: ${file}`);
  }
});
