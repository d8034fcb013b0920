import { readdir } from 'node:fs/promises';
import test from 'ava';
import { pathOf, textOf } from './markdown.ts';
import { findingsOf, proseOf } from './source-prose.ts';

const folders = [
  ...[
    'actors',
    'bench',
    'cli',
    'client',
    'console',
    'contract',
    'executors',
    'fixtures',
    'formats',
    'http',
    'kinds',
    'lab',
    'machines',
  ],
  ...['receipts', 'rules', 'scripts', 'storage', 'test', 'visualizer'],
];

for (const folder of folders) {
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
    t.deepEqual(findings, []);
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
