import { readdir } from 'node:fs/promises';
import test from 'ava';
import { pathOf, textOf } from './markdown.ts';
import { findingsOf, proseOf } from './source-prose.ts';

/**
 * Folders whose comments and messages were written before the style page, and how many places of each it would have written
 * otherwise. A number may fall, never rise: lower it with the folder. A folder that is 0 stays so.
 */
const known = {
  actors: 0,
  bench: 0,
  cli: 0,
  client: 0,
  console: 191,
  contract: 0,
  executors: 0,
  fixtures: 0,
  formats: 0,
  http: 0,
  lab: 0,
  machines: 0,
  receipts: 0,
  rules: 0,
  scripts: 0,
  storage: 0,
  test: 0,
  visualizer: 0,
};

for (const [folder, most] of Object.entries(known)) {
  test(`comments and messages of ${folder} are written as the style page says`, async (t) => {
    const names = await readdir(pathOf(folder), { recursive: true });
    const sources = names.filter((name) => /\.(?:ts|tsx|mjs)$/.test(name) && !name.includes('node_modules')).toSorted();
    const findings: string[] = [];
    for (const name of sources) {
      const file = `${folder}/${name}`;
      const text = await textOf(file);
      for (const prose of proseOf(file, text, ['fixtures', 'test'].includes(folder) ? 'test' : 'product')) {
        const at = () => `${file}:${text.slice(0, prose.start).split('\n').length}`;
        findings.push(...findingsOf(prose).map((finding) => `${at()}: ${finding}`));
      }
    }
    t.true(findings.length <= most, `${findings.length} places, of at most ${most}:\n${findings.join('\n')}`);
  });
}

test('a habit is found in comments, in messages and in titles, and not in code', (t) => {
  const source = [
    '/** Whether it is measured anew. */',
    "const message = 'the host is no longer asked, and said nothing';",
    'const pattern = /anew/;',
    "test('what is none is refused', () => {});",
  ].join('\n');
  const found = (of: 'product' | 'test') => proseOf('a.ts', source, of).flatMap(findingsOf);
  t.deepEqual(found('test'), [
    '"anew": write "again"',
    '"Whether": write a noun phrase, or "True if"',
    '"what is none": write what is invalid or missing',
  ]);
  t.deepEqual(found('product').slice(2), [
    '"said nothing": write what it contains',
    '"what is none": write what is invalid or missing',
  ]);
});
