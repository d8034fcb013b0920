import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import test from 'ava';
import type { AnyStateNode } from 'xstate';
import { machines } from '../../machines/catalogue.ts';
import { codesOf, pathOf, sectionOf, tablesOf, textOf, wordsOf } from './markdown.ts';

const page = await textOf('docs/architecture.md');

/** The names of all states below a state, such as `running.detect`. */
const statesOf = (node: AnyStateNode): string[] =>
  Object.values(node.states).flatMap((state: AnyStateNode) => [state.path.join('.'), ...statesOf(state)]);

test('the page has one state table for each machine', (t) => {
  const headings = [...sectionOf(page, '## States').matchAll(/^### (\S+)$/gm)].map((found) => found[1] ?? '');
  t.deepEqual(headings.sort(), machines.map(({ id }) => id).sort());
});

for (const machine of machines) {
  test(`the state table of ${machine.id} names exactly its states`, (t) => {
    const documented = wordsOf(tablesOf(sectionOf(page, `### ${machine.id}`))[0]);
    t.deepEqual(documented.sort(), statesOf(machine.root).sort());
  });

  test(`the section of ${machine.id} shows its drawings`, (t) => {
    const section = sectionOf(page, `### ${machine.id}`);
    for (const theme of ['light', 'dark']) t.true(section.includes(`(charts/${machine.id}.${theme}.svg)`));
  });
}

test('the table of rooms names exactly the rooms of each floor', async (t) => {
  const rows = tablesOf(sectionOf(page, '## Floors and rooms'))[1] ?? [];
  t.deepEqual(
    rows.map(([floor = '']) => codesOf(floor)[0]),
    ['http/', 'actors/', 'receipts/', 'executors/', 'storage/', 'contract/'],
  );
  for (const [floor = '', rooms = ''] of rows) {
    const folder = codesOf(floor)[0] ?? '';
    const entries = await readdir(pathOf(folder), { recursive: true, withFileTypes: true });
    const found = entries.filter((entry) => entry.isDirectory());
    const names = found.map(({ parentPath, name }) => relative(pathOf(folder), join(parentPath, name)));
    t.deepEqual(codesOf(rooms).sort(), names.sort(), folder);
  }
});
